// Nodes as Ray 2.60 lists them: lost nodes are reported, removed ones are not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RayNode } from './api.ts';
import { aliveOf, heldByOthers, nodesOf } from './nodes.ts';

const now = 1_800_000_000_000;
const alive = (name: string, GPU: number): RayNode => ({
  ...{ node_id: `id of ${name}`, node_ip: '10.0.0.1', node_name: name, state: 'ALIVE', end_time_ms: 0 },
  resources_total: { CPU: 8, GPU },
});
const dead = (name: string, state_message: string, before = 1000): RayNode => ({
  ...alive(name, 2),
  ...{ node_id: `${name} ${before}`, state: 'DEAD', state_message, end_time_ms: now - before },
});
const silent = 'Unexpected termination: health check failed due to missing too many heartbeats';

describe('nodes of a Ray cluster', () => {
  it('are lost, once each, if they ended unexpectedly within a day and have not come back', () => {
    const nodes = nodesOf(
      [
        ...[alive('b', 2), dead('c', silent), dead('c', silent, 5000), dead('b', silent)],
        ...[
          dead('d', 'Expected termination: raylet is stopped'),
          dead('e', 'Terminated due to idle (no Ray activity)'),
        ],
        ...[dead('f', silent, 90_000_000), alive('a', 0)],
      ],
      [],
      'GPU',
      [],
      now,
    );
    assert.deepEqual(
      nodes.map(({ name, state, slots }) => [name, state, slots]),
      [
        ['a', 'alive', 0],
        ['b', 'alive', 2],
        ['c', 'lost', 2],
      ],
    );
  });

  it('have slots that groups reserve: a run by its id, without the CPU of its coordinator', () => {
    const bundle = (name: string, CPU: number) => ({ node_id: `id of ${name}`, unit_resources: { CPU } });
    const groups = [
      { name: 'lk-one-2', state: 'CREATED', bundles: [bundle('a', 2), bundle('b', 2), bundle('a', 1)] },
      { name: 'lk-one-1', state: 'REMOVED', bundles: [bundle('a', 2)] },
      { name: 'theirs', state: 'CREATED', bundles: [bundle('b', 3)] },
      { name: 'lk-waits-1', state: 'PENDING', bundles: [{ node_id: null, unit_resources: { CPU: 1 } }] },
    ];
    const nodes = nodesOf([alive('a', 0), alive('b', 0)], groups, 'CPU', ['one', 'waits'], now);
    assert.deepEqual(
      nodes.map(({ slots, held }) => [slots, held]),
      [
        [8, [{ job: 'one', slots: 2 }]],
        [
          8,
          [
            { job: 'one', slots: 2 },
            { job: null, slots: 3 },
          ],
        ],
      ],
    );
  });

  it('have slots that replicas of the engine hold, and that no job gets', () => {
    const bundles = [{ node_id: 'id of a', unit_resources: { GPU: 1, CPU: 0.5 } }];
    const groups = [
      { name: 'lk-replica-0a1b2c3d-1-1', state: 'CREATED', bundles },
      { name: 'lk-replica-0a1b2c3d-2-1', state: 'REMOVED', bundles },
      { name: 'lk-one-1', state: 'CREATED', bundles },
    ];
    const nodes = [alive('a', 4), alive('b', 4)];
    assert.deepEqual(
      aliveOf(nodes, groups, 'GPU').map(({ GPU }) => GPU),
      [3, 4],
    );
    assert.deepEqual(nodesOf(nodes, groups, 'GPU', ['one'], now)[0]!.held, [
      { job: null, slots: 1, serving: true },
      { job: 'one', slots: 1 },
    ]);
  });

  describe('that others use as well', () => {
    const bundles = (GPU: number) => [{ node_id: 'id of a', unit_resources: { GPU } }];
    const groups = [
      { name: 'lk-one-1', state: 'CREATED', bundles: bundles(1) },
      { name: 'lk-replica-0a1b2c3d-1-1', state: 'CREATED', bundles: bundles(1) },
      { name: 'lk-theirs-1', state: 'CREATED', bundles: bundles(2) },
      { name: 'lk-one-2', state: 'REMOVED', bundles: bundles(4) },
      { name: 'theirs', state: 'PENDING', bundles: [{ node_id: null, unit_resources: { GPU: 4 } }] },
    ];
    const nodes = [alive('a', 8), alive('b', 8), dead('c', silent)];

    it('count the used slots without those of own runs and replicas, with or without a group', () => {
      const usage = {
        'id of a': { GPU: [4.5, 8] as [number, number] },
        'id of b': { GPU: [3, 8] as [number, number], CPU: [1, 8] as [number, number] },
        'c 1000': { GPU: [2, 2] as [number, number] },
      };
      assert.equal(heldByOthers(nodes, groups, usage, 'GPU', ['lk-one-']), 3 + 3);
    });

    it('count the slots of groups if the usage is unknown', () => {
      assert.equal(heldByOthers(nodes, groups, undefined, 'GPU', ['lk-one-']), 2);
    });

    it('count a resource whose name the report spells in camel case', () => {
      const node = { ...alive('a', 0), resources_total: { gpu_slot: 4 } };
      assert.equal(heldByOthers([node], [], { 'id of a': { gpuSlot: [3, 4] } }, 'gpu_slot', []), 3);
    });
  });
});
