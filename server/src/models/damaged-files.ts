// Detects damaged files of a model: by the hashes that ship with it or came with its download, or by the checksums of a tuned model.
// The engine refuses them; this check reports them before a request does.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256OfFile } from '../files/sha256.ts';

/** Files that are missing or changed; undefined for a model without recorded checksums. */
export async function damagedFiles(folder: string): Promise<string[] | undefined> {
  const known = (await tunedSums(folder)) ?? (await hashesOf(folder));
  if (known === undefined) return undefined;
  const damaged: string[] = [];
  for (const [name, sum] of Object.entries(known))
    if ((await sha256OfFile(join(folder, name)).catch(() => undefined)) !== sum) damaged.push(name);
  return damaged;
}

async function tunedSums(folder: string): Promise<Record<string, string> | undefined> {
  if ((await readJson(join(folder, 'memory.json'))) === undefined) return undefined;
  return (await readJson(join(folder, 'checksums.json'))) ?? { 'checksums.json': '' };
}

/** Only files with a SHA-256: for small files a hub gives another hash, and their owner may change them. */
async function hashesOf(folder: string): Promise<Record<string, string> | undefined> {
  const files = (await readJson<{ files?: Record<string, string> }>(join(folder, 'lorekeep.json')))?.files;
  if (!files) return undefined;
  const named = Object.entries(files).map(([name, hash]) => [name, hash.split(':')] as const);
  return Object.fromEntries(named.flatMap(([name, [kind, hash]]) => (kind === 'sha256' && hash ? [[name, hash]] : [])));
}

async function readJson<Value = Record<string, string>>(file: string): Promise<Value | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
