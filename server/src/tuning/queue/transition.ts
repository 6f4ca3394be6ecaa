// The only code that changes the state of a job. It writes the state, its event, and the webhook messages of the end in the caller's
// transaction.
import { isOver, type JobProgress, type JobStatus } from '@lorekeep/contract';
import type { Selectable, Transaction, Updateable } from 'kysely';
import { record } from '../../audit/record.ts';
import type { Store } from '../../store/database.ts';
import { withRowLock } from '../../store/lock.ts';
import type { Tables, TuningJobRow } from '../../store/schema.ts';
import { queueEndMessages } from '../../webhooks/messages.ts';
import { isLegal } from './states.ts';

export type Job = Selectable<TuningJobRow>;
export type Change = Transaction<Tables>;

/** Reads the job and locks its row until the transaction ends. */
export async function lockJob(store: Store, change: Change, id: number): Promise<Job | undefined> {
  const query = change.selectFrom('tuning_jobs').selectAll().where('id', '=', id);
  return await withRowLock(store, query).executeTakeFirst();
}

export async function transitionJob(
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
  await addStatusEvent(change, job.id, status, reason);
  const moved = { ...job, ...set, status } as Job;
  if (isOver(status)) {
    await queueEndMessages(change, moved);
    // The reason is left out, since a reason of the engine may quote a fact.
    const details = { status, model: moved.model_name };
    await record(change, { action: 'job.ended', accountId: job.account_id, subject: job.id, details });
  }
  return moved;
}

export async function addStatusEvent(
  change: Change,
  id: number,
  status: JobStatus,
  reason: string | null,
): Promise<void> {
  await change
    .insertInto('tuning_events')
    .values({ job_id: id, at: Date.now(), type: 'status', status, reason })
    .execute();
}

export async function addWarningEvent(change: Change, id: number, reason: string): Promise<void> {
  await change
    .insertInto('tuning_events')
    .values({ job_id: id, at: Date.now(), type: 'warning', status: null, reason })
    .execute();
}

export const initialProgress = (facts: number): JobProgress => ({
  facts_total: facts,
  facts_done: 0,
  facts_recalled: null,
  experts_total: 0,
  experts_done: 0,
  experts_reused: 0,
  move: null,
  eta_seconds: null,
});

/** `experts` is the number in the model. It can exceed the plan, since facts that did not train together are trained apart. */
export function finishedProgress(job: Job, recalled: number, experts?: number): JobProgress {
  const progress = JSON.parse(job.progress) as JobProgress;
  const { facts_total } = progress;
  const experts_total = experts ?? progress.experts_total;
  return {
    ...progress,
    facts_done: facts_total,
    facts_recalled: recalled,
    experts_total,
    experts_done: experts_total,
    eta_seconds: 0,
  };
}
