// Row leases of several servers on one database: only one of them works on a row, regardless of their clocks.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it, mock } from 'node:test';
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { accountRecord } from '../testing/records.ts';
import { Heartbeat } from './heartbeat.ts';
import { RowLease } from './row-lease.ts';

onEveryDatabase('leased rows', (make) => {
  let database: TestDatabase;
  const opened: Store[] = [];

  beforeEach(async () => {
    database = await make();
  });
  afterEach(async () => {
    mock.restoreAll();
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await database.drop();
  });

  /** An independent server: a name, a connection, and its leases. */
  async function server() {
    const store = await openStore(database.url);
    opened.push(store);
    const heartbeat = new Heartbeat(store);
    await heartbeat.beat({ nodes: 1, slots: 1 });
    const lease = new RowLease(store, heartbeat, 'evaluations', { open: sql`status = 'running'` });
    const leave = async () => {
      await store.db.deleteFrom('servers').where('name', '=', heartbeat.name).execute();
    };
    return { store, heartbeat, lease, leave };
  }

  async function work(store: Store, rows: number, account: string): Promise<number[]> {
    const { account: account_id, key: key_id } = await accountRecord(store, account);
    const inserted = await store.db
      .insertInto('evaluations')
      .values(
        Array.from({ length: rows }, () => ({
          ...{ account_id, key_id, request: '{}', rows: 1, status: 'running' as const, created_at: 1 },
        })),
      )
      .returning('id')
      .execute();
    return inserted.map(({ id }) => id).sort((a, b) => a - b);
  }

  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b);

  it('are claimed once by concurrent servers, round robin over accounts', async () => {
    const servers = await Promise.all([server(), server(), server()]);
    const many = await work(servers[0]!.store, 12, 'many');
    const few = await work(servers[0]!.store, 2, 'few');
    const first = ids(await servers[0]!.lease.claim(4, []));
    assert.deepEqual(first, [many[0], many[1], ...few]);
    const rest = await Promise.all(servers.map(({ lease }) => lease.claim(12, first)));
    assert.deepEqual(ids(rest.flat()), many.slice(2));
  });

  it('stay leased through clock jumps of a day while the server is alive, and are free after its death', async () => {
    const [one, other] = [await server(), await server()];
    const all = await work(one.store, 2, 'someone');
    assert.deepEqual(ids(await one.lease.claim(9, [])), all);
    const real = Date.now;
    for (const jump of [86_400_000, -86_400_000]) {
      mock.method(Date, 'now', () => real() + jump);
      assert.deepEqual(await other.lease.claim(9, []), []);
      assert.deepEqual(await one.lease.stillOwned(all), new Set(all));
    }
    await one.leave();
    assert.deepEqual(ids(await other.lease.claim(9, [])), all);
    assert.deepEqual(await one.lease.stillOwned(all), new Set());
    assert.equal(await one.store.db.transaction().execute((change) => one.lease.lock(change, all[0]!)), undefined);
  });

  it('are claimed again if the server has lost track of them, but not while it works on them or backs off', async () => {
    const one = await server();
    const [busy, failed, unheard] = await work(one.store, 3, 'someone');
    await one.lease.claim(9, []);
    one.lease.releaseLater(failed!, () => {});
    assert.deepEqual(ids(await one.lease.claim(9, [busy!])), [unheard]);
    // The lease may be released a moment before the work ends.
    await one.lease.release(busy!);
    assert.deepEqual(ids(await one.lease.claim(9, [busy!])), [unheard]);
    await one.lease.releaseAll();
    assert.deepEqual(ids(await (await server()).lease.claim(9, [])), [busy, failed, unheard]);
  });

  it('are not claimed by a server that is not registered', async () => {
    const one = await server();
    await work(one.store, 1, 'someone');
    one.heartbeat.forget();
    assert.deepEqual(await one.lease.claim(9, []), []);
  });
});
