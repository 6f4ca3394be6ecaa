// The folders that readers unpack in, one for each reader of each life of a server, by names that never come again. What a killed server leaves in
// them are also links to stored files: they are swept, or they would keep what was removed for good.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, newInstance } from '../../leases/instance-id.ts';

const life = newInstance();
let count = 0;

export const newScratch = (root: string) => join(root, `${life}-${(count++).toString(36)}`);

/** Removes the folders of servers that are gone; several may share the root. */
export async function sweepScratch(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const folder = join(root, name);
    const owner = name.slice(0, name.lastIndexOf('-'));
    if (!isAlive(owner, life, await lastWrite(folder))) await rm(folder, { recursive: true, force: true });
  }
}

/** Every file that is read comes and goes in one of the folders inside. */
async function lastWrite(folder: string): Promise<number> {
  const inside = await readdir(folder).catch(() => []);
  const places = [folder, ...inside.map((name) => join(folder, name))];
  const written = await Promise.all(places.map(async (place) => (await stat(place).catch(() => undefined))?.mtimeMs));
  return Math.max(...written.map((time) => time ?? 0));
}
