// The folders of jobs (LOREKEEP_HOME/jobs) and of tuned models (LOREKEEP_HOME/tuned), each named as its job. What a job's folder holds is in
// docs/reference/tuning-job.md; servers that share a queue share these.
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trial } from '@lorekeep/contract';
import { isAlive } from '../blobs/instance.ts';

export const writerFile = 'writer';
export const logFile = 'worker.log';
const name = /^[0-9a-f]{64}$/;

/** Of a job that makes no model: the first so many facts are taught once with each value. */
export interface SweepOrder {
  argument: string;
  values: unknown[];
  facts: number;
}

/** What job.json says: the engine's own schema is engine/lorekeep/tune/spec.py. */
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
  sweep?: SweepOrder;
}

/** What a sweep has made. */
export interface SweepResult {
  best: unknown;
  facts: number;
  trials: Trial[];
}

/** Of a tuned model, as its memory.json says. */
export interface ModelCounts {
  facts: number;
  recalled: number;
  experts: number;
  bytes: number;
}

export class JobFolders {
  readonly #jobs: string;
  readonly #models: string;
  readonly #instance: string;

  constructor(home: string, instance: string) {
    this.#jobs = join(home, 'jobs');
    this.#models = join(home, 'tuned');
    this.#instance = instance;
  }

  job(job: string): string {
    return join(this.#jobs, job);
  }

  model(model: string): string {
    return join(this.#models, model);
  }

  /** A new folder, swept when this process dies before there is a record of it. */
  async create(job: string): Promise<string> {
    const folder = this.job(job);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, writerFile), this.#instance);
    return folder;
  }

  async removeJob(job: string): Promise<void> {
    await rm(this.job(job), { recursive: true, force: true });
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

  /** What was decided and made so far no longer holds. */
  async forgetPlan(job: string): Promise<void> {
    await rm(join(this.job(job), 'plan.json'), { force: true });
    await rm(join(this.job(job), 'waves'), { recursive: true, force: true });
  }

  async isModel(model: string): Promise<boolean> {
    return await isThere(join(this.model(model), 'memory.json'));
  }

  /** What a sweep has found, once it is over. */
  async sweepResult(job: string): Promise<SweepResult | undefined> {
    return (await readJson(join(this.job(job), 'sweep.json'))) as SweepResult | undefined;
  }

  /** Of the values that are done, in their order. */
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

  /** Moves what a job has made to where it is found. It may have been moved before. Undefined when there is no model at all. */
  async keepModel(job: string): Promise<ModelCounts | undefined> {
    await mkdir(this.#models, { recursive: true, mode: 0o700 });
    if (await isThere(join(this.job(job), 'model', 'memory.json'))) {
      // One that is there already was never recorded: it is of an earlier run of this job, and the same.
      await rm(this.model(job), { recursive: true, force: true });
      await rename(join(this.job(job), 'model'), this.model(job));
      await syncFolder(this.#models);
    }
    return await this.counts(job);
  }

  async counts(model: string): Promise<ModelCounts | undefined> {
    const said = (await readJson(join(this.model(model), 'memory.json'))) as { counts?: ModelCounts } | undefined;
    if (!said?.counts) return undefined;
    const { facts, recalled, experts } = said.counts;
    return { facts, recalled, experts, bytes: await bytesOf(this.model(model)) };
  }

  async removeModel(model: string): Promise<void> {
    await rm(this.model(model), { recursive: true, force: true });
  }

  async report(model: string): Promise<Record<string, unknown> | null> {
    return ((await readJson(join(this.model(model), 'report.json'))) as Record<string, unknown> | undefined) ?? null;
  }

  modelFacts(model: string): string {
    return join(this.model(model), 'facts.jsonl');
  }

  /** What a finished job needs no more; its events, its log and its order stay. */
  async tidy(job: string): Promise<void> {
    for (const part of ['waves', 'trials', 'plan.json', '.model', 'model', 'facts.jsonl'])
      await rm(join(this.job(job), part), { recursive: true, force: true });
  }

  /** Jobs whose folders hold what only work needs. */
  async untidy(): Promise<string[]> {
    const names = (await readdir(this.#jobs).catch(() => [] as string[])).filter((entry) => name.test(entry));
    const there = await Promise.all(names.map((job) => isThere(join(this.job(job), 'facts.jsonl'))));
    return names.filter((_, at) => there[at]);
  }

  /** The last lines of what its workers printed. */
  async log(job: string, lines: number): Promise<string[]> {
    let file: FileHandle;
    try {
      file = await open(join(this.job(job), logFile));
    } catch {
      return [];
    }
    try {
      const { size } = await file.stat();
      const length = Math.min(size, mostOfLog);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      const text = buffer.subarray(0, bytesRead).toString('utf8').replace(/\n$/, '');
      return text === '' ? [] : text.split('\n').slice(-lines);
    } finally {
      await file.close();
    }
  }

  /** Removes folders that no record knows and whose writer is gone. */
  async sweep(known: (kind: 'job' | 'model', names: string[]) => Promise<Set<string>>): Promise<number> {
    let swept = 0;
    for (const [kind, root] of [['job', this.#jobs] as const, ['model', this.#models] as const]) {
      const names = (await readdir(root).catch(() => [] as string[])).filter((entry) => name.test(entry));
      const records = await known(kind, names);
      for (const entry of names.filter((one) => !records.has(one))) {
        const folder = join(root, entry);
        const written = await stat(folder).catch(() => undefined);
        const writer = await readFile(join(folder, writerFile), 'utf8').catch(() => '');
        if (!written || (writer !== '' && isAlive(writer, this.#instance, written.mtimeMs))) continue;
        await rm(folder, { recursive: true, force: true });
        swept++;
      }
    }
    return swept;
  }
}

const mostOfLog = 4 << 20;

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
