// A server in a network partition: the database keeps its connections open and does not answer. Its workers end before another server can
// take over their jobs.
import assert from 'node:assert/strict';
import { afterEach, it, mock } from 'node:test';
import { type TestScheduler, testScheduler } from '../../testing/cluster.ts';
import { onPostgres, type TestDatabase } from '../../testing/databases.ts';
import { type HeldDatabase, heldDatabase } from '../../testing/held-database.ts';
import { steadyClock } from '../../testing/steady-clock.ts';
import { until } from '../../testing/until.ts';

onPostgres('a server whose database falls silent', (make) => {
  let database: TestDatabase;
  let held: HeldDatabase;
  let server: TestScheduler;
  afterEach(async () => {
    mock.restoreAll();
    held.release();
    await server.end();
    await held.end();
    await database.drop();
  });

  const start = async () => {
    database = await make();
    held = await heldDatabase(database.url);
    server = await testScheduler(held.url, async () => undefined);
    const stateOf = async () => (await server.cluster.state('one')).state;
    const ownerOf = async (id: number) =>
      (await server.store.db.selectFrom('tuning_jobs').select('owner').where('id', '=', id).executeTakeFirst())?.owner;
    return { ...server, name: server.heartbeat.name, stateOf, ownerOf };
  };

  for (const [when, statement] of [
    ['at a heartbeat', 'update "servers"'],
    ['while the running time of a job is stored', 'update "tuning_jobs"'],
  ])
    it(`ends its workers, and goes on with their jobs when the database answers: ${when}`, async () => {
      const { cluster, heartbeat, job, name, stateOf, ownerOf } = await start();
      const { id } = await job('one');
      await until('it runs', async () => (await stateOf()) === 'running');
      const pass = steadyClock();
      held.holds = (sent) => sent.includes(statement!);
      pass(6_000);
      await until('the database is silent', () => held.held > 0);
      held.holds = () => true;
      assert.equal(await stateOf(), 'running');
      pass(11_000);
      await until('its worker has ended', async () => (await stateOf()) === 'none');
      assert.notEqual(heartbeat.name, name);
      held.release();
      await until('it runs again', async () => (await stateOf()) === 'running');
      assert.equal(cluster.starts, 2);
      assert.equal(await ownerOf(id), heartbeat.name);
    });

  it('does not begin a job whose claim was answered too late under the name that claimed it', async () => {
    const { cluster, heartbeat, job, name, stateOf, ownerOf } = await start();
    const pass = steadyClock();
    held.holds = (sent) => sent.includes('pg_advisory_xact_lock(7305214434)');
    const { id } = await job('one');
    await until('the claim waits', () => held.held > 0);
    pass(11_000);
    held.release();
    await until('it runs', async () => (await stateOf()) === 'running');
    assert.equal(cluster.starts, 1);
    assert.notEqual(heartbeat.name, name);
    assert.equal(await ownerOf(id), heartbeat.name);
  });
});
