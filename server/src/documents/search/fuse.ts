// Fusion of two result lists into one order. Ranks alone do not suffice: the nearest passage may be far, and the best
// match by words may hold one word of six. So similarity counts as it is, and words count as a share of the best match
// by words. The less of the question that best match holds, the less words weigh. The weights were chosen by questions
// about real manuals (docs/experiments/2026-11-21-retrieval-manuals.md). Ties go by place, so that the order is always
// the same.
import type { Hit } from '../../vectors/vectors.ts';
import { placeOf } from '../../vectors/vectors.ts';

const wordsWeigh = 0.6;
/** Lower bound of the share, also for scripts without spaces. */
const minHeld = 0.25;

export type Fused = Hit & { fused: number };

/** `held` is the share of the question's words that the best found by words holds. */
export function fused(near: Hit[], worded: Hit[], held: number): Fused[] {
  const best = Math.max(0, ...worded.map(({ words }) => words ?? 0)) || 1;
  const unit = (wordsWeigh * Math.max(minHeld, held)) / best;
  // A passage of both lists has similarity and words: the second list's entry wins.
  const found = new Map([...near, ...worded].map((hit) => [placeOf(hit), hit]));
  return [...found.values()]
    .map((hit) => ({ ...hit, fused: (1 - wordsWeigh) * (hit.similarity ?? 0) + unit * (hit.words ?? 0) }))
    .sort((one, other) => other.fused - one.fused || one.file - other.file || one.number - other.number);
}
