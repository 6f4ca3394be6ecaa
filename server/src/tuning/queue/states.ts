// State machine of a job: its states and the legal transitions. Only `transitionJob` in transition.ts changes a state, and it checks here.
import { type JobStatus, statusesIn } from '@lorekeep/contract';
import { sql } from 'kysely';

/** States of a waiting job. CREATED: the scheduler has not seen it yet. */
export const waiting: readonly JobStatus[] = statusesIn('waiting');
/** States of a running job, in the order in which it passes through them. */
export const running: readonly JobStatus[] = statusesIn('running');
export const finalStatuses: readonly JobStatus[] = statusesIn('over');

const anyTime: readonly JobStatus[] = ['CANCELLED', 'FAILED'];
/** Return to the queue: the server or worker is gone, other jobs come first, or the time limit is reached. */
const backToQueue: readonly JobStatus[] = ['QUEUED', 'TIMED OUT'];

export const transitions: Record<JobStatus, readonly JobStatus[]> = {
  CREATED: ['QUEUED', 'LOADING DATA', ...anyTime],
  QUEUED: ['LOADING DATA', ...anyTime],
  'LOADING DATA': ['TRAINING MODEL', ...backToQueue, ...anyTime],
  'TRAINING MODEL': ['EVALUATING MODEL', ...backToQueue, ...anyTime],
  'EVALUATING MODEL': ['SAVING MODEL', ...backToQueue, ...anyTime],
  'SAVING MODEL': ['COMPLETED', 'PARTIALLY COMPLETED', ...backToQueue, ...anyTime],
  // An intermediate state within one transaction. Waiting clients must never see it, since they would take it for the end.
  'TIMED OUT': ['QUEUED'],
  FAILED: ['QUEUED'],
  CANCELLED: ['QUEUED'],
  COMPLETED: [],
  'PARTIALLY COMPLETED': [],
};

/** States as literals, as in the condition of the queue's partial index. With bound parameters the database could not use the index. */
export const isInQueue = sql<boolean>`status in (${sql.join(waiting.map(sql.lit))})`;

export const isWaiting = (status: JobStatus): boolean => waiting.includes(status);
export const isRunning = (status: JobStatus): boolean => running.includes(status);
/** Final states that cannot be resumed. */
export const isFinished = (status: JobStatus): boolean => transitions[status].length === 0;
export const isLegal = (from: JobStatus, to: JobStatus): boolean => transitions[from].includes(to);

/** All steps from one state of a run to a later one. A job whose model was found finished passes through each of them. */
export function stepsTo(from: JobStatus, to: JobStatus): JobStatus[] {
  const at = running.indexOf(from);
  const end = running.indexOf(to);
  return at < 0 || end <= at ? [] : running.slice(at + 1, end + 1);
}
