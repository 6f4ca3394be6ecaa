// Redacts texts of erased facts in the folders of an account's jobs: events, logs and specifications. Each text is
// overwritten in place with the same number of bytes, since servers keep offsets into these files.
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasResult, isOver } from '@lorekeep/contract';
import type { Store } from '../store/database.ts';
import type { JobFolders } from '../tuning/job-folders.ts';
import { type ErasedFact, formsOf } from './erased-text.ts';

const maxFileBytes = 256 << 20;
const endings = /\.(ndjson|jsonl|json|log|md)$/;
const fillByte = '*'.charCodeAt(0);

/** Returns the number of changed files. */
export async function eraseInJobs(
  { db }: Store,
  folders: JobFolders,
  accountId: number,
  facts: ErasedFact[],
): Promise<number> {
  const jobs = await db
    .selectFrom('tuning_jobs')
    .select(['name', 'status'])
    .where('account_id', '=', accountId)
    .execute();
  // A short answer alone may belong to another fact; in a file with its question it belongs to the erased one.
  const forms = facts.map(({ input, output }) => ({ input: formsOf(input), output: formsOf(output) }));
  let count = 0;
  for (const { name, status } of jobs) {
    // A running job still needs its facts.
    if (!isOver(status)) continue;
    const folder = folders.job(name);
    // A job without a result can be resumed on any server, so its facts are kept.
    const isKept = !hasResult(status);
    if (isKept) await folders.bring(name);
    const before = count;
    const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
    for (const entry of entries)
      if (entry.isFile() && endings.test(entry.name) && (await overwritten(join(entry.parentPath, entry.name), forms)))
        count++;
    if (isKept) await folders.keepErased(name, count > before);
  }
  return count;
}

async function overwritten(path: string, forms: { input: Buffer[]; output: Buffer[] }[]): Promise<boolean> {
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes || bytes.length > maxFileBytes) return false;
  const places: [number, number][] = [];
  for (const { input, output } of forms) {
    const asked = placesOf(bytes, input);
    if (asked.length > 0) places.push(...asked, ...placesOf(bytes, output));
  }
  if (places.length === 0) return false;
  const file = await open(path, 'r+');
  try {
    for (const [at, length] of places) await file.write(Buffer.alloc(length, fillByte), 0, length, at);
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

function placesOf(bytes: Buffer, forms: Buffer[]): [number, number][] {
  const places: [number, number][] = [];
  for (const form of forms)
    for (let at = bytes.indexOf(form); form.length > 0 && at >= 0; at = bytes.indexOf(form, at + form.length))
      places.push([at, form.length]);
  return places;
}
