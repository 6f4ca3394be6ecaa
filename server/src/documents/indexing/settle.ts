// Last step of a build: optimizes the vectors of an index and calibrates its search.
import { Refusal } from '@lorekeep/contract';
import type { CallContext } from '../../inference/model-client.ts';
import { isTransient } from '../../inference/transient.ts';
import { calibrate } from './calibrate.ts';
import type { IndexingDependencies } from './dependencies.ts';
import type { LeasedIndex, Measurements } from './index-store.ts';

/** Minimum share of the calibrated passages that must remain for the threshold to stay valid. */
const minRemainingShare = 0.9;

/** `lostAlone`: since the calibration, files were only removed, not added. */
export async function settle(
  place: IndexingDependencies,
  index: LeasedIndex,
  callContext: CallContext,
  { cancelled, lostAlone }: { cancelled: boolean; lostAlone: boolean },
): Promise<{ measured: Measurements; message: string }> {
  const passages = await place.vectors.count(index.vectors);
  const approximate = await place.vectors.settle(index.vectors);
  const { approximate: _, ...before } = JSON.parse(index.measured) as Measurements;
  const { threshold, calibrated = 0 } = before;
  const holds = cancelled || (threshold !== undefined && lostAlone && passages >= minRemainingShare * calibrated);
  const found = holds ? undefined : await thresholdOf(place, index, callContext);
  return {
    measured: {
      ...before,
      ...(approximate && { approximate }),
      ...(found !== undefined && { threshold: found, calibrated: passages }),
    },
    message: approximate
      ? `Search walks a graph of ${passages} passages; recall of the fifty nearest ${approximate.recall.toFixed(3)}`
      : `Search compares all of ${count(passages, 'passage')}`,
  };
}

/** Calibrates the threshold. Skipped if the embedder is permanently missing; full-text search still works. */
async function thresholdOf(
  place: IndexingDependencies,
  index: LeasedIndex,
  callContext: CallContext,
): Promise<number | undefined> {
  return await calibrate(place, index, callContext).catch((error) => {
    if (error instanceof Refusal && !isTransient(error)) return undefined;
    throw error;
  });
}

export const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
