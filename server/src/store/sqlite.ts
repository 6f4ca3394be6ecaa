// Adapter for SQLite by Node's own module: one file with a write-ahead log, synced at every commit, so that commits survive a power cut.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { ChangeWatch, Store } from './database.ts';
import { privateDatabase } from './private.ts';
import type { Tables } from './schema.ts';

/** Maximum wait of a write for the write lock of another process. */
const maxWaitMs = 15_000;
/** Maximum wait of a start for another process that creates or locks the same file. */
const maxOpeningMs = 10_000;

export function openSqlite(path: string): Store {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  privateDatabase(path);
  const database = new DatabaseSync(path, { timeout: maxOpeningMs, enableForeignKeyConstraints: true });
  enableWriteAheadLog(database);
  // Deleted rows are overwritten, not only freed. The log is truncated, since a killed process may have left them there.
  database.exec('pragma synchronous = full; pragma secure_delete = on; pragma wal_checkpoint(truncate)');
  // Later waits do not block: see #whenFree.
  database.exec('pragma busy_timeout = 20');
  const driver = new SqliteDriver(database);
  const db = new Kysely<Tables>({ dialect: dialect(driver) });
  return {
    engine: 'sqlite',
    db,
    direct: (sql, parameters) => driver.direct(sql, parameters),
    watch: watchChanges(database),
    purge: async () => {
      for (const end = performance.now() + maxWaitMs; performance.now() < end; await setTimeout(50)) {
        const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
        if (!rows[0]?.busy) return;
      }
    },
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Switches to the write-ahead log. SQLite refuses this at once, without its timeout, while another process begins to write. */
function enableWriteAheadLog(database: DatabaseSync): void {
  const end = performance.now() + maxOpeningMs;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (isBusy(error) && performance.now() < end) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        continue;
      }
      database.close();
      throw error;
    }
  }
}

/** The lowest byte of an SQLite result code is the primary code; the others refine it. */
const isBusy = (error: unknown): boolean => (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 5;

/**
 * `data_version` grows when another connection, of this process or another one, commits. Changes by this connection are announced.
 * Reading it costs microseconds.
 */
function watchChanges(database: DatabaseSync): ChangeWatch {
  const statement = database.prepare('pragma data_version');
  let announced = 0;
  let read: number | undefined;
  return {
    version: () => {
      // Read once per turn of the event loop, since the order of requests within a turn is not observable.
      if (read === undefined) {
        read = Number(statement.get()?.data_version);
        setImmediate(() => {
          read = undefined;
        });
      }
      return read + announced;
    },
    announce: async () => {
      announced++;
    },
  };
}

function dialect(driver: SqliteDriver): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => driver,
  };
}

/** A single connection, lent to one request at a time: a transaction never mixes with the queries of another request. */
class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  #last: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(database: DatabaseSync) {
    this.#connection = new SqliteConnection(database);
  }

  async init(): Promise<void> {}

  /** Undefined while a transaction of another request is open: the read then has to wait in the queue. */
  direct(sql: string, parameters: readonly unknown[]): unknown[] | undefined {
    return this.#connection.inTransaction ? undefined : this.#connection.read(sql, parameters);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    this.#release = resolve;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release?.();
  }

  // "Immediate" takes the write lock at the start, so that a transaction never fails half-way because another process writes.
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A failed commit (disk full) may have rolled back already.
    if (this.#connection.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  /** Cache of prepared statements by their text. The product has a small fixed set of queries. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const values = parameters as SQLInputValue[];
    return await this.#whenFree(() => {
      const statement = this.#prepare(sql);
      if (statement.columns().length > 0) return { rows: statement.all(...values) as Row[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    });
  }

  /** Retries while another process holds the write lock, without blocking the event loop. A transaction holds the lock already. */
  async #whenFree<T>(work: () => T): Promise<T> {
    const until = performance.now() + maxWaitMs;
    for (;;) {
      try {
        return work();
      } catch (error) {
        const busy = isBusy(error) && !this.inTransaction;
        if (!busy || performance.now() > until) throw error;
        await setTimeout(5 + Math.random() * 20);
      }
    }
  }

  read(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.#prepare(sql).all(...(parameters as SQLInputValue[]));
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      // Queries with lists of varying length would fill the cache.
      if (this.#statements.size >= 500) this.#statements.clear();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    for (const row of this.#database.prepare(sql).iterate(...(parameters as SQLInputValue[])))
      yield { rows: [row as Row] };
  }
}
