// Files and folders that other users of the machine may not read. New ones are made so; older ones may come from a home that was open.
import { chmodSync, closeSync, existsSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';

const others = 0o077;

/** Removes group and other permissions; returns whether there were any. Links and files of other users are unchanged. */
export function makePrivate(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isSymbolicLink() || (found.mode & others) === 0) return false;
  try {
    chmodSync(path, found.mode & 0o700);
    return true;
  } catch (error) {
    if (['EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** A database is private before SQLite writes the first page; its log and index are made with the rights that it has. */
export function privateDatabase(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) makePrivate(file);
}

/**
 * Folders that a server keeps in its home. Models of a hub may be shared with other programs on purpose, and so may
 * the home itself.
 */
const folders = ['files', 'jobs', 'tuned', 'vectors', 'scratch'];

/** Answers the paths that were open. */
export function privateHome(home: string, settingsFile: string): string[] {
  return [...folders.map((name) => join(home, name)), settingsFile].filter(makePrivate);
}
