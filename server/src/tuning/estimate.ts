// What a job will cost, learned from the jobs that this installation has finished on the same base: seconds that every job takes, seconds that
// every expert adds, the memory of a worker. Before there are any it is a guess.
import type { Selectable } from 'kysely';
import type { Store } from '../store/database.ts';
import type { TuningJobRow } from '../store/schema.ts';

export interface Experience {
  jobs: number;
  /** Of every job, before and after the training. */
  fixed: number;
  perExpert: number;
  peakMemory: number | null;
}

const looked = 30;
/** Of the shipped base on one core; a large one on a GPU is of the same order. */
const guess = { fixed: 4, perExpert: 0.1 };

export async function experienceOf(store: Store, base: string): Promise<Experience> {
  const rows = await store.db
    .selectFrom('tuning_jobs')
    .select(['ran', 'progress', 'slots', 'peak_memory'])
    .where('base_model', '=', base)
    .where('status', 'in', ['COMPLETED', 'PARTIALLY COMPLETED'])
    .where('sweep', 'is', null)
    // Of a model that was imported: it ran elsewhere.
    .where('ran', '>', 0)
    .orderBy('id', 'desc')
    .limit(looked)
    .execute();
  return learned(rows);
}

/** The line of least squares through what jobs took, neither part of it below nothing. */
export function learned(
  rows: Pick<Selectable<TuningJobRow>, 'ran' | 'progress' | 'slots' | 'peak_memory'>[],
): Experience {
  const points = rows.map(({ ran, progress, slots }) => {
    const { experts_total, experts_reused } = JSON.parse(progress);
    return { x: (experts_total - experts_reused) / slots, y: ran / 1000 };
  });
  const peaks = rows.map(({ peak_memory }) => peak_memory).filter((peak) => peak !== null);
  const peakMemory = peaks.length > 0 ? Math.max(...peaks) : null;
  if (points.length === 0) return { jobs: 0, ...guess, peakMemory };
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const x = mean((point) => point.x);
  const y = mean((point) => point.y);
  const spread = mean((point) => (point.x - x) ** 2);
  // Jobs of one size tell nothing of what an expert adds.
  const slope =
    spread > 1
      ? mean((point) => (point.x - x) * (point.y - y)) / spread
      : Math.min(guess.perExpert, y / Math.max(1, x));
  const perExpert = Math.max(0, slope);
  const fixed = Math.max(0, y - perExpert * x);
  return { jobs: points.length, fixed, perExpert: fixed === 0 ? y / Math.max(1e-9, x) : perExpert, peakMemory };
}
