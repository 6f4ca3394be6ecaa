// Slot time: all time that a job holds its slots is counted exactly once on the key that made it, whatever happens to its servers.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import type { Store } from '../../store/database.ts';
import { openStore } from '../../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../../testing/databases.ts';
import { newJob } from '../../testing/records.ts';
import { startServer, type TestServer } from '../../testing/server.ts';
import { until } from '../../testing/until.ts';
import { JobCommands } from '../job-commands.ts';
import { JobStore } from './job-store.ts';
import { countSlotTime } from './slot-time.ts';
import { type Job, lockJob } from './transition.ts';

onEveryDatabase('slot time', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  let store: Store;
  let jobStore: JobStore;
  let jobCommands: JobCommands;
  beforeEach(async () => {
    database = await make();
    server = await startServer({ database_url: database.url });
    store = await openStore(database.url);
    jobStore = new JobStore(store);
    jobCommands = new JobCommands(store);
  });
  afterEach(async () => {
    await store.close();
    await server.end();
    await database.drop();
  });

  async function jobOf(accountId: number, keyId: number): Promise<number> {
    return await jobCommands.create(newJob({ name: `job of ${keyId}`, accountId, keyId, gpus: 2 }));
  }

  async function started(owner: string): Promise<Job> {
    const claimed = await jobStore.claim(
      owner,
      4,
      () => true,
      () => [],
      { shared: false },
    );
    assert.equal(claimed.started.length, 1);
    return claimed.started[0]!;
  }

  async function keyOf(secret: string): Promise<number> {
    const { keys } = (await server.call('GET', '/v1/keys', { key: secret })).body;
    return keys[0].id;
  }

  it('is counted for each slot on the key that made the job, once even if it is reported repeatedly', async () => {
    const { id: account, key } = await server.member('Alice');
    const keyId = await keyOf(key);
    const used = async () => (await server.call('GET', '/v1/usage', { key })).body;
    const id = await jobOf(account, keyId);
    await started('one');
    await jobStore.count('one', id, 3000);
    await jobStore.count('one', id, 3000);
    await jobStore.count('one', id, 1000);
    await jobStore.count('other', id, 9000);
    const { usage, total } = await used();
    const { day, key_name, ...row } = usage[0];
    assert.deepEqual(
      [usage.length, row, total.slot_seconds],
      [
        1,
        {
          key_id: keyId,
          model_name: 'lorekeep/quill',
          requests: 0,
          prompt_tokens: 0,
          completion_tokens: 0,
          slot_seconds: 6,
        },
        6,
      ],
    );
  });

  it('continues from the counted time when another server takes over the job', async () => {
    const { id: account, key } = await server.member('Alice');
    const used = async () => (await server.call('GET', '/v1/usage', { key })).body.total.slot_seconds;
    const id = await jobOf(account, await keyOf(key));
    await started('one');
    await jobStore.count('one', id, 3000);
    await jobStore.leave('one', 'it is gone', false);
    assert.equal((await started('other')).ran, 3000);
    await jobStore.count('one', id, 8000);
    assert.equal(await used(), 6);
    await jobStore.requeue('other', id, 'others come first', 4500);
    assert.equal(await used(), 9);
    await started('other');
    await jobCommands.cancel(account, id);
    await jobStore.release('other', id, 5500);
    assert.equal(await used(), 11);
  });

  it('is counted while the account resumes the job', async () => {
    const { id: account, key } = await server.member('Alice');
    const id = await jobOf(account, await keyOf(key));
    await started('one');
    await jobCommands.cancel(account, id);
    const resumed = await store.db.transaction().execute(async (change) => {
      const job = (await lockJob(store, change, id))!;
      const resuming = jobCommands.resume(account, id, null, 'nobody').then(() => undefined);
      if (store.engine === 'postgres') await until('the command waits for the job', async () => await isWaited(store));
      await countSlotTime(change, job, 1000);
      return { resuming };
    });
    assert.equal(await resumed.resuming, undefined);
    assert.equal((await server.call('GET', '/v1/usage', { key })).body.total.slot_seconds, 2);
    assert.equal((await server.call('GET', `/v1/train/jobs/${id}`, { key })).body.status, 'QUEUED');
  });

  it('does not fail if the account was deleted meanwhile', async () => {
    const { id: account, key } = await server.member('Alice');
    const id = await jobOf(account, await keyOf(key));
    await started('one');
    await server.call('DELETE', `/v1/accounts/${account}`);
    await jobStore.count('one', id, 1000);
    assert.equal((await server.call('GET', '/v1/usage')).body.total.slot_seconds, 0);
  });
});

/** Whether a transaction of this database waits for a row that another one holds. */
async function isWaited(store: Store): Promise<boolean> {
  const waiting = sql<{ n: string }>`select count(*) as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return Number((await waiting.execute(store.db)).rows[0]!.n) > 0;
}
