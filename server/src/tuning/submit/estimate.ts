// Cost estimates, learned from finished jobs on the same base in this installation: fixed seconds of a job, seconds per
// expert, memory of a worker. The first estimate is a guess.
import { availableParallelism, loadavg } from 'node:os';
import { hasResult, jobStatuses } from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import type { Store } from '../../store/database.ts';
import type { TuningJobRow } from '../../store/schema.ts';

export interface Experience {
  jobs: number;
  /** Fixed seconds of a job, before and after the training. */
  fixed: number;
  perExpert: number;
  peakMemory: number | null;
}

const maxJobsRead = 30;
/** Minimum difference in experts between two jobs that are compared: closer jobs do not reveal the cost of one expert. */
const minExpertDifference = 1;
/** Initial guess: figures of the shipped base on an idle core. A large base on a GPU is of the same order. */
const guess = { fixed: 2, perExpert: 0.06 };
/** Weight of the guess: it counts as much as two jobs whose sizes differ by this many experts. */
const guessApart = 30;

export async function experienceOf(store: Store, base: string): Promise<Experience> {
  const rows = await store.db
    .selectFrom('tuning_jobs')
    .select(['ran', 'progress', 'slots', 'peak_memory'])
    .where('base_model', '=', base)
    .where('status', 'in', jobStatuses.filter(hasResult))
    .where('sweep', 'is', null)
    // An imported model ran elsewhere.
    .where('ran', '>', 0)
    .orderBy('id', 'desc')
    .limit(maxJobsRead)
    .execute();
  return fitExperience(rows);
}

/**
 * Robust linear fit of the job times with non-negative coefficients: the weighted median of the lines through each two jobs, so
 * that an outlier has little effect. Small jobs hardly determine the cost of an expert, so a line's weight is its squared
 * length. The guess, scaled to the speed of this machine, is one of the lines.
 */
export function fitExperience(
  rows: Pick<Selectable<TuningJobRow>, 'ran' | 'progress' | 'slots' | 'peak_memory'>[],
): Experience {
  const points = rows.map(({ ran, progress, slots }) => {
    const { experts_total, experts_reused } = JSON.parse(progress);
    return { x: (experts_total - experts_reused) / slots, y: ran / 1000 };
  });
  const peaks = rows.map(({ peak_memory }) => peak_memory).filter((peak) => peak !== null);
  const peakMemory = peaks.length > 0 ? Math.max(...peaks) : null;
  if (points.length === 0) return { jobs: 0, ...guess, peakMemory };
  const x = median(points.map((point) => point.x));
  const y = median(points.map((point) => point.y));
  const slopes = points.flatMap((one, at) =>
    points
      .slice(at + 1)
      .filter((other) => Math.abs(other.x - one.x) >= minExpertDifference)
      .map((other) => ({ value: (other.y - one.y) / (other.x - one.x), weight: (other.x - one.x) ** 2 })),
  );
  const pace = median(points.map((point) => point.y / (guess.fixed + guess.perExpert * point.x)));
  // Jobs of one size do not determine the cost of one expert.
  const perExpert =
    slopes.length > 0
      ? Math.max(0, weightedMedian([...slopes, { value: pace * guess.perExpert, weight: guessApart ** 2 }]))
      : Math.min(guess.perExpert, y / Math.max(1, x));
  const fixed = Math.max(0, median(points.map((point) => point.y - perExpert * point.x)));
  return { jobs: points.length, fixed, perExpert: fixed === 0 ? y / Math.max(1e-9, x) : perExpert, peakMemory };
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

function weightedMedian(values: { value: number; weight: number }[]): number {
  const sorted = values.toSorted((one, other) => one.value - other.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const { value, weight } of sorted) {
    passed += weight;
    if (passed >= half) return value;
  }
  return sorted.at(-1)!.value;
}

/** Slowdown of the machine at present. The guess assumes an idle core; finished jobs already include the load of this machine. */
export function slowdown(
  { jobs }: Pick<Experience, 'jobs'>,
  load = loadavg()[0]!,
  cores = availableParallelism(),
): number {
  return jobs > 0 ? 1 : Math.max(1, (load + 1) / cores);
}
