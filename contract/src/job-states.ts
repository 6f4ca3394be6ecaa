// The states of jobs and of document indexes, once, in the order in which a job passes through them.
// engine/lorekeep/contract.py and the tables of the client are made from here.

/** In the queue; run by a server; ended; or passed through within one transaction, where only events show it. */
export type Phase = 'waiting' | 'running' | 'over' | 'passed';

export interface JobState {
  phase: Phase;
  /** It ended with a model, or with an index that can be asked. */
  hasResult?: true;
}

export const jobStates = {
  CREATED: { phase: 'waiting' },
  QUEUED: { phase: 'waiting' },
  'LOADING DATA': { phase: 'running' },
  'TRAINING MODEL': { phase: 'running' },
  'EVALUATING MODEL': { phase: 'running' },
  'SAVING MODEL': { phase: 'running' },
  COMPLETED: { phase: 'over', hasResult: true },
  'PARTIALLY COMPLETED': { phase: 'over', hasResult: true },
  FAILED: { phase: 'over' },
  CANCELLED: { phase: 'over' },
  'TIMED OUT': { phase: 'passed' },
} as const satisfies Record<string, JobState>;

export type JobStatus = keyof typeof jobStates;
export const jobStatuses = Object.keys(jobStates) as [JobStatus, ...JobStatus[]];
export const statusesIn = (phase: Phase): JobStatus[] => jobStatuses.filter((one) => jobStates[one].phase === phase);

/** An index neither trains nor evaluates, and has no limit of time. */
export const indexStatuses = [
  'CREATED',
  'QUEUED',
  'LOADING DATA',
  'SAVING MODEL',
  'COMPLETED',
  'PARTIALLY COMPLETED',
  'FAILED',
  'CANCELLED',
] as const satisfies JobStatus[];
export type IndexStatus = (typeof indexStatuses)[number];

/** Final states: a job changes no more unless it is resumed. */
export const isOver = (status: JobStatus): boolean => jobStates[status].phase === 'over';
/** It ended with a model, or with an index that can be asked. */
export const hasResult = (status: JobStatus): boolean => 'hasResult' in jobStates[status];
