// Adapter for PostgreSQL, which several servers can share.
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Store } from './database.ts';
import type { Tables } from './schema.ts';

// Parses 64-bit integers as numbers: ids, bytes and milliseconds stay far below 2^53.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

export async function openPostgres(url: string): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: 10,
    connectionTimeoutMillis: 10_000,
    application_name: 'lorekeep',
    keepAlive: true,
  });
  // The pool replaces a connection that the database closes, and a query on it fails. Without these listeners, for idle connections and
  // those in use, the error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    engine: 'postgres',
    db,
    // Another server may change a key at any time, and a notification would arrive milliseconds late, so callers are never cached.
    watch: { version: () => undefined, announce: async () => {} },
    close: async () => {
      await db.destroy();
    },
  };
}
