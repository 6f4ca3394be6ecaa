// Guarantees of the store on every kind of database.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { emptySqlite, onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { isUniqueViolation } from './database.ts';
import { migrate, NewerDatabaseError } from './migrate.ts';
import { migrations } from './migrations.ts';
import { openStore } from './open.ts';

onEveryDatabase('store', (make) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await make('new');
  });
  afterEach(async () => await database.drop());

  const account = (name: string) => ({ name, role: 'member' as const, limits: '{}', created_at: 1, disabled_at: null });

  it('creates the schema in an empty database, and keeps it at the next start', async () => {
    const first = await openStore(database.url);
    await first.db.insertInto('accounts').values(account('kept')).execute();
    await first.close();
    const second = await openStore(database.url);
    assert.equal(await migrate(second.db, second.engine), 0);
    assert.deepEqual(
      (await second.db.selectFrom('accounts').select('name').execute()).map(({ name }) => name),
      ['kept'],
    );
    await second.close();
  });

  it('applies each migration once when many servers start at once', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(database.url)));
    const { rows } = await sql<{ version: number }>`select version from schema_versions order by version`.execute(
      stores[0]!.db,
    );
    assert.deepEqual(
      rows.map(({ version }) => version),
      migrations.map((_, index) => index + 1),
    );
    await Promise.all(stores.map((store) => store.close()));
  });

  it('refuses a database that is newer than the program, with the remedy', async () => {
    const store = await openStore(database.url);
    await sql`insert into schema_versions (version, name, applied_at) values (999, 'from the future', 0)`.execute(
      store.db,
    );
    await store.close();
    await assert.rejects(openStore(database.url), (error: Error) => {
      assert.ok(error instanceof NewerDatabaseError);
      assert.match(error.message, /version 999.*newer Lorekeep/s);
      return true;
    });
  });

  it('leaves the old schema when a migration fails half-way', async () => {
    const store = await openStore(database.url);
    const broken = {
      name: 'broken',
      up: async (db: Parameters<(typeof migrations)[number]['up']>[0]) => {
        await db.schema.createTable('half').addColumn('id', 'integer').execute();
        throw new Error('power cut');
      },
    };
    await assert.rejects(migrate(store.db, store.engine, [...migrations, broken]), /power cut/);
    await assert.rejects(sql`select * from half`.execute(store.db));
    assert.equal(await migrate(store.db, store.engine), 0);
    await store.close();
  });

  it('rolls back a transaction that throws, and stays usable', async () => {
    const store = await openStore(database.url);
    await assert.rejects(
      store.db.transaction().execute(async (transaction) => {
        await transaction.insertInto('accounts').values(account('gone')).execute();
        throw new Error('no');
      }),
    );
    await store.db.insertInto('accounts').values(account('there')).execute();
    assert.deepEqual(
      (await store.db.selectFrom('accounts').select('name').execute()).map(({ name }) => name),
      ['there'],
    );
    await store.close();
  });

  it('isolates transactions of concurrent requests', async () => {
    const store = await openStore(database.url);
    const { id } = await store.db.insertInto('accounts').values(account('0')).returning('id').executeTakeFirstOrThrow();
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.db.transaction().execute(async (transaction) => {
          const read = transaction.selectFrom('accounts').select('name').where('id', '=', id);
          const { name } = await (store.engine === 'postgres' ? read.forUpdate() : read).executeTakeFirstOrThrow();
          await new Promise((resolve) => setImmediate(resolve));
          await transaction
            .updateTable('accounts')
            .set({ name: String(Number(name) + 1) })
            .where('id', '=', id)
            .execute();
        }),
      ),
    );
    assert.equal((await store.db.selectFrom('accounts').select('name').executeTakeFirstOrThrow()).name, '20');
    await store.close();
  });

  it('distinguishes a unique violation from other failures', async () => {
    const store = await openStore(database.url);
    await store.db.insertInto('accounts').values(account('one')).execute();
    await assert.rejects(store.db.insertInto('accounts').values(account('one')).execute(), (error) =>
      isUniqueViolation(error),
    );
    await assert.rejects(sql`select * from nowhere`.execute(store.db), (error) => !isUniqueViolation(error));
    await store.close();
  });

  it('detects changes of keys and accounts by another connection', async () => {
    const [here, there] = [await openStore(database.url), await openStore(database.url)];
    const before = here.watch.version();
    await there.db.insertInto('accounts').values(account('new')).execute();
    await there.watch.announce();
    await new Promise((resolve) => setImmediate(resolve));
    const after = here.watch.version();
    assert.ok(after === undefined || after !== before);
    await Promise.all([here.close(), there.close()]);
  });

  it('stores numbers beyond 32 bits', async () => {
    const store = await openStore(database.url);
    const created_at = 4_102_444_800_123;
    await store.db
      .insertInto('accounts')
      .values({ ...account('late'), created_at })
      .execute();
    assert.equal(
      (await store.db.selectFrom('accounts').select('created_at').executeTakeFirstOrThrow()).created_at,
      created_at,
    );
    await store.close();
  });
});

describe('SQLite', () => {
  it('leaves no deleted data in its files after a purge', async () => {
    const database = await emptySqlite();
    const [store, reader] = [await openStore(database.url), await openStore(database.url)];
    const folder = dirname(database.url.slice('sqlite:'.length));
    const holding = async () => {
      const names = await readdir(folder);
      const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
      return names.filter((_, at) => files[at]!.includes('xylophonist'));
    };
    for (let at = 0; at < 50; at++)
      await store.db
        .insertInto('accounts')
        .values({
          ...{ name: `${'xylophonist '.repeat(200)}${at}`, role: 'member', limits: '{}' },
          ...{ created_at: 1, disabled_at: null },
        })
        .execute();
    assert.notDeepEqual(await holding(), []);
    // Another connection reads concurrently.
    await reader.db.selectFrom('accounts').select('id').execute();
    await store.db.deleteFrom('accounts').where('name', 'like', 'xylophonist%').execute();
    await store.purge!();
    assert.deepEqual(await holding(), []);
    await Promise.all([store.close(), reader.close()]);
    await database.drop();
  });
});
