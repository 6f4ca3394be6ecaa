// PostgreSQL: for several servers over one database.
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Store } from './database.ts';
import type { Tables } from './schema.ts';

// 64-bit integers as numbers: ids, bytes and milliseconds stay far below 2^53.
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
  // A connection that the database closes is replaced at the next query, and the query on it fails by itself; without listeners, idle or in
  // use, it would end the process.
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
    // Another server may change a key at any moment, and word of it would come milliseconds too late: callers are read anew each time.
    watch: { version: () => undefined, announce: async () => {} },
    close: async () => {
      await db.destroy();
    },
  };
}
