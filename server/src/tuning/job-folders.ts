// The folders of jobs (LOREKEEP_HOME/jobs), each named as its job. Their files are described in docs/reference/tuning-job.md; servers that share a
// queue share these.
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trial } from '@lorekeep/contract';
import { writeWhole } from '../files/durable.ts';
import { isThere, readJson } from '../files/read.ts';
import { WrittenFolders } from '../leases/written-folders.ts';

export const logFile = 'worker.log';

/** Order of a sweep, which makes no model: the first facts are taught once with each value. */
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

  constructor(home: string, instance: string) {
    this.folders = new WrittenFolders(join(home, 'jobs'), instance);
  }

  job(job: string): string {
    return this.folders.path(job);
  }

  /** A new folder, swept when this process dies before there is a record of it. */
  async create(job: string): Promise<string> {
    return await this.folders.create(job);
  }

  async remove(job: string): Promise<void> {
    await this.folders.remove(job);
  }

  async readSpec(job: string): Promise<JobSpec | undefined> {
    return (await readJson(join(this.job(job), 'job.json'))) as JobSpec | undefined;
  }

  async writeSpec(job: string, spec: JobSpec): Promise<void> {
    await writeWhole(join(this.job(job), 'job.json'), JSON.stringify(spec));
  }

  async isPlanned(job: string): Promise<boolean> {
    return await isThere(join(this.job(job), 'plan.json'));
  }

  /** Removes the plan and the finished waves, which no longer hold. */
  async forgetPlan(job: string): Promise<void> {
    await rm(join(this.job(job), 'plan.json'), { force: true });
    await rm(join(this.job(job), 'waves'), { recursive: true, force: true });
  }

  /** Result of a sweep, once it is over. */
  async sweepResult(job: string): Promise<SweepResult | undefined> {
    return (await readJson(join(this.job(job), 'sweep.json'))) as SweepResult | undefined;
  }

  /** Trials that are done, in their order. */
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

  /** The model that the job has made, until it is moved to the tuned models. */
  modelOf(job: string): string {
    return join(this.job(job), 'model');
  }

  /** Removes files that a finished job needs no more. Its events, its log and its order stay. */
  async tidy(job: string): Promise<void> {
    for (const part of ['waves', 'trials', 'plan.json', 'model', 'facts.jsonl'])
      await rm(join(this.job(job), part), { recursive: true, force: true });
    // Attempts on a cluster have drafts of their own.
    for (const draft of (await readdir(this.job(job))).filter((name) => name.startsWith('.model')))
      await rm(join(this.job(job), draft), { recursive: true, force: true });
  }

  /** Jobs whose folders hold what only work needs. */
  async untidy(): Promise<string[]> {
    const names = await this.folders.names();
    const there = await Promise.all(names.map((job) => isThere(join(this.job(job), 'facts.jsonl'))));
    return names.filter((_, at) => there[at]);
  }

  /** The last lines of what its workers printed: on this machine in one file, on a cluster each in its own. */
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
