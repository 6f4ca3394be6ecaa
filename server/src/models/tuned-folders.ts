// The folders of tuned models (LOREKEEP_HOME/tuned), each named as its model. Servers that share a database share these.
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../files/durable.ts';
import { isThere, readJson } from '../files/read.ts';
import { WrittenFolders } from '../leases/written-folders.ts';

/** The counts that a model's memory.json holds. */
export interface ModelCounts {
  facts: number;
  recalled: number;
  experts: number;
  bytes: number;
}

export class TunedFolders {
  readonly folders: WrittenFolders;

  constructor(home: string, instance: string) {
    this.folders = new WrittenFolders(join(home, 'tuned'), instance);
  }

  model(model: string): string {
    return this.folders.path(model);
  }

  async isModel(model: string): Promise<boolean> {
    return await isThere(join(this.model(model), 'memory.json'));
  }

  /** Moves a finished model here. It may have been moved before. Undefined when there is no model at all. */
  async adopt(source: string, model: string): Promise<ModelCounts | undefined> {
    await mkdir(this.folders.root, { recursive: true, mode: 0o700 });
    if (await isThere(join(source, 'memory.json'))) {
      // A folder of this name was never recorded: it is of an earlier run of the same job, and the same.
      await rm(this.model(model), { recursive: true, force: true });
      await rename(source, this.model(model));
      await syncFolder(this.folders.root);
    }
    return await this.counts(model);
  }

  async counts(model: string): Promise<ModelCounts | undefined> {
    const metadata = (await readJson(join(this.model(model), 'memory.json'))) as { counts?: ModelCounts } | undefined;
    if (!metadata?.counts) return undefined;
    const { facts, recalled, experts } = metadata.counts;
    return { facts, recalled, experts, bytes: await bytesOf(this.model(model)) };
  }

  async remove(model: string): Promise<void> {
    await this.folders.remove(model);
  }

  async report(model: string): Promise<Record<string, unknown> | null> {
    return ((await readJson(join(this.model(model), 'report.json'))) as Record<string, unknown> | undefined) ?? null;
  }

  facts(model: string): string {
    return join(this.model(model), 'facts.jsonl');
  }
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
