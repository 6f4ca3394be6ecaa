// What two searches found as one order. Not by rank alone: what is nearest may be far, and what has the words best may have one of six. So similarity counts
// as it is, words as a share of the best found by words, and the less that best holds of the question, the less they weigh. The weights were chosen by
// questions about real manuals (docs/experiments.md). Ties go by place, so that the order is always the same.
import type { Hit } from '../vectors/vectors.ts';
import { placeOf } from '../vectors/vectors.ts';

const wordsWeigh = 0.6;
/** Also where no word is told from another, as in scripts without spaces. */
const leastHeld = 0.25;

export type Fused = Hit & { fused: number };

/** `held` is the share of the question's words that the best found by words holds. */
export function fused(near: Hit[], worded: Hit[], held: number): Fused[] {
  const best = Math.max(0, ...worded.map(({ words }) => words ?? 0)) || 1;
  const unit = (wordsWeigh * Math.max(leastHeld, held)) / best;
  // What both found is as the second has it: similar and worded.
  const found = new Map([...near, ...worded].map((hit) => [placeOf(hit), hit]));
  return [...found.values()]
    .map((hit) => ({ ...hit, fused: (1 - wordsWeigh) * (hit.similarity ?? 0) + unit * (hit.words ?? 0) }))
    .sort((one, other) => other.fused - one.fused || one.file - other.file || one.number - other.number);
}
