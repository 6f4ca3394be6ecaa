// Two servers over one database: each row is worked on by one of them, whatever their clocks say.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it, mock } from 'node:test';
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { Holding } from './holding.ts';
import { Presence } from './presence.ts';

onEveryDatabase('rows that servers hold', (make) => {
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

  /** A server of its own: a name, a connection, and what it holds. */
  async function server() {
    const store = await openStore(database.url);
    opened.push(store);
    const presence = new Presence(store);
    await presence.beat({ nodes: 1, slots: 1 });
    const holding = new Holding(store, presence, 'evaluations', { open: sql`status = 'running'` });
    const leave = async () => {
      await store.db.deleteFrom('servers').where('name', '=', presence.name).execute();
    };
    return { store, presence, holding, leave };
  }

  async function work(store: Store, rows: number, account: string): Promise<number[]> {
    const { id: account_id } = await store.db
      .insertInto('accounts')
      .values({ name: account, role: 'member', limits: '{}', created_at: 1, disabled_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: key_id } = await store.db
      .insertInto('keys')
      .values({ account_id, name: account, hash: account, hint: account, prefix: account, scopes: '[]', created_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const made = await store.db
      .insertInto('evaluations')
      .values(
        Array.from({ length: rows }, () => ({
          ...{ account_id, key_id, request: '{}', rows: 1, status: 'running' as const, created_at: 1 },
        })),
      )
      .returning('id')
      .execute();
    return made.map(({ id }) => id).sort((a, b) => a - b);
  }

  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b);

  it('are taken by one of those that ask at once, one of each account in turn', async () => {
    const servers = await Promise.all([server(), server(), server()]);
    const many = await work(servers[0]!.store, 12, 'many');
    const few = await work(servers[0]!.store, 2, 'few');
    const first = ids(await servers[0]!.holding.take(4, []));
    assert.deepEqual(first, [many[0], many[1], ...few]);
    const rest = await Promise.all(servers.map(({ holding }) => holding.take(12, first)));
    assert.deepEqual(ids(rest.flat()), many.slice(2));
  });

  it('stay with their server while it lives, though clocks jump by a day, and are free when it is gone', async () => {
    const [one, other] = [await server(), await server()];
    const all = await work(one.store, 2, 'someone');
    assert.deepEqual(ids(await one.holding.take(9, [])), all);
    const real = Date.now;
    for (const jump of [86_400_000, -86_400_000]) {
      mock.method(Date, 'now', () => real() + jump);
      assert.deepEqual(await other.holding.take(9, []), []);
      assert.deepEqual(await one.holding.kept(all), new Set(all));
    }
    await one.leave();
    assert.deepEqual(ids(await other.holding.take(9, [])), all);
    assert.deepEqual(await one.holding.kept(all), new Set());
    assert.equal(await one.store.db.transaction().execute((change) => one.holding.mine(change, all[0]!)), undefined);
  });

  it('that a server took without hearing of it are taken again; what it works on, or puts off, is not', async () => {
    const one = await server();
    const [busy, failed, unheard] = await work(one.store, 3, 'someone');
    await one.holding.take(9, []);
    one.holding.letGoLater(failed!, () => {});
    assert.deepEqual(ids(await one.holding.take(9, [busy!])), [unheard]);
    // It may be let go of a moment before it is laid down.
    await one.holding.letGo(busy!);
    assert.deepEqual(ids(await one.holding.take(9, [busy!])), [unheard]);
    await one.holding.release();
    assert.deepEqual(ids(await (await server()).holding.take(9, [])), [busy, failed, unheard]);
  });

  it('are nobody’s while their server is not known', async () => {
    const one = await server();
    await work(one.store, 1, 'someone');
    one.presence.forget();
    assert.deepEqual(await one.holding.take(9, []), []);
  });
});
