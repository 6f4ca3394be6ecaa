// What the pages of tuning know of jobs.
import type { TuningJob } from '@lorekeep/client';

const over: TuningJob['status'][] = ['COMPLETED', 'PARTIALLY COMPLETED', 'FAILED', 'CANCELLED'];
export const isOver = ({ status }: Pick<TuningJob, 'status'>): boolean => over.includes(status);
export const hasModel = ({ status }: Pick<TuningJob, 'status'>): boolean =>
  status === 'COMPLETED' || status === 'PARTIALLY COMPLETED';

export interface Point {
  step: number;
  loss: number;
  learning_rate: number;
  iter_time: number;
  /** The share of the facts that are learned. */
  epoch: number;
}

/** The history comes as a text of JSON, as the platform's clients expect it. */
export const pointsOf = ({ history }: Pick<TuningJob, 'history'>): Point[] => JSON.parse(history) as Point[];
