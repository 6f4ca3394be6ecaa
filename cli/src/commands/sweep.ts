// lorekeep sweep: compares values of one tuning argument.
import { defaultSweep, isOver, type Sweep } from '@lorekeep/client';
import type { Command, Context } from '../command.ts';
import { EndedError, Interrupted, UsageError } from '../exit.ts';
import { count, duration, wholeNumber } from '../format.ts';
import { bar, curve } from '../progress.ts';
import { columns, datasetOf } from '../rows.ts';
import { table } from '../terminal.ts';
import { defaultModel } from './ask.ts';
import { finetuneArgs, valueIn } from './tune.ts';

const defaultValues = defaultSweep.values.join(',');

export const sweep: Command = {
  name: 'sweep',
  needsEngine: true,
  summary: 'try values of an argument of the tuning on some of the facts, and see which is best',
  words: 'FILE',
  options: {
    model: { value: 'NAME', short: 'm', names: 'bases', about: `the base; ${defaultModel} without it` },
    argument: { value: 'NAME', about: `the argument to vary; ${defaultSweep.argument} without it` },
    values: { value: 'LIST', about: `its values with commas; ${defaultValues} without it` },
    facts: {
      value: 'NUMBER',
      about: `number of facts taught with each value; ${defaultSweep.facts} without it`,
    },
    ...columns,
    set: { value: 'NAME=VALUE', multiple: true, about: 'another argument, the same for all values; may be repeated' },
    detach: { about: 'do not wait: print the number of the job' },
  },
  more:
    'FILE is JSON lines, CSV or Parquet, - for standard input, or the id of a dataset. Prints each value with its recall and its curve of loss; the best one recalls\n' +
    'most with the fewest steps. Makes no model. Ctrl-C leaves it running.',
  async run(context, given) {
    const argument = given.text('argument') ?? defaultSweep.argument;
    const values = given.text('values') ?? (argument === defaultSweep.argument ? defaultValues : undefined);
    if (values === undefined) throw new UsageError(`"sweep" needs --values: the values of ${argument}.`);
    const started = await context.client().sweep(
      {
        model_name: given.text('model') ?? defaultModel,
        argument: argument as Parameters<ReturnType<Context['client']>['sweep']>[0]['argument'],
        values: values.split(',').map((value) => valueIn(value.trim())),
        facts: given.number('facts'),
        finetune_args: finetuneArgs(given),
        dataset_id: await datasetOf(context, given, given.words[0]!),
      },
      context,
    );
    if (given.is('detach')) context.show(started, () => String(started.job_id));
    else await follow(context, started.job_id);
  },
};

export const sweepShow: Command = {
  name: 'sweep show',
  summary: 'the values of a sweep side by side; waits until it is over where it runs',
  words: 'ID',
  names: 'jobs',
  async run(context, given) {
    await follow(context, wholeNumber(given.words[0], 'a sweep'));
  },
};

async function follow(context: Context, id: number): Promise<void> {
  const client = context.client();
  try {
    for await (const job of client.jobProgress(id, context)) {
      if (isOver(job)) break;
      const { facts_done, facts_total } = job.progress;
      if (context.json) context.show({ ...job, history: undefined }, () => '');
      else
        context.terminal.draw([
          `${bar(facts_total === 0 ? 0 : facts_done / facts_total, 30)} ${job.status}  ${facts_done.toLocaleString('en')} of ${count(facts_total, 'fact')}`,
        ]);
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    throw new Interrupted(
      `The sweep ${id} continues. Its values: ${context.program} sweep show ${id}. To stop it: ${context.program} jobs cancel ${id}.`,
    );
  }
  const found = await client.showSweep({ id }, context);
  context.show(found, () => pictureOf(found));
  if (found.status !== 'COMPLETED')
    throw new EndedError(`The sweep ${id} is ${found.status}${found.error ? `: ${found.error}` : '.'}`);
}

/** Prints a table, and below it the loss curves on the same scale of steps. */
function pictureOf({ sweep: order, trials }: Sweep): string {
  const best = JSON.stringify(order?.best);
  const rows = trials.map((trial) => [
    `${JSON.stringify(trial.value)}${JSON.stringify(trial.value) === best ? ' (best)' : ''}`,
    `${trial.facts_recalled}/${trial.facts}`,
    trial.steps.toFixed(0),
    trial.loss === null ? '' : trial.loss.toPrecision(3),
    duration(trial.seconds),
  ]);
  const curves = trials.flatMap(({ value, curve: points }) => {
    const losses = points.flatMap(({ loss }) => (loss === null ? [] : [loss]));
    return losses.length > 1 ? ['', `loss with ${JSON.stringify(value)}`, ...curve(losses, 72, 4)] : [];
  });
  return [
    table([[(order?.argument ?? 'VALUE').toUpperCase(), 'RECALLED', 'STEPS', 'LOSS', 'TIME'], ...rows]),
    ...curves,
  ].join('\n');
}
