// What is sent to /v1/train/sweep, told apart from a tuning, and what comes of it: trials side by side, read from the job's folder.
import { type Sweep, sweepFields, type TrainBody, trainBody, usualSweepFacts } from '@lorekeep/contract';
import { invalid } from '../http/validate.ts';
import type { Caller } from '../keys/caller.ts';
import type { JobFolders, SweepOrder } from './job-folders.ts';
import type { Jobs } from './jobs.ts';

/** What the table keeps of a sweep. */
export interface KeptSweep extends SweepOrder {
  best: unknown;
}

export const keptSweep = ({ sweep }: { sweep: string | null }): KeptSweep | null =>
  sweep === null ? null : (JSON.parse(sweep) as KeptSweep);

const fields = trainBody.omit({ data: true });

/** The fields beside the rows. Of a tuning it has what concerns a sweep. */
export function readSweep(given: Record<string, unknown>): Omit<TrainBody, 'data'> & { sweep: SweepOrder } {
  const result = sweepFields.safeParse(given);
  if (!result.success) throw invalid(result.error.issues, 'body');
  const { argument, values, facts, ...rest } = result.data;
  return { ...fields.parse(rest), sweep: { argument, values, facts: facts ?? usualSweepFacts } };
}

/** An argument of the router: a sweep asks the facts alone, each of its own expert. */
export const isOfRouter = (argument: string): boolean => argument.startsWith('index_') && argument !== 'index_max_size';

export async function showSweep(jobs: Jobs, folders: JobFolders, caller: Caller, id: number): Promise<Sweep> {
  const { name } = await jobs.ownSweep(caller, id);
  const trials = await folders.trials(name);
  const job = await jobs.show(caller, id);
  return { ...job, trials: trials.slice(0, job.sweep?.values.length) };
}
