// Stores folders as objects. The list of the files is written last, so a folder without its list does not exist. A folder is fetched as a
// whole, and each file is verified against the hash in the list.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { syncFolder } from '../../files/durable.ts';
import { isThere } from '../../files/read.ts';
import { sha256OfFile } from '../../files/sha256.ts';
import { damagedData } from '../checked.ts';
import type { StoredFolders } from '../stored-folders.ts';
import { type Bucket, forEachConcurrently } from './bucket.ts';
import { writeSyncedFile } from './write-synced-file.ts';
import { ObjectWriter } from './writer.ts';

/** Relative paths that do not leave the folder. A file name may contain line breaks. */
const relativePathPattern = /^(?!.*(^|\/)\.{1,2}(\/|$))[^/\0][^\0]*$/s;
const listSchema = z.object({
  format: z.literal(1),
  files: z.array(z.object({ path: z.string().regex(relativePathPattern), bytes: z.int(), sha256: z.string() })),
});
type List = z.infer<typeof listSchema>;

const listEnding = '.json';
/** Minimum age of an orphan: another server may be about to write the record of a younger folder. */
const minOrphanAgeMs = 86_400_000;
const sweepIntervalMs = 3_600_000;

export class S3Folders implements StoredFolders {
  readonly #bucket: Bucket;
  readonly #root: string;
  /** Description for messages: a tuned model, a job. */
  readonly #what: string;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(bucket: Bucket, kind: string, what: string) {
    this.#bucket = bucket;
    this.#root = `${kind}/`;
    this.#what = what;
  }

  #list(name: string): string {
    return `${this.#root}${name}${listEnding}`;
  }

  async store(name: string, folder: string, isWanted: (path: string) => boolean = () => true): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter(isWanted)
      .sort();
    // The folder of an earlier attempt is invalidated first, by removing its list. If there is no list, no removal is sent: a delayed
    // removal could delete the new list.
    if (await this.isStored(name)) await this.#bucket.remove(this.#list(name));
    const files: List['files'] = [];
    await forEachConcurrently(paths, async (path) => {
      files.push({ path, ...(await this.#send(join(folder, path), `${this.#root}${name}/${path}`)) });
    });
    const list: List = { format: 1, files: files.sort((one, other) => (one.path < other.path ? -1 : 1)) };
    await this.#bucket.put(this.#list(name), Buffer.from(JSON.stringify(list)));
  }

  async #send(file: string, key: string): Promise<{ bytes: number; sha256: string }> {
    const digest = createHash('sha256');
    const writer = new ObjectWriter(this.#bucket, key);
    let bytes = 0;
    try {
      for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
        digest.update(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        await writer.write(chunk as Buffer);
      }
      await writer.keep();
    } catch (error) {
      await writer.abort();
      throw error;
    }
    return { bytes, sha256: digest.digest('hex') };
  }

  async isStored(name: string): Promise<boolean> {
    return (await this.#bucket.size(this.#list(name))) !== undefined;
  }

  async differs(name: string, folder: string): Promise<boolean> {
    for (const { path, sha256 } of (await this.#listOf(name))?.files ?? []) {
      const file = join(folder, path);
      if (!(await isThere(file)) || (await sha256OfFile(file)) !== sha256) return true;
    }
    return false;
  }

  async fetch(name: string, target: string, draft: string): Promise<boolean> {
    const list = await this.#listOf(name);
    if (!list) return false;
    try {
      await mkdir(draft, { recursive: true, mode: 0o700 });
      await forEachConcurrently(list.files, async (file) => await this.#fetchFile(name, file, draft));
      await rename(draft, target).catch(async (error) => {
        // Another request, or another server on this home, has fetched it.
        if (!(await isThere(target))) throw error;
      });
      await syncFolder(dirname(target));
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    return true;
  }

  async #fetchFile(name: string, { path, bytes, sha256 }: List['files'][number], draft: string): Promise<void> {
    const file = join(draft, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const found = await writeSyncedFile(file, this.#bucket.read(`${this.#root}${name}/${path}`)).catch((error) => {
      throw error.code === 'ENOENT' ? this.#damaged(name, `its file ${path} is missing in the storage`, error) : error;
    });
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw this.#damaged(name, `its file ${path} in the storage does not match its checksum`);
  }

  #damaged(name: string, reason: string, cause?: unknown) {
    return damagedData({ what: this.#what, name }, reason, cause);
  }

  async #listOf(name: string): Promise<List | undefined> {
    try {
      return listSchema.parse(JSON.parse(await this.#bucket.text(this.#list(name))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      if (error instanceof z.ZodError || error instanceof SyntaxError)
        throw this.#damaged(name, 'the list of its files in the storage cannot be read', error);
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await this.#bucket.remove(this.#list(name));
    await this.#bucket.removeAll(`${this.#root}${name}/`);
  }

  async problem(name: string): Promise<string | undefined> {
    const list = await this.#listOf(name);
    if (!list) return `The ${this.#what} ${name} is damaged: it is not in the storage.`;
    const sizes = new Map<string, number>();
    for await (const item of this.#bucket.list(`${this.#root}${name}/`)) sizes.set(item.name, item.bytes);
    const bad = list.files.find(({ path, bytes }) => sizes.get(`${this.#root}${name}/${path}`) !== bytes);
    return (
      bad &&
      `The ${this.#what} ${name} is damaged: its file ${bad.path} is missing in the storage, or has another size.`
    );
  }

  async sweep(recorded: (names: string[]) => Promise<Set<string>>, now = Date.now()): Promise<number> {
    if (performance.now() - this.#sweptAt < sweepIntervalMs) return 0;
    this.#sweptAt = performance.now();
    const newest = new Map<string, number>();
    for await (const { name, modified } of this.#bucket.list(this.#root)) {
      const [first = ''] = name.slice(this.#root.length).split('/');
      const folder = first.endsWith(listEnding) ? first.slice(0, -listEnding.length) : first;
      newest.set(folder, Math.max(newest.get(folder) ?? 0, modified));
    }
    const old = [...newest].filter(([, modified]) => now - modified > minOrphanAgeMs).map(([name]) => name);
    const known = await recorded(old);
    const orphans = old.filter((name) => !known.has(name));
    for (const name of orphans) await this.remove(name);
    for await (const { name, id, begun } of this.#bucket.uploads(this.#root))
      if (now - begun > minOrphanAgeMs) await this.#bucket.abort(name, id);
    return orphans.length;
  }
}
