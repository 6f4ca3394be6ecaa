// What comes when the files of an index are through: its vectors are put in order, and what a search in it finds is measured.
import { Refusal } from '@lorekeep/contract';
import type { Asker } from '../../completions/asking.ts';
import { isPassing } from '../../completions/persist.ts';
import { calibrate } from './calibrate.ts';
import type { Workplace } from './indexing.ts';
import type { HeldIndex, Measurements } from './ledger.ts';

/** With this share of the passages that it was measured on an index keeps its threshold. */
const nearlyAll = 0.9;

/** `lostAlone`: since it was measured files were removed, and none was read. */
export async function settle(
  place: Workplace,
  index: HeldIndex,
  asker: Asker,
  { cancelled, lostAlone }: { cancelled: boolean; lostAlone: boolean },
): Promise<{ measured: Measurements; told: string }> {
  const passages = await place.vectors.count(index.vectors);
  const approximate = await place.vectors.settle(index.vectors);
  const { approximate: _, ...before } = JSON.parse(index.measured) as Measurements;
  const { threshold, calibrated = 0 } = before;
  const holds = cancelled || (threshold !== undefined && lostAlone && passages >= nearlyAll * calibrated);
  const found = holds ? undefined : await thresholdOf(place, index, asker);
  return {
    measured: {
      ...before,
      ...(approximate && { approximate }),
      ...(found !== undefined && { threshold: found, calibrated: passages }),
    },
    told: approximate
      ? `Search walks a graph of ${passages} passages; recall of the fifty nearest ${approximate.recall.toFixed(3)}`
      : `Search compares all of ${count(passages, 'passage')}`,
  };
}

/** An embedder that is gone for good measures nothing; what was read can be found by its words all the same. */
async function thresholdOf(place: Workplace, index: HeldIndex, asker: Asker): Promise<number | undefined> {
  return await calibrate(place, index, asker).catch((error) => {
    if (error instanceof Refusal && !isPassing(error)) return undefined;
    throw error;
  });
}

export const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
