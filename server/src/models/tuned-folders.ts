// The folders of tuned models (LOREKEEP_HOME/tuned), each named as its model. Servers that share a database share these, or a store of
// folders. With a store, the local folders are copies, fetched at their first use, and a model is durable once the store has it.
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredFolders } from '../blobs/stored-folders.ts';
import { syncFolder } from '../files/durable.ts';
import { isThere, readJson } from '../files/read.ts';
import { WrittenFolders, writerFile } from '../leases/written-folders.ts';

/** The counts that a model's memory.json holds. */
export interface ModelCounts {
  facts: number;
  recalled: number;
  experts: number;
  bytes: number;
}

export class TunedFolders {
  readonly folders: WrittenFolders;
  readonly #store: StoredFolders | undefined;
  readonly #arriving = new Map<string, Promise<unknown>>();

  constructor(home: string, instance: string, store?: StoredFolders) {
    this.folders = new WrittenFolders(join(home, 'tuned'), instance);
    this.#store = store;
  }

  /** Whether the folders here are copies, which other servers' deletions do not reach. */
  get areCopies(): boolean {
    return this.#store !== undefined;
  }

  /** The path of a model's folder on this machine, whether it exists or not. */
  path(model: string): string {
    return this.folders.path(model);
  }

  /** The same path, after the model was fetched if only the store has it. */
  async model(model: string): Promise<string> {
    if (this.#store && !(await this.#isHere(model))) await this.#fetch(model, this.#store);
    return this.path(model);
  }

  async #fetch(model: string, store: StoredFolders): Promise<void> {
    const arriving = this.#arriving.get(model) ?? store.fetch(model, this.path(model), this.folders.draft());
    this.#arriving.set(model, arriving);
    await arriving.finally(() => this.#arriving.delete(model));
  }

  async #isHere(model: string): Promise<boolean> {
    return await isThere(join(this.path(model), 'memory.json'));
  }

  async isModel(model: string): Promise<boolean> {
    return (await this.#isHere(model)) || ((await this.#store?.isStored(model)) ?? false);
  }

  /** Moves a finished model here, and stores it. It may have been moved before. Undefined when there is no model at all. */
  async adopt(source: string, model: string): Promise<ModelCounts | undefined> {
    await mkdir(this.folders.root, { recursive: true, mode: 0o700 });
    if (await isThere(join(source, 'memory.json'))) {
      // A folder of this name was never recorded: it holds the same model, of an earlier run of the same job.
      await rm(this.path(model), { recursive: true, force: true });
      await rename(source, this.path(model));
      await syncFolder(this.folders.root);
      await this.#store?.store(model, this.path(model), isOfModel);
    } else if (this.#store && (await this.#isHere(model)) && !(await this.#store.isStored(model)))
      await this.#store.store(model, this.path(model), isOfModel);
    return await this.counts(model);
  }

  async counts(model: string): Promise<ModelCounts | undefined> {
    const metadata = (await readJson(join(await this.model(model), 'memory.json'))) as
      | { counts?: ModelCounts }
      | undefined;
    if (!metadata?.counts) return undefined;
    const { facts, recalled, experts } = metadata.counts;
    return { facts, recalled, experts, bytes: await bytesOf(this.path(model)) };
  }

  async remove(model: string): Promise<void> {
    await this.folders.remove(model);
    await this.#store?.remove(model);
  }

  /** Removes models without a record whose writers are gone, here and in the store. */
  async sweep(recorded: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number> {
    return (await this.folders.sweep(recorded, now)) + ((await this.#store?.sweep(recorded, now)) ?? 0);
  }

  /** Stores models that only this machine has, of a home from before there was a store. */
  async send(recorded: (names: string[]) => Promise<Set<string>>): Promise<number> {
    let sent = 0;
    for (const model of this.#store ? await recorded(await this.folders.names()) : []) {
      if (!(await this.#isHere(model)) || (await this.#store!.isStored(model))) continue;
      await this.#store!.store(model, this.path(model), isOfModel);
      // Deleted or erased meanwhile, by a server that did not know of this copy.
      if (!(await recorded([model])).has(model)) await this.remove(model);
      sent++;
    }
    return sent;
  }

  async report(model: string): Promise<Record<string, unknown> | null> {
    return (
      ((await readJson(join(await this.model(model), 'report.json'))) as Record<string, unknown> | undefined) ?? null
    );
  }

  async facts(model: string): Promise<string> {
    return join(await this.model(model), 'facts.jsonl');
  }
}

const isOfModel = (path: string) => path !== writerFile;

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
