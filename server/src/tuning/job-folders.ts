// Folders of jobs (LOREKEEP_HOME/jobs), named after their jobs; docs/reference/tuning-job.md describes the files. Servers that share a
// queue share these folders, or a store of folders with the files that start a job: another server then restarts it from the beginning.
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trial } from '@lorekeep/contract';
import type { StoredFolders } from '../blobs/stored-folders.ts';
import { writeDurably } from '../files/durable.ts';
import { isThere, readJson } from '../files/read.ts';
import { WrittenFolders } from '../leases/written-folders.ts';

export const logFile = 'worker.log';
const factsFile = 'facts.jsonl';
/** File in a job's folder with the name of the model that the job changes. */
export const changedFile = 'changes';
const isStartFile = (path: string) => path === factsFile || path === changedFile;

/** A sweep instead of a model: the first facts are trained once with each value. */
export interface SweepOrder {
  argument: string;
  values: unknown[];
  facts: number;
}

/** Contents of job.json. The engine's own schema is engine/lorekeep/tune/spec.py. */
export interface JobSpec {
  format: 1;
  base: string;
  facts: 'facts.jsonl';
  arguments: Record<string, unknown>;
  workers: number;
  gate: string;
  reuse: string[];
  device: string;
  dataset_id: string | null;
  /** The folder of an embedding model other than the default one. */
  embedder?: string;
  sweep?: SweepOrder;
}

/** Results of a sweep. */
export interface SweepResult {
  best: unknown;
  facts: number;
  trials: Trial[];
}

export class JobFolders {
  readonly folders: WrittenFolders;
  readonly #store: StoredFolders | undefined;

  constructor(home: string, instance: string, store?: StoredFolders) {
    this.folders = new WrittenFolders(join(home, 'jobs'), instance);
    this.#store = store;
  }

  job(job: string): string {
    return this.folders.path(job);
  }

  /** Creates a folder. It is swept if this process dies before its record exists. */
  async create(job: string): Promise<string> {
    return await this.folders.create(job);
  }

  async remove(job: string): Promise<void> {
    await this.folders.remove(job);
    await this.#store?.remove(job);
  }

  /** Removes a refused job. The store is not awaited: if it is unavailable, a sweep removes its files later. */
  async discard(job: string): Promise<void> {
    void this.#store?.remove(job).catch(() => {});
    await this.folders.remove(job);
  }

  /** Stores the files that start the job durably beyond this machine. */
  async keep(job: string): Promise<void> {
    await this.#store?.store(job, this.job(job), isStartFile);
  }

  /** Stores what an erasure has left. A failed earlier attempt may have left texts in the store without their list. */
  async keepErased(job: string, isChanged: boolean): Promise<void> {
    if (!this.#store) return;
    if (!(await isThere(join(this.job(job), factsFile)))) await this.#store.remove(job);
    else if (isChanged || !(await this.#store.isStored(job))) await this.keep(job);
  }

  /**
   * Fetches the files that start a job whose folder is not on this machine, or is older than an erasure of its facts by another server.
   * True if it did.
   */
  async bring(job: string): Promise<boolean> {
    if (!this.#store || !(await this.#store.differs(job, this.job(job)))) return false;
    await this.folders.remove(job);
    return await this.#store.fetch(job, this.job(job), this.folders.draft());
  }

  /** Sweeps orphaned folders, here and in the store: those without a record whose writer is gone. */
  async sweep(recorded: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number> {
    return (await this.folders.sweep(recorded, now)) + ((await this.#store?.sweep(recorded, now)) ?? 0);
  }

  async readSpec(job: string): Promise<JobSpec | undefined> {
    return (await readJson(join(this.job(job), 'job.json'))) as JobSpec | undefined;
  }

  async writeSpec(job: string, spec: JobSpec): Promise<void> {
    await writeDurably(join(this.job(job), 'job.json'), JSON.stringify(spec));
  }

  async isPlanned(job: string): Promise<boolean> {
    return await isThere(join(this.job(job), 'plan.json'));
  }

  /** Removes the plan and the finished waves, which are no longer valid. */
  async forgetPlan(job: string): Promise<void> {
    await rm(join(this.job(job), 'plan.json'), { force: true });
    await rm(join(this.job(job), 'waves'), { recursive: true, force: true });
  }

  /** Result of a finished sweep. */
  async sweepResult(job: string): Promise<SweepResult | undefined> {
    return (await readJson(join(this.job(job), 'sweep.json'))) as SweepResult | undefined;
  }

  /** Finished trials in order. */
  async trials(job: string): Promise<Trial[]> {
    const result = await this.sweepResult(job);
    if (result) return result.trials;
    const folder = join(this.job(job), 'trials');
    const files = (await readdir(folder).catch(() => [])).filter((file) => /^\d+\.json$/.test(file)).sort();
    const read = await Promise.all(
      files.map(async (file) => (await readJson(join(folder, file))) as Trial | undefined),
    );
    return read.filter((trial) => trial !== undefined);
  }

  /** The job's model, until it is moved to the tuned models. */
  modelOf(job: string): string {
    return join(this.job(job), 'model');
  }

  /** Removes files that a finished job no longer needs. Its events, log and specification stay. */
  async tidy(job: string): Promise<void> {
    await this.#store?.remove(job);
    for (const part of ['waves', 'trials', 'plan.json', 'model', factsFile])
      await rm(join(this.job(job), part), { recursive: true, force: true });
    // Each attempt on a cluster has its own drafts.
    for (const draft of (await readdir(this.job(job))).filter((name) => name.startsWith('.model')))
      await rm(join(this.job(job), draft), { recursive: true, force: true });
  }

  /** Jobs whose folders still hold files that only a running job needs. */
  async untidy(): Promise<string[]> {
    const names = await this.folders.names();
    const there = await Promise.all(names.map((job) => isThere(join(this.job(job), factsFile))));
    return names.filter((_, at) => there[at]);
  }

  /** The last lines of the workers' output: one file on this machine, one file per worker on a cluster. */
  async log(job: string, lines: number): Promise<string[]> {
    const all = await lastLines(join(this.job(job), logFile));
    const runs = join(this.job(job), 'runs');
    const logs = (await readdir(runs).catch(() => [])).filter((name) => name.endsWith('.log')).sort();
    for (const name of logs) {
      const said = (await lastLines(join(runs, name))).slice(-lines);
      if (said.length > 0) all.push(`== attempt ${Number(name.slice(0, 6))}, ${name.slice(7, -4)}`, ...said);
    }
    return all.slice(-lines);
  }
}

const maxLogBytes = 4 << 20;

async function lastLines(path: string): Promise<string[]> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch {
    return [];
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxLogBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.subarray(0, bytesRead).toString('utf8').replace(/\n$/, '');
    return text === '' ? [] : text.split('\n');
  } finally {
    await file.close();
  }
}
