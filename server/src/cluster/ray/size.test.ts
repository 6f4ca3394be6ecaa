// Clusters of equal and unequal nodes, as nodes of equal slots.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sizeOf } from './size.ts';

const gpus = (...counts: number[]) => counts.map((GPU) => ({ CPU: 8, GPU }));

it('a cluster counts the nodes that have the resource, with the slots per node of the largest total', () => {
  const cases: [ReturnType<typeof gpus>, number, number][] = [
    [[], 0, 0],
    [gpus(0, 0), 0, 0],
    [gpus(0, 8, 8, 8), 3, 8],
    [gpus(8, 8, 4), 2, 8],
    [gpus(8, 4, 4, 4), 4, 4],
    [gpus(8, 4), 1, 8],
    [gpus(0.5, 1.5), 1, 1],
  ];
  for (const [nodes, count, slots] of cases) assert.deepEqual(sizeOf(nodes, 'GPU'), { nodes: count, slots });
  assert.deepEqual(sizeOf([{ CPU: 4 }, { CPU: 4, slot: 2 }], 'slot'), { nodes: 1, slots: 2 });
});
