// lorekeep jobs: waiting, running and finished tuning jobs.
import { hasResult, isOver, type TuningJob } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit.ts';
import { followJob, picture } from '../follow-job.ts';
import { count, shortTime, wholeNumber } from '../format.ts';
import { table } from '../terminal.ts';

const numberOf = (words: string[]) => wholeNumber(words[0], 'a job');

export const jobsList: Command = {
  name: 'jobs list',
  summary: 'the tuning jobs of the account, newest first',
  options: { limit: { value: 'NUMBER', about: 'maximum number of jobs; 20 without it' } },
  async run(context, given) {
    const jobs = await context.client().listJobs({ limit: given.number('limit') ?? 20 }, context);
    const row = (job: TuningJob) => [
      String(job.job_id),
      job.status,
      job.queue_position === null ? '' : String(job.queue_position),
      job.progress.facts_total === 0 ? '' : `${job.progress.facts_done}/${job.progress.facts_total}`,
      shortTime(job.created_at),
      isOver(job) && !hasResult(job) ? '' : (job.custom_model_name ?? job.model_name ?? ''),
    ];
    context.show(jobs, () => table([['JOB', 'STATUS', 'PLACE', 'FACTS', 'MADE', 'MODEL'], ...jobs.map(row)]));
  },
};

export const jobsShow: Command = {
  name: 'jobs show',
  summary: 'one job with its events',
  words: 'ID',
  names: 'jobs',
  async run(context, given) {
    const id = numberOf(given.words);
    const job = await context.client().showJob({ id }, context);
    const events = await collectItems(context.client().allJobEvents({ id, limit: 1000 }, context));
    context.show({ ...job, events }, () =>
      [
        ...picture(job, 72),
        '',
        ...events.map(
          ({ time, type, status, reason }) =>
            `${shortTime(time)}  ${type === 'warning' ? 'warning' : status}${reason ? `  ${reason}` : ''}`,
        ),
        ...(job.error ? ['', job.error] : []),
        '',
        `base   ${job.base_model}`,
        `model  ${modelText(job)}`,
        ...(job.dataset_id ? [`data   ${job.dataset_id.slice(0, 12)}`] : []),
      ].join('\n'),
    );
  },
};

function modelText(job: TuningJob): string {
  const name = job.custom_model_name ?? job.model_name;
  if (hasResult(job)) return name ?? 'none';
  return isOver(job) ? 'none' : name ? `${name}, once it is over` : 'none yet';
}

export const jobsWatch: Command = {
  name: 'jobs watch',
  summary: 'show the progress of a job until it is over, then print the name of its model',
  words: 'ID',
  names: 'jobs',
  more: 'Ctrl-C leaves the job running. Exits with 6 if the job failed or was cancelled, with 7 if some facts are not recalled.',
  async run(context, given) {
    await followJob(context, numberOf(given.words));
  },
};

export const jobsCancel: Command = {
  name: 'jobs cancel',
  summary: 'stop a job; its finished waves are kept',
  words: '[ID]',
  names: 'jobs',
  options: { all: { about: 'all jobs of the account that wait or run' } },
  async run(context, given) {
    if (given.is('all') === given.words.length > 0) throw new UsageError('Name one job, or use --all.');
    if (given.is('all')) {
      const answer = await context.client().cancelJobs({}, context);
      return context.show(answer, () => `${count(answer.cancelled.length, 'job')} cancelled.`);
    }
    const id = numberOf(given.words);
    const answer = await context.client().cancelJob({ id }, context);
    context.show(answer, () => `The job ${id} is cancelled. ${context.program} jobs resume ${id} resumes it.`);
  },
};

export const jobsResume: Command = {
  name: 'jobs resume',
  summary: 'resume a job that failed or was cancelled',
  words: 'ID',
  names: 'jobs',
  options: { watch: { short: 'w', about: 'wait until it is over, and show its progress' } },
  async run(context, given) {
    const id = numberOf(given.words);
    const answer = await context.client().resumeJob({ id }, context);
    if (given.is('watch')) return await followJob(context, id);
    context.show(answer, () => `The job ${id} continues. To follow it: ${context.program} jobs watch ${id}`);
  },
};

export const jobsLogs: Command = {
  name: 'jobs logs',
  summary: 'the output of the workers of a job',
  words: 'ID',
  names: 'jobs',
  options: { lines: { value: 'NUMBER', about: 'number of last lines; 1000 without it' } },
  async run(context, given) {
    const lines = await context
      .client()
      .readJobLog({ id: numberOf(given.words), lines: given.number('lines') }, context);
    context.show(lines, () => lines.join('\n'));
  },
};
