// Adapter for blobs as objects of a bucket, with the same names as the files of the folder adapter.
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newInstance } from '../../leases/instance-id.ts';
import type { Blobs, Draft, LocalFile } from '../blobs.ts';
import { isAbandoned, nameOfDraft, unknownNames } from '../drafts.ts';
import { type Bucket, forEachConcurrently } from './bucket.ts';
import { writeSyncedFile } from './write-synced-file.ts';
import { ObjectWriter } from './writer.ts';

const root = 'files/';
/** Interval of sweeps. A sweep lists every object, and each thousand of them costs one request. */
const sweepIntervalMs = 3_600_000;

export class S3Blobs implements Blobs {
  readonly #bucket: Bucket;
  /** Folder for local copies that other programs on this machine read. */
  readonly #scratch: string;
  readonly #instance: string;
  readonly #sweepMs: number;
  readonly #sweptAt = new Map<string, number>();
  #count = 0;

  constructor(bucket: Bucket, scratch: string, instance: string = newInstance(), sweepMs = sweepIntervalMs) {
    this.#sweepMs = sweepMs;
    this.#bucket = bucket;
    this.#scratch = scratch;
    this.#instance = instance;
  }

  async draft(kind: string): Promise<Draft> {
    const name = nameOfDraft(kind, this.#instance, this.#count++);
    const writer = new ObjectWriter(this.#bucket, root + name);
    return {
      name,
      write: async (bytes) => await writer.write(bytes),
      keep: async () => await writer.keep(),
      discard: async () => await writer.discard(),
    };
  }

  read(name: string, range?: { start: number; end: number }): AsyncIterable<Uint8Array> {
    return this.#bucket.read(root + name, range);
  }

  async size(name: string): Promise<number | undefined> {
    return await this.#bucket.size(root + name);
  }

  async local(name: string): Promise<LocalFile> {
    const folder = join(this.#scratch, `${this.#instance}-${this.#count++}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const release = async () => await rm(folder, { recursive: true, force: true });
    const path = join(folder, 'file');
    try {
      await writeSyncedFile(path, this.read(name));
    } catch (error) {
      await release();
      throw error;
    }
    return { path, release };
  }

  async remove(name: string): Promise<void> {
    await this.#bucket.remove(root + name);
  }

  async sweep(kind: string, isKnown: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number> {
    if (performance.now() - (this.#sweptAt.get(kind) ?? Number.NEGATIVE_INFINITY) < this.#sweepMs) return 0;
    this.#sweptAt.set(kind, performance.now());
    const isOver = (name: string, touched: number) => isAbandoned(name, this.#instance, touched, now);
    await this.#sweepCopies(now);
    const left: string[] = [];
    for await (const { name, modified } of this.#bucket.list(`${root}${kind}/`))
      if (isOver(name, modified)) left.push(name.slice(root.length));
    const orphans = await unknownNames(left, isKnown);
    await forEachConcurrently(orphans, async (name) => await this.remove(name));
    let uploads = 0;
    for await (const { name, id, begun } of this.#bucket.uploads(`${root}${kind}/`)) {
      if (!isOver(name, begun)) continue;
      await this.#bucket.abort(name, id);
      uploads++;
    }
    return orphans.length + uploads;
  }

  /** Removes local copies that a killed server left behind. */
  async #sweepCopies(now?: number): Promise<void> {
    for (const name of await readdir(this.#scratch).catch(() => [])) {
      const path = join(this.#scratch, name);
      const copied = await stat(path).catch(() => undefined);
      if (copied && isAbandoned(name, this.#instance, copied.mtimeMs, now))
        await rm(path, { recursive: true, force: true });
    }
  }
}
