// Evaluates the model of a job and its base on the facts that it was taught. The evaluation is created on the first request and kept.
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerOf, type evaluateJob, maxFactsOfJob, Refusal } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';
import { factsOf } from '../models/tuned-facts.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Jobs } from '../tuning/jobs.ts';
import type { Evaluations } from './evaluations.ts';
import type { Row } from './questions.ts';

interface Dependencies {
  evaluations: Evaluations;
  jobs: Jobs;
  folders: TunedFolders;
}

/** Older clients time out after 90 seconds. */
const timeoutMs = 60_000;
const pollMs = 200;

export async function jobEvaluation(
  { evaluations, jobs, folders }: Dependencies,
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
  let evaluation = await evaluations.show(caller, id);
  while (evaluation.status === 'running' && performance.now() - begun < timeoutMs && !signal.aborted) {
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {});
    evaluation = await evaluations.show(caller, id);
  }
  const { targets, rows } = await evaluations.results(caller, id, { limit: maxFactsOfJob });
  return {
    job_id: job,
    evaluation_id: id,
    status: evaluation.status,
    base_model,
    model_name,
    rows: evaluation.rows,
    targets: evaluation.targets,
    eval_results: rows
      .filter(({ answers }) => answers.every((answer) => answer !== null))
      .map(({ input, output, answers }) => ({
        input,
        expected: output,
        outputs: answers.map((answer, place) => ({ model_name: targets[place]!, output: answer!.output })),
      })),
  };
}

/** The facts to ask, in their order. Unlearnt facts are included in proportion to their share of all facts, rounded up. */
export async function firstFacts(folders: TunedFolders, model: string): Promise<Row[]> {
  const chosen: Record<'learnt' | 'not', (Row & { place: number })[]> = { learnt: [], not: [] };
  let facts = 0;
  let missed = 0;
  try {
    for await (const { input, output, recalled } of factsOf(folders, model)) {
      const side = recalled ? chosen.learnt : chosen.not;
      if (side.length < maxFactsOfJob) side.push({ input, output, place: facts });
      facts++;
      if (!recalled) missed++;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Refusal('model_not_found', { name: model });
  }
  const asked = Math.min(facts, maxFactsOfJob);
  const notLearnt = Math.ceil((asked * missed) / Math.max(1, facts));
  return [...chosen.not.slice(0, notLearnt), ...chosen.learnt.slice(0, asked - notLearnt)]
    .sort((a, b) => a.place - b.place)
    .map(({ input, output }) => ({ input, output }));
}
