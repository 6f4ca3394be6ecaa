// The states of a job and the legal ways between them. Only `move` in transition.ts changes a state, and it checks here.
import { type JobStatus, statusesIn } from '@lorekeep/contract';
import { sql } from 'kysely';

/** In the queue. CREATED is what the queue has not looked at yet. */
export const waiting: readonly JobStatus[] = statusesIn('waiting');
/** A server has a run of it. In the order in which it passes through them. */
export const running: readonly JobStatus[] = statusesIn('running');
export const over: readonly JobStatus[] = statusesIn('over');

const anyTime: readonly JobStatus[] = ['CANCELLED', 'FAILED'];
/** Back into the queue: its server or worker is gone, others come first, or its time is up. */
const backToQueue: readonly JobStatus[] = ['QUEUED', 'TIMED OUT'];

export const transitions: Record<JobStatus, readonly JobStatus[]> = {
  CREATED: ['QUEUED', 'LOADING DATA', ...anyTime],
  QUEUED: ['LOADING DATA', ...anyTime],
  'LOADING DATA': ['TRAINING MODEL', ...backToQueue, ...anyTime],
  'TRAINING MODEL': ['EVALUATING MODEL', ...backToQueue, ...anyTime],
  'EVALUATING MODEL': ['SAVING MODEL', ...backToQueue, ...anyTime],
  'SAVING MODEL': ['COMPLETED', 'PARTIALLY COMPLETED', ...backToQueue, ...anyTime],
  // Passed through within one transaction: clients that wait would never see an end of it.
  'TIMED OUT': ['QUEUED'],
  FAILED: ['QUEUED'],
  CANCELLED: ['QUEUED'],
  COMPLETED: [],
  'PARTIALLY COMPLETED': [],
};

/** As literals, like the condition of the queue's partial index: with bound parameters a database could not use that index. */
export const isInQueue = sql<boolean>`status in (${sql.join(waiting.map(sql.lit))})`;

export const isWaiting = (status: JobStatus): boolean => waiting.includes(status);
export const isRunning = (status: JobStatus): boolean => running.includes(status);
/** Never to be gone on with. */
export const isFinished = (status: JobStatus): boolean => transitions[status].length === 0;
export const isLegal = (from: JobStatus, to: JobStatus): boolean => transitions[from].includes(to);

/** The steps from one state of a run to a later one: a model that was found finished passes through all of them. */
export function stepsTo(from: JobStatus, to: JobStatus): JobStatus[] {
  const at = running.indexOf(from);
  const end = running.indexOf(to);
  return at < 0 || end <= at ? [] : running.slice(at + 1, end + 1);
}
