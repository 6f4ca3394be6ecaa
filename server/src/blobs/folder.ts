// Adapter for blobs in a folder. A file is written under a temporary name, synced, renamed, and the folder synced, so that writes are
// atomic.
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../files/durable.ts';
import { newInstance } from '../leases/instance-id.ts';
import type { Blobs, Draft, LocalFile } from './blobs.ts';
import { isAbandoned, nameOfDraft, unknownNames } from './drafts.ts';

const chunkBytes = 1 << 20;
const draftEnding = '.draft';

export class FolderBlobs implements Blobs {
  readonly #root: string;
  readonly #instance: string;
  #count = 0;

  constructor(root: string, instance: string = newInstance()) {
    this.#root = root;
    this.#instance = instance;
  }

  async draft(kind: string): Promise<Draft> {
    const name = nameOfDraft(kind, this.#instance, this.#count++);
    const path = join(this.#root, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new FolderDraft(name, path, await open(path + draftEnding, 'wx', 0o600));
  }

  read(name: string, range?: { start: number; end: number }): AsyncIterable<Uint8Array> {
    return createReadStream(join(this.#root, name), { highWaterMark: chunkBytes, ...range });
  }

  async size(name: string): Promise<number | undefined> {
    return await stat(join(this.#root, name)).then(
      ({ size }) => size,
      () => undefined,
    );
  }

  async local(name: string): Promise<LocalFile> {
    return { path: join(this.#root, name), release: async () => {} };
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#root, name), { force: true });
  }

  async sweep(kind: string, isKnown: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number> {
    const folder = join(this.#root, kind);
    const files = await readdir(folder).catch(() => [] as string[]);
    const left: string[] = [];
    for (const file of files) {
      const name = file.endsWith(draftEnding) ? file.slice(0, -draftEnding.length) : file;
      const touched = await stat(join(folder, file)).catch(() => undefined);
      if (touched && isAbandoned(name, this.#instance, touched.mtimeMs, now)) left.push(file);
    }
    const drafts = left.filter((file) => file.endsWith(draftEnding));
    const complete = left.filter((file) => !file.endsWith(draftEnding)).map((file) => `${kind}/${file}`);
    const orphans = [...drafts, ...(await unknownNames(complete, isKnown)).map((name) => basename(name))];
    for (const file of orphans) await rm(join(folder, file), { force: true });
    return orphans.length;
  }
}

class FolderDraft implements Draft {
  readonly name: string;
  readonly #path: string;
  readonly #file: FileHandle;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #done = false;

  constructor(name: string, path: string, file: FileHandle) {
    this.name = name;
    this.#path = path;
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= chunkBytes) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
  }

  async keep(): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
    this.#done = true;
    await rename(this.#path + draftEnding, this.#path);
    await syncFolder(dirname(this.#path));
  }

  async discard(): Promise<void> {
    if (!this.#done) await this.#file.close().catch(() => {});
    this.#done = true;
    await rm(this.#path + draftEnding, { force: true });
    await rm(this.#path, { force: true });
  }
}
