// Writes job.json, the specification of a job for the engine: its base, its arguments, and the earlier models whose experts it
// may reuse. It is decided when a job first runs and kept while it is valid.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '@lorekeep/contract';
import type { Models } from '../../models/models.ts';
import type { TunedModels } from '../../models/tuned.ts';
import { changedFile, type JobFolders, type JobSpec } from '../job-folders.ts';
import type { Job } from '../queue/transition.ts';
import { parseSweep } from '../sweeps.ts';

/** Maximum number of earlier models that are searched for reusable experts. */
const maxReused = 3;
/** Names the model that a job rebuilds with other facts or on another base. Everything else of the model stays unchanged. */
export async function writeChangedModelName(folder: string, model: string): Promise<void> {
  await writeFile(join(folder, changedFile), model);
}

export class JobSpecs {
  readonly #models: Models;
  readonly #tuned: TunedModels;
  readonly #folders: JobFolders;
  readonly #device: () => string;
  /** The folder of an embedding model other than the default one. */
  readonly embedder: string | undefined;

  constructor(models: Models, tuned: TunedModels, folders: JobFolders, device: () => string, embedder?: string) {
    this.#models = models;
    this.#tuned = tuned;
    this.#folders = folders;
    this.#device = device;
    this.embedder = embedder;
  }

  /** Writes job.json. Returns the reason if the job cannot run. */
  async prepare(job: Job): Promise<string | undefined> {
    let base: string;
    try {
      base = (await this.#models.find(job.base_model, job.account_id)).folder;
    } catch (error) {
      if (error instanceof Refusal) return `Its base cannot be used. ${error.message}`;
      throw error;
    }
    const device = this.#device();
    const old = await this.#folders.readSpec(job.name);
    // The reused files of a plan are in the job's own folder.
    if (old && (await this.#folders.isPlanned(job.name))) {
      // The home may have moved, or the job may run on another machine. The engine verifies that the base is the same.
      if (old.base !== base || old.device !== device) await this.#folders.writeSpec(job.name, { ...old, base, device });
      return undefined;
    }
    await this.#folders.forgetPlan(job.name);
    await this.#folders.writeSpec(job.name, {
      ...specOf(job, base, device, this.embedder),
      reuse: job.use_cached_model && job.sweep === null ? await this.#reused(job) : [],
    });
    return undefined;
  }

  async #reused({ name, account_id, base_model, custom_model_name }: Job): Promise<string[]> {
    const file = join(this.#folders.job(name), changedFile);
    const changed = await readFile(file, 'utf8').catch(() => undefined);
    if (changed === undefined) return await this.earlier(account_id, base_model, custom_model_name);
    // The changed model holds nearly all experts. Each further model would be read completely for a few new facts.
    const old = await this.#tuned.find(changed, account_id);
    if (old?.account_id !== account_id) return [];
    // A model that moves back to a base reuses experts of the models that were made there.
    const there = old.base_model === base_model ? [] : await this.#tuned.newest(account_id, base_model, maxReused - 1);
    return await Promise.all([old.name, ...there].map(async (name) => await this.#tuned.folder(name)));
  }

  /** The model that is changed comes first (by its name, or by the custom name of its successor), then the newest models. */
  async earlier(accountId: number, base: string, changed?: string | null): Promise<string[]> {
    const head = changed ? await this.#tuned.find(changed, accountId) : undefined;
    const first = head?.account_id === accountId && head.base_model === base ? [head.name] : [];
    const newest = await this.#tuned.newest(accountId, base, maxReused);
    const names = [...new Set([...first, ...newest])].slice(0, maxReused);
    return await Promise.all(names.map(async (name) => await this.#tuned.folder(name)));
  }
}

export function specOf(
  job: Pick<Job, 'arguments' | 'slots' | 'gate' | 'dataset_id' | 'sweep'>,
  base: string,
  device: string,
  embedder?: string,
): Omit<JobSpec, 'reuse'> {
  const sweep = parseSweep(job);
  return {
    format: 1,
    base,
    facts: 'facts.jsonl',
    arguments: JSON.parse(job.arguments) as Record<string, unknown>,
    workers: job.slots,
    gate: job.gate,
    device,
    dataset_id: job.dataset_id,
    ...(embedder && { embedder }),
    ...(sweep && { sweep: { argument: sweep.argument, values: sweep.values, facts: sweep.facts } }),
  };
}
