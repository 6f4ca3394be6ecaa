// Hybrid search: fuses the results of vector and full-text search into one order. Ranks alone (reciprocal rank fusion) do not suffice:
// the nearest passage may be far, and the best full-text match may have one word of six. So similarity counts absolutely, and the
// full-text score relative to the best match, weighted by the share of the question in that match. The weights were chosen by questions
// about real manuals (docs/experiments/2026-11-21-retrieval-manuals.md). Ties are broken by position, so that the order is deterministic.
import type { Hit } from '../../vectors/vectors.ts';
import { passageKey } from '../../vectors/vectors.ts';

const fullTextWeight = 0.6;
/** Lower bound of the share, also for scripts without spaces. */
const minCoverage = 0.25;

export type Fused = Hit & { fused: number };

/** `held` is the share of the question's words in the best full-text match. */
export function fused(near: Hit[], worded: Hit[], held: number): Fused[] {
  const best = Math.max(0, ...worded.map(({ words }) => words ?? 0)) || 1;
  const unit = (fullTextWeight * Math.max(minCoverage, held)) / best;
  // For a passage in both lists the entry of the second list wins, since it has both scores.
  const found = new Map([...near, ...worded].map((hit) => [passageKey(hit), hit]));
  return [...found.values()]
    .map((hit) => ({ ...hit, fused: (1 - fullTextWeight) * (hit.similarity ?? 0) + unit * (hit.words ?? 0) }))
    .sort((one, other) => other.fused - one.fused || one.file - other.file || one.number - other.number);
}
