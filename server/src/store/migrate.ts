// Migrates the schema at start. Safe if several servers start at once; refuses a database that is newer than the program.
import { type Kysely, sql } from 'kysely';
import type { Engine } from './database.ts';
import { type Migration, migrations as released } from './migrations.ts';

export class NewerDatabaseError extends Error {}

/** Applies all missing migrations in one transaction, so that a killed start leaves the old schema. */
export async function migrate<T>(db: Kysely<T>, engine: Engine, migrations: Migration[] = released): Promise<number> {
  return await db.transaction().execute(async (transaction) => {
    // On SQLite, the transaction takes the only write lock ("begin immediate"). On PostgreSQL, an advisory lock does the same.
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(7305214433)`.execute(transaction);
    await sql`create table if not exists schema_versions (version integer primary key, name text not null, applied_at bigint not null)`.execute(
      transaction,
    );

    const current = await knownVersion(transaction, migrations.length);
    for (const [index, migration] of migrations.entries()) {
      if (index < current) continue;
      await migration.up(transaction as unknown as Kysely<never>, engine);
      await sql`insert into schema_versions (version, name, applied_at) values (${index + 1}, ${migration.name}, ${Date.now()})`.execute(
        transaction,
      );
    }
    return migrations.length - current;
  });
}

/** The version of the schema. Throws if it is newer than the program. */
async function knownVersion<T>(db: Kysely<T>, newest: number): Promise<number> {
  const { rows } = await sql<{ version: number | null }>`select max(version) as version from schema_versions`.execute(
    db,
  );
  const current = rows[0]?.version ?? 0;
  if (current > newest) {
    throw new NewerDatabaseError(
      `The database has schema version ${current}, but this program knows only up to ${newest}. ` +
        'It was written by a newer Lorekeep: start that one, or restore a backup made before the upgrade.',
    );
  }
  return current;
}

/** Throws what a start would throw, and changes nothing. A transaction, since a database that cannot be written is refused as well. */
export async function checkVersion<T>(db: Kysely<T>): Promise<void> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'schema_versions')) return;
  await db.transaction().execute(async (transaction) => {
    await knownVersion(transaction, released.length);
  });
}
