// Requests to /v1/train/sweep as opposed to tuning requests, and the column that stores them.
import { defaultSweep, sweepFields, type TrainBody, trainBody } from '@lorekeep/contract';
import { parsed } from '../http/validate.ts';
import type { SweepOrder } from './job-folders.ts';

/** The stored part of a sweep. */
export interface KeptSweep extends SweepOrder {
  best: unknown;
}

export const parseSweep = ({ sweep }: { sweep: string | null }): KeptSweep | null =>
  sweep === null ? null : (JSON.parse(sweep) as KeptSweep);

const fields = trainBody.omit({ data: true });

/** The fields besides the rows: those of a tuning that apply to a sweep, and the sweep's own. */
export function readSweep(given: Record<string, unknown>): Omit<TrainBody, 'data'> & { sweep: SweepOrder } {
  const { argument, values, facts, ...rest } = parsed(sweepFields, given);
  return { ...fields.parse(rest), sweep: { argument, values, facts: facts ?? defaultSweep.facts } };
}

/** Router arguments cannot be swept: a sweep asks facts with their own experts and involves no router. */
export const isOfRouter = (argument: string): boolean => argument.startsWith('index_') && argument !== 'index_max_size';
