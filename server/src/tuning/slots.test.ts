// Slots of the cluster: their number, their holders, and the view of each account.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { afterEach, beforeEach, it } from 'node:test';
import type { ClusterNodeState, ClusterState } from '@lorekeep/contract';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { node, StandInHead } from '../testing/ray/head.ts';
import { jobRecord } from '../testing/records.ts';
import { startServer, type TestServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';

onEveryDatabase('slots', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeEach(async () => {
    database = await make();
    server = await startServer({ database_url: database.url, slots: '3' });
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
  });

  /** Record of an account's job that runs on another server. */
  async function running(accountId: number, slots: number, name = 'job'): Promise<void> {
    const store = await openStore(database.url);
    await store.db
      .insertInto('servers')
      .values({ name: 'elsewhere', beat: 1, nodes: 1, slots: 2, started_at: Date.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const run = { name, gpus: slots, slots, owner: 'elsewhere', started_at: Date.now() };
    await jobRecord(store, accountId, { status: 'TRAINING MODEL', ...run });
    await store.close();
  }

  it('are all free while nothing runs', async () => {
    const { body } = await server.call('GET', '/v1/cluster');
    const { nodes, problem, ...slots } = body;
    assert.deepEqual(slots, { slots_total: 3, slots_free: 3, waiting: 0, waiting_for: [], replicas: [], held: [] });
    const here = { name: hostname(), address: null, state: 'alive' };
    assert.deepEqual(nodes, [{ ...here, slots_total: 3, slots_used: 0, held: [] }]);
    assert.match(problem, /Python environment is being set up/);
  });

  it('are listed by node, this machine and each other server; only the operator sees the names', async () => {
    const alice = await server.member('Alice', ['read']);
    await running(alice.id, 2);
    const seen = async (key?: string) => {
      const { body } = await server.call('GET', '/v1/cluster', { ...(key && { key }) });
      return body.nodes.map(({ name, state, slots_total, slots_used, held }: ClusterNodeState) => {
        return [name, state, slots_total, slots_used, held.map(({ account }) => account)];
      });
    };
    assert.deepEqual(await seen(), [
      [hostname(), 'alive', 3, 0, []],
      ['elsewhere', 'alive', 2, 2, ['Alice']],
    ]);
    assert.deepEqual(await seen(alice.key), [
      ['node 1', 'alive', 3, 0, []],
      ['node 2', 'alive', 2, 2, ['Alice']],
    ]);
    const bob = await server.member('Bob', ['read']);
    assert.deepEqual((await seen(bob.key))[1], ['node 2', 'alive', 2, 2, [null]]);
  });

  it('are listed by the nodes of a Ray cluster, with waiting jobs and their reasons', async () => {
    const head = new StandInHead();
    const lost = { ...node(2), state: 'DEAD', state_message: 'Unexpected termination: health check failed' };
    head.dead.push({ ...lost, end_time_ms: Date.now(), resources_total: { GPU: 4 } });
    head.nodes = [{ CPU: 1 }, { GPU: 3 }];
    await server.end();
    server = await startServer({ database_url: database.url, cluster: 'ray', ray_address: await head.listen() });
    try {
      const alice = await server.member('Alice', ['read']);
      await running(alice.id, 2, 'known');
      const entrypoint = (slots: number) => `driver FOLDER --attempt 1 --nodes 1 --slots ${slots} --resource GPU`;
      head.add('lk-known-1', entrypoint(2));
      head.add('others', entrypoint(1));
      const store = await openStore(database.url);
      for (const [name, gpus, owner] of [
        // The scheduler may run before the state is read, and finds one free slot.
        ['a', 2, null],
        ['b', 4, null],
        ['c', 1, 'elsewhere'],
      ] as const)
        await jobRecord(store, alice.id, { name, status: 'QUEUED', gpus, slots: gpus, owner });
      await store.close();
      let body: ClusterState;
      await until('Ray has answered', async () => {
        ({ body } = await server.call('GET', '/v1/cluster'));
        // The server polls every few seconds, and may have polled before the runs existed.
        return body.problem === null && body.nodes.some(({ held }) => held.length > 0);
      });
      const known = { slots: 2, serving: false, job_id: body!.held[0]!.job_id, account: 'Alice' };
      const ofOthers = { slots: 1, serving: false, job_id: null, account: null };
      assert.deepEqual(body!.nodes, [
        { name: 'node-0', address: '10.77.0.10', state: 'alive', slots_total: 0, slots_used: 0, held: [] },
        {
          name: 'node-1',
          address: '10.77.0.11',
          state: 'alive',
          slots_total: 3,
          slots_used: 3,
          held: [known, ofOthers],
        },
        { name: 'node-2', address: '10.77.0.12', state: 'lost', slots_total: 4, slots_used: 0, held: [] },
      ]);
      assert.deepEqual(body!.waiting_for, [
        { reason: 'size', jobs: 1 },
        { reason: 'stopping', jobs: 1 },
        { reason: 'slots', jobs: 1 },
      ]);
    } finally {
      await head.down(true);
    }
  });

  it('show each account its own jobs, and the operator the owners of all', async () => {
    const alice = await server.member('Alice', ['read']);
    const bob = await server.member('Bob', ['read']);
    await running(alice.id, 2);
    const seen = async (key?: string) => {
      const { body } = await server.call('GET', '/v1/cluster', { ...(key && { key }) });
      assert.equal(body.held.length, 1);
      const [{ slots, job_id, account }] = body.held;
      return { slots, knows: job_id !== null, account };
    };
    assert.deepEqual(await seen(alice.key), { slots: 2, knows: true, account: 'Alice' });
    assert.deepEqual(await seen(bob.key), { slots: 2, knows: false, account: null });
    assert.deepEqual(await seen(), { slots: 2, knows: true, account: 'Alice' });
  });

  it('have one waiting order, the same in the list and in each job', async () => {
    const alice = await server.member('Alice', ['read']);
    const bob = await server.member('Bob', ['read']);
    const store = await openStore(database.url);
    for (let count = 0; count < 24; count++) {
      const { id } = count % 3 ? alice : bob;
      const waits = { slots: 9, priority: count % 5 === 0 ? 1 : 0, round: Math.floor(count / 4) };
      await jobRecord(store, id, { name: `job ${count}`, status: count % 7 ? 'QUEUED' : 'CANCELLED', ...waits });
    }
    const order = await store.db
      .selectFrom('tuning_jobs')
      .select('id')
      .where('status', '=', 'QUEUED')
      .orderBy('priority', 'desc')
      .orderBy('round')
      .orderBy('id')
      .execute();
    await store.close();
    const places = new Map(order.map(({ id }, before) => [id, before + 1]));
    for (const { key } of [alice, bob])
      for (const page of ['?limit=100', '?limit=3', '?limit=1']) {
        const { body: jobs } = await server.call('GET', `/v1/train/jobs${page}`, { key });
        assert.ok(jobs.length > 0);
        for (const job of jobs) {
          assert.equal(job.queue_position, places.get(job.job_id) ?? null);
          const { body: alone } = await server.call('GET', `/v1/train/jobs/${job.job_id}`, { key });
          assert.equal(alone.queue_position, job.queue_position);
        }
      }
  });
});
