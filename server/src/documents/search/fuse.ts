// Reciprocal rank fusion: what stands high in both lists comes before what stands high in one. Ties go by place, so that the order is always the same.
import type { Hit } from '../vectors/vectors.ts';
import { placeOf } from '../vectors/vectors.ts';

const k = 60;

export function fused(lists: Hit[][]): Hit[] {
  const found = new Map<string, { hit: Hit; score: number }>();
  for (const list of lists)
    for (const [rank, hit] of list.entries()) {
      const place = placeOf(hit);
      const known = found.get(place);
      const score = (known?.score ?? 0) + 1 / (k + rank + 1);
      found.set(place, { hit: known?.hit ?? hit, score });
    }
  return [...found.values()]
    .sort((one, other) => other.score - one.score || one.hit.file - other.hit.file || one.hit.number - other.hit.number)
    .map(({ hit }) => hit);
}
