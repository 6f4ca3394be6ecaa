// Files and folders that other users of the machine may not read. New ones are created private; an older home may have open ones.
import { chmodSync, closeSync, existsSync, lstatSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';

const groupAndOtherBits = 0o077;

/** Removes group and other permissions; returns whether there were any. Links and files of other users are unchanged. */
export function makePrivate(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isSymbolicLink() || (found.mode & groupAndOtherBits) === 0) return false;
  try {
    chmodSync(path, found.mode & 0o7777 & ~groupAndOtherBits);
    return true;
  } catch (error) {
    if (['EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Makes a database private before SQLite writes the first page. SQLite creates its log and index with the same permissions. */
export function privateDatabase(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  // A folder is refused when it is opened, and stays as it is.
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    if (existsSync(file) && statSync(file).isFile()) makePrivate(file);
}

/** Private folders in the home of a server. Hub models, and the home itself, may be shared with other programs on purpose. */
const privateFolders = ['files', 'jobs', 'tuned', 'vectors', 'scratch'];

/** Makes the files of a home private; returns the paths that were not. */
export function privateHome(home: string, settingsFile: string): string[] {
  return [...privateFolders.map((name) => join(home, name)), settingsFile].filter(makePrivate);
}
