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

    const { rows } = await sql<{ version: number | null }>`select max(version) as version from schema_versions`.execute(
      transaction,
    );
    const current = rows[0]?.version ?? 0;
    if (current > migrations.length) {
      throw new NewerDatabaseError(
        `The database has schema version ${current}, but this program knows only up to ${migrations.length}. ` +
          'It was written by a newer Lorekeep: start that one, or restore a backup made before the upgrade.',
      );
    }
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
