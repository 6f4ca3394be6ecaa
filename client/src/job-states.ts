// Meaning of the states of tuning jobs and of document indexes.
import { type JobStatus, jobStates } from './generated/tables.ts';

interface HasStatus {
  status: JobStatus;
}

/** Final states: a job changes no more unless it is resumed. */
export const isOver = ({ status }: HasStatus): boolean => jobStates[status].phase === 'over';
/** It ended with a model, or with an index that can be asked. */
export const hasResult = ({ status }: HasStatus): boolean => 'hasResult' in jobStates[status];
