// Messages for a database that does not open at a start: one sentence each, with the path and the remedy, for people on the
// host.
import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** The URL of the database without its password, for messages. */
export const shownDatabase = (url: string): string =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : url.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1@');

const another = 'set LOREKEEP_HOME or LOREKEEP_DATABASE_URL to another place';
const backup = 'Restore a backup: docs/guide/operating.md.';

/** Undefined if the error is not one of an SQLite file. */
export function sqliteProblem(url: string, error: unknown): string | undefined {
  const { code, errcode = 0, message } = (error ?? {}) as { code?: string; errcode?: number; message?: string };
  if (code !== 'ERR_SQLITE_ERROR' || !url.startsWith('sqlite:')) return undefined;
  const path = shownDatabase(url);
  if (existsSync(path) && statSync(path).isDirectory())
    return `The database ${path} is a folder: move it away, or ${another}.`;
  // The lowest byte of an SQLite result code is the primary code; the others refine it.
  switch (errcode & 0xff) {
    case 5:
    case 6:
      return `The database ${path} is held by another program: end it, then start again.`;
    case 8:
    case 14:
    case 23:
      return `The database ${path} cannot be written by the user ${userInfo().username}: change the owner and the rights of ${dirname(path)}, or ${another}.`;
    case 10:
      return `The database ${path} cannot be read from the disk (${message}): check the disk. ${backup}`;
    case 11:
      return `The database ${path} is damaged (${message}). ${backup}`;
    case 13:
      return `The disk of the database ${path} is full: free some space, or ${another}.`;
    case 26:
      return `The file ${path} is not an SQLite database, or is damaged. ${backup}`;
    default:
      return `The database ${path} cannot be used: ${message}. ${backup}`;
  }
}
