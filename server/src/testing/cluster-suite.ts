// The suite of the port Cluster, for every adapter.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, RunOrder, RunState } from '../cluster/cluster.ts';
import { until } from './until.ts';

/** A run that succeeds, one that is refused, and one that runs until it is stopped. */
export type Kind = 'succeeds' | 'refused' | 'long';

export interface ClusterUnderTest {
  cluster: Cluster;
  /** A folder with such a job. */
  order(kind: Kind): Promise<RunOrder>;
  /** The number of runs started in the folder. */
  begun(order: RunOrder): Promise<number>;
  /** True once a process of the run is working. */
  works(order: RunOrder): Promise<boolean>;
  end(): Promise<void>;
}

export async function endOf(cluster: Cluster, name: string): Promise<RunState> {
  for (let attempt = 0; attempt < 12_000; attempt++) {
    const state = await cluster.state(name);
    if (state.state !== 'running') return state;
    await sleep(50);
  }
  throw new Error(`The run ${name} did not end.`);
}

async function reportsNodesAndSlots(cluster: Cluster): Promise<void> {
  await until(
    'runs can be started',
    async () => cluster.unready() === undefined && (await cluster.capacity()).nodes > 0,
  );
  const { nodes, slots } = await cluster.capacity();
  assert.ok(nodes >= 1 && slots >= 1);
  assert.deepEqual(await cluster.largest(), { nodes, slots });
  assert.equal(await cluster.waitsFor({ nodes: 1, gpus: 1 }), undefined);
  const all = await cluster.nodes([]);
  assert.ok(all.every(({ name, held }) => name !== '' && held.length === 0));
  const most = all.filter(({ state }) => state === 'alive').reduce((sum, one) => sum + one.slots, 0);
  assert.ok(most >= nodes * slots);
}

/** The slots of a run on all nodes. */
async function slotsOf(cluster: Cluster, name: string): Promise<number> {
  const held = (await cluster.nodes([name])).flatMap((node) => node.held);
  return held.filter(({ job }) => job === name).reduce((sum, { slots }) => sum + slots, 0);
}

async function restarts({ cluster, begun, works }: ClusterUnderTest, order: RunOrder): Promise<void> {
  await cluster.start(order);
  await until('it works again', async () => await works(order));
  assert.equal(await begun(order), 2);
  await cluster.stop(order.name);
}

export function clusterSuite(name: string, make: () => Promise<ClusterUnderTest>): void {
  describe(`the port Cluster: ${name}`, () => {
    let tested: ClusterUnderTest;
    before(async () => {
      tested = await make();
    });
    after(async () => await tested?.end());

    it('reports its nodes and slots', async () => await reportsNodesAndSlots(tested.cluster));

    it('knows nothing of a run that was never started, and stops it', async () => {
      const { cluster, order } = tested;
      const never = await order('succeeds');
      assert.equal(await cluster.follow(never), false);
      assert.deepEqual(await cluster.state(never.name), { state: 'none' });
      await cluster.stop(never.name);
    });

    it('runs a job to its end, and reports the end until the run is stopped', async () => {
      const { cluster, order } = tested;
      const run = await order('succeeds');
      await cluster.start(run);
      const ended = await endOf(cluster, run.name);
      assert.ok(ended.state === 'ended', JSON.stringify(ended));
      assert.deepEqual([ended.status, ended.reason], [0, null]);
      assert.ok(ended.peakMemory! > 0);
      assert.deepEqual(await cluster.state(run.name), ended);
      await cluster.stop(run.name);
      assert.deepEqual(await cluster.state(run.name), { state: 'none' });
    });

    it('reports the status and reason of the end of a job', async () => {
      const { cluster, order } = tested;
      const wrong = await order('refused');
      await cluster.start(wrong);
      const ended = await endOf(cluster, wrong.name);
      assert.ok(ended.state === 'ended' && ended.status === 2, JSON.stringify(ended));
      assert.match(ended.reason!, /max_steps/);
      await cluster.stop(wrong.name);
    });

    it('starts a run once, stops it for good, and starts it again', async () => {
      const { cluster, order, begun, works } = tested;
      const long = await order('long');
      await Promise.all([cluster.start(long), cluster.start(long)]);
      await cluster.start(long);
      await until('it works', async () => await works(long));
      assert.equal(await begun(long), 1);
      assert.equal(await cluster.follow(long), true);
      assert.deepEqual(await cluster.state(long.name), { state: 'running' });
      await until('its slots are told', async () => (await slotsOf(cluster, long.name)) === long.nodes * long.gpus);
      await cluster.stop(long.name);
      assert.equal(await works(long), false);
      assert.equal(await cluster.follow(long), false);
      assert.deepEqual(await cluster.state(long.name), { state: 'none' });
      await restarts(tested, { ...long, claimed: long.claimed + 1 });
    });
  });
}
