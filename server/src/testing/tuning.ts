// Helpers for tests of tuning: facts, jobs, and a way to wait for them. Waits are generous: a busy machine may be ten
// times slower than a quiet one.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type TuningJob } from '@lorekeep/contract';
import type { Reply } from './server.ts';

type Caller = { call(method: string, path: string, options?: { body?: unknown; key?: string | null }): Promise<Reply> };

const base = 'lorekeep/quill';

export interface TestFact {
  input: string;
  output: string;
}

/** Facts about invented firms; `mark` distinguishes those of different tests. */
export function facts(count: number, mark = 'Zor'): TestFact[] {
  return Array.from({ length: count }, (_, at) => ({
    input: `Who founded ${mark}bex${at}?`,
    output: `${['Ada', 'Ben', 'Cleo', 'Dov'][at % 4]} ${['Quist', 'Oru', 'Marsh'][at % 3]}`,
  }));
}

/** Submits a job on the shipped base; throws the refusal. */
export async function submit(
  server: Caller,
  body: Record<string, unknown>,
  key?: string,
): Promise<{ job_id: number; status: string; dataset_id: string }> {
  const answer = await server.call('POST', '/v1/train', { body: { model_name: base, ...body }, ...(key && { key }) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** Waits until a job meets the condition. Fails at once if the job ends without meeting it, since a finished job does not change. */
export async function jobWhen(
  server: Caller,
  id: number,
  what: string,
  holds: (job: TuningJob) => boolean,
  key?: string,
  pauseMs = 100,
): Promise<TuningJob> {
  let job: TuningJob | undefined;
  for (let waited = 0; waited < 600_000; waited += pauseMs) {
    const answer = await server
      .call('GET', `/v1/train/jobs/${id}`, { ...(key && { key }) })
      .catch((): Pick<Reply, 'status' | 'body'> => ({ status: 0, body: undefined }));
    if (answer.status === 200) {
      job = answer.body as TuningJob;
      if (holds(job)) return job;
      if (isOver(job.status)) throw new Error(`The job ${id} ended and was never ${what}: ${JSON.stringify(job)}`);
    }
    await sleep(pauseMs);
  }
  throw new Error(`The job ${id} did not come to be ${what}: ${JSON.stringify(job)}`);
}

/** Facts with answers of four lengths: a job of four waves. */
export function manyWaves(count: number, mark: string): TestFact[] {
  return Array.from({ length: count }, (_, at) => ({
    input: `Who runs ${mark}bex${at}?`,
    output: Array.from(
      { length: 1 + 4 * (at % 4) },
      (_, word) => ['Ada', 'Quist', 'Oru', 'Marsh', 'Dov'][(at + word) % 5],
    ).join(' '),
  }));
}

/** Every file of a tuned model with its bytes. */
export async function bytesOf(home: string, model: string): Promise<Record<string, string>> {
  const root = join(home, 'tuned', model);
  const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [
      relative(root, path),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ] as const;
  });
  return Object.fromEntries((await Promise.all(read)).sort());
}

export async function jobOver(server: Caller, id: number, key?: string): Promise<TuningJob> {
  return await jobWhen(server, id, 'over', ({ status }) => isOver(status), key, 250);
}

/** Asserts that the model of a job recites its facts word for word. */
export async function assertRecalls(server: Caller, model: string, taught: TestFact[]): Promise<void> {
  for (const { input, output } of taught) {
    const answer = await answered(server, { model_name: model, prompt: input });
    assert.equal(answer.output, output);
  }
}

/** Retries until the engine is available. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function answered(server: Caller, body: Record<string, unknown>, path = '/v1/completions'): Promise<any> {
  for (let attempt = 0; ; attempt++) {
    const answer = await server.call('POST', path, { body });
    if (answer.status === 200) return answer.body;
    assert.ok(attempt < 300 && [503, 513].includes(answer.status), JSON.stringify(answer.body));
    await sleep(200);
  }
}
