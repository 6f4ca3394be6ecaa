// lorekeep tune: from a file of facts to a model that recalls them.
import {
  defaultGate,
  type Gate,
  gates,
  InvalidRequestError,
  type PlanTrainingAnswer,
  type TrainArgs,
} from '@lorekeep/client';
import type { Command, Option, ParsedArguments } from '../command.ts';
import { UsageError } from '../exit.ts';
import { followJob } from '../follow-job.ts';
import { bytes, count, duration } from '../format.ts';
import { columns, datasetOf, withDatasetOf } from '../rows.ts';
import { stripControls } from '../terminal.ts';
import { defaultModel } from './ask.ts';

const tuningOptions: Record<string, Option> = {
  model: { value: 'NAME', short: 'm', names: 'bases', about: `the base; ${defaultModel} without it` },
  name: { value: 'NAME', about: 'a name of your own for the model; it moves to the newest model tuned under it' },
  ...columns,
  set: {
    value: 'NAME=VALUE',
    multiple: true,
    about: 'an argument of the tuning, such as max_steps=50; may be repeated',
  },
  gate: {
    value: 'GATE',
    choices: Object.keys(gates),
    about: `how similar a question has to be to a fact; ${defaultGate} without it`,
  },
  gpus: { value: 'NUMBER', about: 'GPUs of each node; 1 without it' },
  nodes: { value: 'NUMBER', about: '1 without it' },
  priority: { value: 'NUMBER', about: 'jobs of a higher one go first; 0 without it' },
  public: { about: 'other accounts may use the model' },
  fresh: { about: 'reuse nothing from earlier models' },
};

export const tune: Command = {
  name: 'tune',
  needsEngine: true,
  summary: 'tune a model on a file of facts, or on a dataset',
  words: 'FILE',
  options: {
    ...tuningOptions,
    plan: { about: 'dry run: only print the plan and its cost' },
    watch: { short: 'w', about: 'wait until it is over, and show its progress' },
  },
  more:
    'FILE is JSON lines, CSV or Parquet with a question and its exact answer in each row, - for standard input, or the id of a dataset. Prints the number of the\n' +
    'job; with --watch the name of the model. Ctrl-C leaves the job running.',
  async run(context, given) {
    const [file] = given.words as [string];
    // All other options are validated before the rows are uploaded.
    const argsOf = argumentsOf(given);
    const planOf = async (args: TrainArgs) => await context.client().planTraining(args, context);
    if (given.is('plan')) {
      const plan = await withDatasetOf(context, given, file, async (dataset) => await planOf(argsOf(dataset)));
      context.show(plan, () => planLines(plan, modelIn(given)).join('\n'));
      return checkTeachable(plan);
    }
    const args = argsOf(await datasetOf(context, given, file));
    const plan = await planOf(args);
    if (!context.json) for (const line of planLines(plan, args.model_name)) context.terminal.say(line);
    // The refused rows were already listed one by one.
    const { job_id, ...job } = await context.client().train(args, context);
    if (given.is('watch')) return await followJob(context, job_id);
    context.show({ job_id, ...job, plan }, () => String(job_id));
    context.terminal.say(`To follow it: ${context.program} jobs watch ${job_id}`);
  },
};

const modelIn = (given: ParsedArguments): string => given.text('model') ?? defaultModel;

function argumentsOf(given: ParsedArguments): (dataset: string) => TrainArgs {
  const args = {
    model_name: modelIn(given),
    custom_model_name: given.text('name'),
    finetune_args: finetuneArgs(given),
    gate: given.text('gate') as Gate | undefined,
    gpu_config: { gpus: given.number('gpus'), nodes: given.number('nodes') },
    priority: given.number('priority'),
    ...(given.is('public') && { is_public: true }),
    ...(given.is('fresh') && { use_cached_model: false }),
  };
  return (dataset_id) => ({ ...args, dataset_id });
}

/** Parses --set into finetune_args. */
export function finetuneArgs(given: ParsedArguments): Record<string, unknown> | undefined {
  const named = given.all('set').map(parseArgument);
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}

/** Parses `learning_rate=3e-4`: the value is a number, a boolean, or a text. */
function parseArgument(text: string): [string, unknown] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.+)$/.exec(text) ?? [];
  if (!name || !value) throw new UsageError(`--set "${text}": it takes NAME=VALUE, such as max_steps=50.`);
  return [name, valueIn(value)];
}

export function valueIn(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Exits with the code that the tuning would have, if the plan shows that it would be refused. */
function checkTeachable({ conflicts, too_long }: PlanTrainingAnswer): void {
  if (conflicts.length === 0 && too_long.length === 0) return;
  const [code, what] =
    conflicts.length > 0 ? ['facts_conflict', 'contradict others'] : ['facts_too_long', 'are too long'];
  const detail = `A tuning would be refused: the plan names rows that ${what}. Correct them, and plan again.`;
  throw new InvalidRequestError({ code, detail });
}

/** Formats the plan for a person. */
function planLines(plan: PlanTrainingAnswer, base: string): string[] {
  const again = plan.duplicates_total > 0 ? ` (${count(plan.duplicates_total, 'row')} repeat others)` : '';
  const reused = plan.experts_to_reuse ? `, ${plan.experts_to_reuse} reused from earlier models` : '';
  const costs = [
    plan.seconds === null ? undefined : `about ${duration(plan.seconds)}`,
    plan.memory_bytes === null ? undefined : `${bytes(plan.memory_bytes)} of memory`,
    plan.model_bytes === null ? undefined : `${bytes(plan.model_bytes)} on the disk`,
  ].filter((cost) => cost !== undefined);
  const guess = plan.seconds_from_jobs === 0 ? ' (the time is a guess: no job has finished here yet)' : '';
  const { position, slots_free, seconds_until_start } = plan.queue;
  const wait = seconds_until_start === null ? '' : `, in about ${duration(seconds_until_start)}`;
  return [
    `${count(plan.facts, 'fact')}${again} on ${base}`,
    ...(plan.experts_to_train === null ? [] : [`${count(plan.experts_to_train, 'expert')} to train${reused}`]),
    ...(plan.experts_to_verify
      ? [`${plan.experts_to_verify} of them exist for another precision, and are trained only if they do not recite`]
      : []),
    ...(costs.length > 0 ? [`${costs.join(', ')}${guess}`] : []),
    slots_free >= plan.slots && position === 1 ? 'it can start at once' : `place ${position} of the queue${wait}`,
    ...[...plan.conflicts, ...plan.too_long].map(({ message }) => stripControls(message)),
    ...plan.warnings.map(stripControls),
  ];
}
