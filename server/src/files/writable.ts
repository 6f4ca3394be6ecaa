// Checks at a start that the folders of a home can be written. Otherwise the first to notice would be somebody who uploads a file.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/settings.ts';

/** Not used with object storage. */
const storedFolders = ['files', 'files/datasets', 'files/documents', 'vectors'];
const ownFolders = ['jobs', 'tuned', 'scratch'];
const remedy = 'or set LOREKEEP_HOME to another place';

/** The message has the reason and the remedy. */
export class UnwritableError extends Error {}

/** Throws for the first folder that cannot be written. Missing ones are made when they are needed. */
export async function refuseUnwritable({ home, storage }: Pick<Config, 'home' | 'storage'>): Promise<void> {
  for (const name of storage === 'folder' ? [...storedFolders, ...ownFolders] : ownFolders) {
    const path = join(home, name);
    const found = await stat(path).catch(({ code }: NodeJS.ErrnoException) => code);
    if (found === 'ENOENT') continue;
    if (typeof found === 'object' && !found.isDirectory())
      throw new UnwritableError(`${path} is a file, and a folder is needed there: move it away, ${remedy}.`);
    await access(path, constants.W_OK | constants.X_OK).catch(({ code }: NodeJS.ErrnoException) => {
      const [why, what] =
        code === 'EROFS'
          ? ['because its file system is read-only', 'mount it for writing']
          : [`by the user ${userInfo().username}`, 'change its owner and its rights'];
      throw new UnwritableError(`The folder ${path} cannot be written ${why}: ${what}, ${remedy}.`);
    });
  }
}
