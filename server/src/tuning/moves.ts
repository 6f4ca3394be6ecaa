// The one way from a state of a job to another: the state, its event, and the messages that its end owes, in the transaction of whoever asks for it.
import type { JobProgress, JobStatus } from '@lorekeep/contract';
import type { Selectable, Transaction, Updateable } from 'kysely';
import type { Store } from '../store/database.ts';
import type { Tables, TuningJobRow } from '../store/schema.ts';
import { queueEndMessages } from '../webhooks/messages.ts';
import { isLegal, isOver } from './states.ts';

export type Job = Selectable<TuningJobRow>;
export type Change = Transaction<Tables>;

/** The job, held against others until the change is made. */
export async function lockJob({ engine }: Store, change: Change, id: number): Promise<Job | undefined> {
  const query = change.selectFrom('tuning_jobs').selectAll().where('id', '=', id);
  return await (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export async function move(
  change: Change,
  job: Job,
  status: JobStatus,
  reason: string | null,
  set: Updateable<TuningJobRow> = {},
): Promise<Job> {
  if (!isLegal(job.status, status)) throw new Error(`The job ${job.id} cannot go from ${job.status} to ${status}.`);
  await change
    .updateTable('tuning_jobs')
    .set({ ...set, status })
    .where('id', '=', job.id)
    .execute();
  await tell(change, job.id, status, reason);
  const moved = { ...job, ...set, status } as Job;
  if (isOver(status)) await queueEndMessages(change, moved);
  return moved;
}

export async function tell(change: Change, id: number, status: JobStatus, reason: string | null): Promise<void> {
  await change
    .insertInto('tuning_events')
    .values({ job_id: id, at: Date.now(), type: 'status', status, reason })
    .execute();
}

export async function note(change: Change, id: number, reason: string): Promise<void> {
  await change
    .insertInto('tuning_events')
    .values({ job_id: id, at: Date.now(), type: 'warning', status: null, reason })
    .execute();
}

export const noProgress = (facts: number): JobProgress => ({
  facts_total: facts,
  facts_done: 0,
  facts_recalled: null,
  experts_total: 0,
  experts_done: 0,
  experts_reused: 0,
  eta_seconds: null,
});

export function allDone(job: Job, recalled: number): JobProgress {
  const progress = JSON.parse(job.progress) as JobProgress;
  const { facts_total, experts_total } = progress;
  return {
    ...progress,
    facts_done: facts_total,
    facts_recalled: recalled,
    experts_done: experts_total,
    eta_seconds: 0,
  };
}
