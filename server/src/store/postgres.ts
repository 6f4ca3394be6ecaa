// PostgreSQL: for several servers over one database.
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { ChangeWatch, Store } from './database.ts';
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
  // An idle connection that the database closes is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const watch = new Listener(url, () => db);
  try {
    await sql`select 1`.execute(db);
    await watch.start();
  } catch (error) {
    await watch.stop();
    await db.destroy();
    throw error;
  }
  return {
    engine: 'postgres',
    db,
    watch,
    close: async () => {
      await watch.stop();
      await db.destroy();
    },
  };
}

/** Hears what other servers announce. While it cannot hear, it says so, and nothing that was read before is trusted. */
class Listener implements ChangeWatch {
  readonly #url: string;
  readonly #db: () => Kysely<Tables>;
  #client: pg.Client | undefined;
  #hearing = false;
  #version = 0;
  #stopped = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(url: string, db: () => Kysely<Tables>) {
    this.#url = url;
    this.#db = db;
  }

  version(): number | undefined {
    return this.#hearing ? this.#version : undefined;
  }

  async announce(): Promise<void> {
    this.#version++;
    await sql`notify lorekeep_access`.execute(this.#db());
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      application_name: 'lorekeep listener',
    });
    this.#client = client;
    client.on('notification', () => this.#version++);
    client.on('error', () => {});
    client.on('end', () => this.#lost(client));
    await client.connect();
    await client.query('listen lorekeep_access');
    this.#version++;
    this.#hearing = true;
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#hearing = false;
    if (this.#stopped || this.#retry) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.start().catch(() => this.#client && this.#lost(this.#client));
    }, 1000);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#hearing = false;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => {});
  }
}
