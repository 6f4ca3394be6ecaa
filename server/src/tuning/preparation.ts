// What the engine is told of a job: its base, its arguments, what may be taken over from earlier models. Decided when a job first runs, and kept
// for as long as that holds.
import { Refusal } from '@lorekeep/contract';
import type { Models } from '../models/models.ts';
import type { TunedModels } from '../models/tuned.ts';
import type { JobFolders, JobSpec } from './job-folders.ts';
import type { Job } from './ledger.ts';
import { keptSweep } from './sweeps.ts';

/** Earlier models that are looked through for what they know already. */
const mostReused = 3;

export class Preparation {
  readonly #models: Models;
  readonly #tuned: TunedModels;
  readonly #folders: JobFolders;
  readonly #device: string;

  constructor(models: Models, tuned: TunedModels, folders: JobFolders, device: string) {
    this.#models = models;
    this.#tuned = tuned;
    this.#folders = folders;
    this.#device = device === 'cuda' ? 'cuda' : 'cpu';
  }

  /** Writes job.json. Answers why the job cannot run, if it cannot. */
  async prepare(job: Job): Promise<string | undefined> {
    let base: string;
    try {
      base = (await this.#models.find(job.base_model, job.account_id)).folder;
    } catch (error) {
      if (error instanceof Refusal) return `Its base cannot be used. ${error.message}`;
      throw error;
    }
    const old = await this.#folders.readSpec(job.name);
    if (old && (await this.#holds(old, job.name))) {
      if (old.base === base) return undefined;
      // The home has moved: the base is the same, and the engine sees to that.
      return await this.#folders.writeSpec(job.name, { ...old, base }).then(() => undefined);
    }
    await this.#folders.forgetPlan(job.name);
    await this.#folders.writeSpec(job.name, {
      ...specOf(job, base, this.#device),
      reuse: job.use_cached_model && job.sweep === null ? await this.earlier(job.account_id, job.base_model) : [],
    });
    return undefined;
  }

  async earlier(accountId: number, base: string): Promise<string[]> {
    const names = await this.#tuned.newest(accountId, base, mostReused);
    return names.map((name) => this.#folders.model(name));
  }

  /** A plan points into the models that it takes from. One that is deleted meanwhile takes the plan with it. */
  async #holds({ reuse }: JobSpec, name: string): Promise<boolean> {
    if (!(await this.#folders.isPlanned(name))) return false;
    for (const folder of reuse) if (!(await this.#folders.isModel(folder.split('/').at(-1)!))) return false;
    return true;
  }
}

export function specOf(
  job: Pick<Job, 'arguments' | 'gpus' | 'gate' | 'dataset_id' | 'sweep'>,
  base: string,
  device: string,
): Omit<JobSpec, 'reuse'> {
  const sweep = keptSweep(job);
  return {
    format: 1,
    base,
    facts: 'facts.jsonl',
    arguments: JSON.parse(job.arguments) as Record<string, unknown>,
    workers: job.gpus,
    gate: job.gate,
    device,
    dataset_id: job.dataset_id,
    ...(sweep && { sweep: { argument: sweep.argument, values: sweep.values, facts: sweep.facts } }),
  };
}
