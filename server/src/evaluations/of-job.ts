// The model of a job beside its base, on the facts that it was taught: an evaluation that is made when it is first asked for, and kept.
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerOf, type evaluateJob, mostFactsOfJob, Refusal } from '@lorekeep/contract';
import type { Caller } from '../keys/caller.ts';
import { factsOf } from '../tuning/forget.ts';
import type { JobFolders } from '../tuning/job-folders.ts';
import type { Jobs } from '../tuning/jobs.ts';
import type { Evaluations } from './evaluations.ts';
import type { Row } from './questions.ts';

interface Parts {
  evaluations: Evaluations;
  jobs: Jobs;
  folders: JobFolders;
}

/** Old clients wait for 90 seconds. */
const patience = 60_000;
const lookEvery = 200;

export async function ofJob(
  { evaluations, jobs, folders }: Parts,
  caller: Caller,
  job: number,
  signal: AbortSignal,
): Promise<AnswerOf<typeof evaluateJob>> {
  const { status, model_name, base_model } = await jobs.own(caller, job);
  if (model_name === null) throw new Refusal('job_without_model', { id: job, status });
  const id = await evaluations.ofJob(caller, job, async () => ({
    models: [model_name, base_model],
    questions: await firstFacts(folders, model_name),
  }));
  const begun = performance.now();
  let shown = await evaluations.show(caller, id);
  while (shown.status === 'running' && performance.now() - begun < patience && !signal.aborted) {
    await sleep(lookEvery, undefined, { signal, ref: false }).catch(() => {});
    shown = await evaluations.show(caller, id);
  }
  const { targets, rows } = await evaluations.results(caller, id, mostFactsOfJob);
  return {
    job_id: job,
    evaluation_id: id,
    status: shown.status,
    base_model,
    model_name,
    rows: shown.rows,
    targets: shown.targets,
    eval_results: rows
      .filter(({ answers }) => answers.every((answer) => answer !== null))
      .map(({ input, output, answers }) => ({
        input,
        expected: output,
        outputs: answers.map((answer, place) => ({ model_name: targets[place]!, output: answer!.output })),
      })),
  };
}

async function firstFacts(folders: JobFolders, model: string): Promise<Row[]> {
  const rows: Row[] = [];
  try {
    for await (const { input, output } of factsOf(folders, model)) {
      rows.push({ input, output });
      if (rows.length === mostFactsOfJob) break;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Refusal('model_not_found', { name: model });
  }
  return rows;
}
