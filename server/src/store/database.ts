// The port of the store: typed queries that work on each database.
import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

export type Engine = 'sqlite' | 'postgres';

/** A database that is open. */
export interface Store {
  engine: Engine;
  db: Kysely<Tables>;
  /** Runs a read at once where the database can, outside any transaction; undefined when it cannot right now. */
  direct?: (sql: string, parameters: readonly unknown[]) => unknown[] | undefined;
  /** Tells whether keys or accounts may have changed, here, in another process or on another server. Asking costs next to nothing. */
  watch: ChangeWatch;
  /** After a deletion: what was deleted is not left in the files of the database, where these are ours. A database server sees to its own. */
  purge?: () => Promise<void>;
  close(): Promise<void>;
}

export interface ChangeWatch {
  /** Changes with every possible change of keys or accounts; undefined where the database cannot tell. */
  version(): number | undefined;
  /** Says that keys or accounts changed through this very store. */
  announce(): Promise<void>;
}

/** Was a write refused because something with this name is there already? */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return code === '23505' || errcode === 2067 || errcode === 1555;
}

/** Can the database not be asked right now: gone, starting, out of connections, or held by another writer for too long? */
export function isUnavailable(error: unknown): boolean {
  const { code = '', errcode, message = '' } = (error ?? {}) as { code?: string; errcode?: number; message?: string };
  return (
    errcode === 5 ||
    /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EPIPE|57P0[1-3]|08...|3D000|53300)$/.test(code) ||
    /^(Connection terminated|timeout exceeded when trying to connect)/.test(message)
  );
}
