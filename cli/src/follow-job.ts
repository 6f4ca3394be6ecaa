// Follows a running tuning job: a progress bar, its state, and its loss curve. Ctrl-C leaves it running.
import { hasResult, historyOf, type TuningJob } from '@lorekeep/client';
import type { Context } from './command.ts';
import { EndedError, Interrupted, PartlyError } from './exit.ts';
import { count, duration } from './format.ts';
import { bar, curve } from './progress.ts';

const maxWidth = 72;
/** Minimum points for a curve; the values of fewer points are printed. */
const minCurvePoints = 4;
const curveHeight = 5;

/** Follows a job to its end and prints the name of its model. */
export async function followJob(context: Context, id: number): Promise<void> {
  let job: TuningJob | undefined;
  try {
    for await (job of context.client().jobProgress(id, context)) {
      // One line per change. The growing curve is only in the last one.
      if (context.json) {
        if (job.finished_at === null) context.show({ ...job, history: undefined }, () => '');
      } else context.terminal.draw(picture(job, Math.min(maxWidth, context.terminal.width - 1)));
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    context.terminal.keep();
    throw new Interrupted(
      `The job ${id} continues. To follow it: ${context.program} jobs watch ${id}. To stop it: ${context.program} jobs cancel ${id}.`,
    );
  }
  context.terminal.keep();
  conclude(context, job!);
}

export function picture(job: TuningJob, width: number): string[] {
  const losses = historyOf(job).flatMap(({ loss }) => loss ?? []);
  const share = shareOf(job);
  return [
    `${bar(share, Math.min(30, width - 24))} ${String(Math.floor(share * 100)).padStart(3)} %  ${job.status}`,
    stateText(job),
    // The newest one may be why nothing happens.
    ...(job.finished_at === null ? job.warnings.slice(-1) : []),
    ...(job.progress.move ? [movedFacts(job.progress.move)] : []),
    ...(losses.length >= minCurvePoints ? ['', 'loss', ...curve(losses, width, curveHeight)] : []),
    ...(losses.length > 0 && losses.length < minCurvePoints
      ? [`loss ${losses.map((loss) => loss.toPrecision(3)).join(', ')}`]
      : []),
  ];
}

/** The facts of a model that moves to another base. */
export const movedFacts = ({ facts_taken_over, facts_taught_again }: NonNullable<TuningJob['progress']['move']>) =>
  `${count(facts_taken_over, 'fact')} taken over, ${facts_taught_again.toLocaleString('en')} taught again`;

function shareOf(job: TuningJob): number {
  const { facts_done, facts_total } = job.progress;
  if (hasResult(job)) return 1;
  return facts_total === 0 ? 0 : facts_done / facts_total;
}

function stateText({ queue_position, progress, status, finished_at }: TuningJob): string {
  if (queue_position !== null) return queue_position === 1 ? 'it is the next' : `place ${queue_position} of the queue`;
  const { experts_done, experts_total, facts_done, facts_total, eta_seconds } = progress;
  if (facts_total === 0) return status === 'LOADING DATA' ? 'reading the facts' : '';
  const left = eta_seconds === null || finished_at !== null ? '' : `, about ${duration(eta_seconds)} left`;
  return `${facts_done.toLocaleString('en')} of ${count(facts_total, 'fact')}, ${experts_done.toLocaleString('en')} of ${count(experts_total, 'expert')}${left}`;
}

/** Reports the end of a job: to a person, and as the exit code of the program. */
function conclude(context: Context, job: TuningJob): void {
  // A job that ended without a result has made no model of this name.
  const name = hasResult(job) ? (job.custom_model_name ?? job.model_name) : null;
  // A sweep makes no model: `sweep show` prints its result.
  const compares = job.sweep !== null && job.status === 'COMPLETED';
  context.show(job, () => (compares ? String(job.job_id) : (name ?? '')));
  if (compares) {
    context.terminal.say(`Its values side by side: ${context.program} sweep show ${job.job_id}`);
    return;
  }
  const back = `${context.program} jobs logs ${job.job_id} shows its log, ${context.program} jobs resume ${job.job_id} resumes it.`;
  if (job.status === 'CANCELLED') throw new EndedError(`The job ${job.job_id} was cancelled. ${back}`);
  if (job.model_name === null)
    throw new EndedError(`The job ${job.job_id} failed: ${job.error ?? 'no reason is known.'} ${back}`);
  const { facts_recalled, facts_total } = job.progress;
  if (job.status === 'PARTIALLY COMPLETED')
    throw new PartlyError(
      `The model recalls ${facts_recalled ?? 0} of ${count(facts_total, 'fact')}; what it does not recall it does not say. ${context.program} models facts ${name} --failed names them.`,
    );
  context.terminal.say(
    `${facts_total === 1 ? 'The fact is' : `All ${count(facts_total, 'fact')} are`} recalled word for word. To ask: ${context.program} ask -m ${name} "..."`,
  );
}
