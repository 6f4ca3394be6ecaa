// Port of the store: typed queries that run on every database.
import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

export type Engine = 'sqlite' | 'postgres';

/** An open database. */
export interface Store {
  engine: Engine;
  db: Kysely<Tables>;
  /** Runs a read synchronously, outside any transaction, if the database supports it; undefined if it cannot at the moment. */
  direct?: (sql: string, parameters: readonly unknown[]) => unknown[] | undefined;
  /** Detects whether keys or accounts may have changed, here, in another process or on another server. Cheap to call. */
  watch: ChangeWatch;
  /** Removes deleted data from the files of the database. Undefined for a database server, which manages its own files. */
  purge?: () => Promise<void>;
  close(): Promise<void>;
}

export interface ChangeWatch {
  /** Differs after every possible change of keys or accounts; undefined if the database cannot tell. */
  version(): number | undefined;
  /** Reports that keys or accounts were changed through this store. */
  announce(): Promise<void>;
}

/** Whether a write was refused because a row with this unique value exists. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return code === '23505' || errcode === 2067 || errcode === 1555;
}

/** Whether the database is unavailable: gone, starting, out of connections, or locked by another writer for too long. */
export function isUnavailable(error: unknown): boolean {
  const { code = '', errcode, message = '' } = (error ?? {}) as { code?: string; errcode?: number; message?: string };
  return (
    errcode === 5 ||
    /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EPIPE|57P0[1-3]|08...|3D000|53300)$/.test(code) ||
    /^(Connection terminated|timeout exceeded when trying to connect)/.test(message)
  );
}
