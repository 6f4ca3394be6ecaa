// Hash of a model's folder, computed over the checksums that the engine wrote for its files.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sha256OfFile } from '../files/sha256.ts';

const checksumsFile = 'checksums.json';

/** Undefined if there is no folder. A model without checksums, from an earlier version, is read completely. */
export async function modelHash(folder: string): Promise<string | undefined> {
  const said = await readFile(join(folder, checksumsFile)).catch(() => undefined);
  if (said) return createHash('sha256').update(said).digest('hex');
  return await filesHash(folder);
}

/** Whether every file matches its checksum. */
export async function isWhole(folder: string): Promise<boolean> {
  const said = await readFile(join(folder, checksumsFile), 'utf8').catch(() => undefined);
  if (said === undefined) return true;
  for (const [name, wanted] of Object.entries(JSON.parse(said) as Record<string, string>))
    if ((await sha256OfFile(join(folder, name)).catch(() => '')) !== wanted) return false;
  return true;
}

async function filesHash(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => undefined);
  if (!entries) return undefined;
  const digest = createHash('sha256');
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) digest.update(`${relative(folder, file)} ${await sha256OfFile(file)}\n`);
  return digest.digest('hex');
}
