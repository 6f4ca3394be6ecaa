// Remaining time of a running job. The engine estimates it after each wave from the speed of the finished waves. Before the
// first wave, finished jobs of this installation give the estimate. Between two estimates the elapsed time is subtracted.
import type { JobProgress } from '@lorekeep/contract';
import { isRunning } from './queue/states.ts';
import type { Job } from './queue/transition.ts';
import { type Experience, slowdown } from './submit/estimate.ts';

/** The progress of a job as stored. */
export interface KeptProgress extends JobProgress {
  /** Time of the engine's estimate `eta_seconds`, in milliseconds. */
  told_at?: number;
}

/** Assumed facts per expert, before the job has grouped them. */
const factsPerExpert = 3;

export type Clocked = Pick<Job, 'status' | 'started_at' | 'gpus' | 'nodes' | 'progress'>;

export function estimateSecondsLeft(
  { status, started_at, gpus, nodes, progress }: Clocked,
  experience: Experience,
  now: number,
) {
  const { eta_seconds, told_at, facts_total, experts_total, experts_reused } = JSON.parse(progress) as KeptProgress;
  if (!isRunning(status) || started_at === null) return eta_seconds;
  if (eta_seconds !== null && told_at !== undefined && told_at >= started_at)
    return remainingSeconds(eta_seconds, (now - told_at) / 1000);
  const experts = experts_total > 0 ? experts_total - experts_reused : facts_total / factsPerExpert;
  const whole = experience.fixed + (experience.perExpert * experts) / (gpus * nodes);
  return remainingSeconds(whole * slowdown(experience), (now - started_at) / 1000);
}

/** An estimate that has run out is replaced by a quarter of the time elapsed since, so that it is never 0 while the job runs. */
function remainingSeconds(estimate: number, since: number): number {
  const seconds = Math.max(estimate - since, since / 4);
  return seconds < 1 ? 1 : Math.round(seconds);
}

export function shownProgress(job: Clocked, experience: Experience | undefined, now = Date.now()): JobProgress {
  // Jobs of earlier versions have no `move`.
  const { told_at: _, move = null, ...kept } = JSON.parse(job.progress) as KeptProgress;
  const progress = { ...kept, move };
  return experience ? { ...progress, eta_seconds: estimateSecondsLeft(job, experience, now) } : progress;
}
