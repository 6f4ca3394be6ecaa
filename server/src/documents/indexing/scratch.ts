// Scratch folders for unpacking, one per reader and server process, with unique names. A killed server leaves hard links to stored
// files in them, which would keep deleted files on disk, so these folders are swept.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, newInstance } from '../../leases/instance-id.ts';

const instance = newInstance();
let count = 0;

export const newScratch = (root: string) => join(root, `${instance}-${(count++).toString(36)}`);

/** Removes the folders of dead servers; several servers may share the root. */
export async function sweepScratch(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const folder = join(root, name);
    const owner = name.slice(0, name.lastIndexOf('-'));
    if (!isAlive(owner, instance, await lastWrite(folder))) await rm(folder, { recursive: true, force: true });
  }
}

/** Time of the last write in a folder, which changes with every file that is read in one of its subfolders. */
async function lastWrite(folder: string): Promise<number> {
  const inside = await readdir(folder).catch(() => []);
  const places = [folder, ...inside.map((name) => join(folder, name))];
  const written = await Promise.all(places.map(async (place) => (await stat(place).catch(() => undefined))?.mtimeMs));
  return Math.max(...written.map((time) => time ?? 0));
}
