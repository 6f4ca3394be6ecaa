// Meaning of the states of tuning jobs and of document indexes.
import { type JobStatus, jobStates } from './generated/tables.ts';

interface HasStatus {
  status: JobStatus;
}

/** Whether the state is final: the job does not change unless it is resumed. One that only a newer server knows is not. */
export const isOver = ({ status }: HasStatus): boolean => jobStates[status]?.phase === 'over';
/** Whether the job ended with a model, or with an index that can be searched. */
export const hasResult = ({ status }: HasStatus): boolean => 'hasResult' in (jobStates[status] ?? {});
