// The slots of the cluster: how many, who holds them, and what each account is told of that.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { jobRecord } from '../testing/records.ts';
import { startServer, type TestServer } from '../testing/server.ts';

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

  /** A job of an account that another server has a run of, as its record says it. */
  async function running(accountId: number, slots: number): Promise<void> {
    const store = await openStore(database.url);
    await store.db
      .insertInto('servers')
      .values({ name: 'elsewhere', beat: 1, nodes: 1, slots: 2, started_at: Date.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const run = { gpus: slots, slots, owner: 'elsewhere', started_at: Date.now() };
    await jobRecord(store, accountId, { status: 'TRAINING MODEL', ...run });
    await store.close();
  }

  it('are all free while nothing runs', async () => {
    const { body } = await server.call('GET', '/v1/cluster');
    assert.deepEqual(body, { slots_total: 3, slots_free: 3, waiting: 0, held: [] });
  });

  it('say to each account which are its own, and to the operator whose the others are', async () => {
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

  it('are waited for in one order, which a list and each job tell alike', async () => {
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
