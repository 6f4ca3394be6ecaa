// lorekeep eval: asks several targets the questions of a file or dataset and counts right answers.
import {
  type Evaluation,
  type EvaluationRow,
  type Outcome,
  outcomes,
  type StartEvaluationArgs,
} from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context, ParsedArguments } from '../command.ts';
import { EndedError, Interrupted, PartlyError, UsageError } from '../exit.ts';
import { count, shortTime, wholeNumber } from '../format.ts';
import { bar } from '../progress.ts';
import { columns, datasetOf } from '../rows.ts';
import { saveTo } from '../save.ts';
import { stripControls, table } from '../terminal.ts';
import { barText, type GatePlan, gateOptions, gatePlan, judge } from './eval-gate.ts';
import { indexNumber } from './index-number.ts';

const numberOf = (words: string[]) => wholeNumber(words[0], 'an evaluation');
const percent = (share: number | null) => (share === null ? '' : `${(share * 100).toFixed(1)} %`);

const wrong = { about: 'name every question that not all targets answered word for word' };
const outcome = {
  value: 'OUTCOME',
  choices: Object.keys(outcomes),
  about: 'name every question that a tuned model answered so; with --wrong, those of them that are wrong',
};
const namedOf = (given: ParsedArguments): Named => ({
  wrong: given.is('wrong'),
  outcome: given.text('outcome') as Outcome | undefined,
});

export const evalRun: Command = {
  name: 'eval',
  needsEngine: true,
  summary: 'ask the questions of a file or dataset of several models, and count the right answers',
  words: '[FILE]',
  options: {
    model: {
      value: 'NAME',
      short: 'm',
      names: 'models',
      multiple: true,
      about: 'a base or a tuned model; may be repeated',
    },
    index: { value: 'INDEX', names: 'indexes', multiple: true, about: 'a document index; may be repeated' },
    prompt: { value: 'TEXT', about: 'ask each model also with this before every question' },
    name: { value: 'NAME', about: 'name of the evaluation' },
    ...columns,
    'max-rows': { value: 'NUMBER', about: 'maximum number of questions, from the first' },
    'max-tokens': { value: 'NUMBER', about: 'maximum number of tokens of an answer' },
    raw: { about: 'questions as they are, in no chat template' },
    wrong,
    outcome,
    ...gateOptions,
    detach: { about: 'do not wait: print the number of the evaluation' },
  },
  more: 'FILE is JSON lines, CSV or Parquet, - for standard input, or the id of a dataset. It may be left out with --gate where the model is a memory with a gate.',
  async run(context, given) {
    const plan = await gatePlan(context, given);
    const prompt = given.text('prompt');
    const indexes = await Promise.all(given.all('index').map(async (index) => await indexNumber(context, index)));
    const targets: StartEvaluationArgs['targets'] = [
      ...given.all('model').map((model_name) => ({ model_name })),
      ...(plan?.against === undefined ? [] : [plan.against]),
      ...(prompt === undefined
        ? []
        : given.all('model').map((model_name) => ({ model_name, prompt, name: `${model_name}, with the prompt` }))),
      ...indexes.map((job_id) => ({ job_id })),
    ];
    if (targets.length === 0) throw new UsageError('"eval" needs --model or --index: the targets.');
    const [file] = given.words;
    if (file === undefined && plan?.dataset === undefined) throw new UsageError('"eval" needs FILE.');
    const started = await context.client().startEvaluation(
      {
        targets,
        name: given.text('name'),
        max_rows: given.number('max-rows'),
        max_tokens: given.number('max-tokens'),
        ...(given.is('raw') && { form: 'raw' as const }),
        dataset_id: file === undefined ? plan!.dataset! : await datasetOf(context, given, file),
      },
      context,
    );
    const id = started.evaluation_id;
    if (plan) await followGate(context, given, plan, id);
    else if (given.is('detach')) context.show(started, () => String(id));
    else await follow(context, id, namedOf(given));
  },
};

export const evalList: Command = {
  name: 'eval list',
  summary: 'the evaluations of the account, newest first',
  async run(context) {
    const found = await collectItems(context.client().allEvaluations({ limit: 1000 }, context));
    const row = (one: Evaluation) => [
      String(one.evaluation_id),
      one.status,
      String(one.rows),
      shortTime(one.created_at),
      one.targets.map(({ name, exact }) => `${name} ${percent(exact)}`.trim()).join(', '),
      one.name ?? '',
    ];
    context.show(found, () => table([['ID', 'STATUS', 'ROWS', 'MADE', 'EXACT', 'NAME'], ...found.map(row)]));
  },
};

export const evalShow: Command = {
  name: 'eval show',
  summary: 'the figures of an evaluation; waits until it is over where it runs',
  words: 'ID',
  names: 'evaluations',
  options: { wrong, outcome },
  async run(context, given) {
    await follow(context, numberOf(given.words), namedOf(given));
  },
};

export const evalDownload: Command = {
  name: 'eval download',
  summary: 'every question with the answers of all targets, as CSV',
  words: 'ID [FILE]',
  names: 'evaluations',
  options: { safe: { about: 'for spreadsheets: an apostrophe before a cell that looks like a formula' } },
  async run(context, given) {
    const id = numberOf(given.words);
    await saveTo(
      context,
      await context.client().downloadEvaluation({ id, ...(given.is('safe') && { cells: 'safe' as const }) }, context),
      given.words[1],
    );
  },
};

export const evalCancel: Command = {
  name: 'eval cancel',
  summary: 'stop an evaluation; existing answers are kept',
  words: 'ID',
  names: 'evaluations',
  async run(context, given) {
    const id = numberOf(given.words);
    const answer = await context.client().cancelEvaluation({ id }, context);
    context.show(answer, () => `The evaluation ${id} is cancelled.`);
  },
};

export const evalDelete: Command = {
  name: 'eval delete',
  summary: 'remove an evaluation with its answers',
  words: 'ID',
  names: 'evaluations',
  async run(context, given) {
    const answer = await context.client().deleteEvaluation({ id: numberOf(given.words) }, context);
    context.show(answer, () => `The evaluation ${answer.deleted} is deleted.`);
  },
};

/** Filter for the questions listed below the figures. */
interface Named {
  wrong: boolean;
  outcome: Outcome | undefined;
}

export async function untilOver(context: Context, id: number): Promise<Evaluation> {
  let evaluation: Evaluation | undefined;
  try {
    for await (evaluation of context.client().evaluationProgress(id, context)) {
      const { answered, rows, targets, status } = evaluation;
      if (status !== 'running') break;
      const all = rows * targets.length;
      if (context.json) context.show(evaluation, () => '');
      else context.terminal.draw([`${bar(all === 0 ? 0 : answered / all, 30)} ${answered} of ${count(all, 'answer')}`]);
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    throw new Interrupted(
      `The evaluation ${id} continues. Its figures: ${context.program} eval show ${id}. To stop it: ${context.program} eval cancel ${id}.`,
    );
  }
  return evaluation!;
}

/** Follows an evaluation to its end and prints its figures. */
async function follow(context: Context, id: number, named: Named): Promise<void> {
  const evaluation = await untilOver(context, id);
  const rows = named.wrong || named.outcome ? await rowsOf(context, id, named) : undefined;
  const listed = rows && { [named.wrong ? 'wrong' : 'rows_of_outcome']: rows };
  context.show({ ...evaluation, ...listed }, () => figures(evaluation));
  if (!context.json) for (const row of rows ?? []) context.terminal.print(stripControls(rowText(row, evaluation)));
  refuseEnded(evaluation);
  const { targets, rows: asked } = evaluation;
  const failed = targets.reduce((sum, target) => sum + target.failed, 0);
  if (failed > 0)
    throw new PartlyError(
      `${failed} of ${count(asked * targets.length, 'answer')} failed and count as wrong. ${context.program} eval show ${id} --wrong shows the reasons.`,
    );
}

/** Throws if an evaluation did not complete. */
export function refuseEnded({ status, error, evaluation_id: id }: Evaluation): void {
  if (status !== 'completed')
    throw new EndedError(`The evaluation ${id} ${status === 'failed' ? `failed: ${error}` : 'was cancelled.'}`);
}

async function followGate(context: Context, given: ParsedArguments, plan: GatePlan, id: number): Promise<void> {
  const evaluation = await untilOver(context, id);
  refuseEnded(evaluation);
  const judgement = await judge(context, given, plan, evaluation);
  context.show({ ...evaluation, gate: judgement }, () =>
    [figures(evaluation), '', ...judgement.bars.map((bar) => `${bar.holds ? '✔' : '✖'} ${barText(bar)}`)].join('\n'),
  );
  if (!context.json)
    for (const { row, input, output, before, after } of judgement.regressions)
      context.terminal.print(
        stripControls(`\nrow ${row}: ${input}\n  = ${output}\n  ✔ before: ${before.trim()}\n  ✖ now: ${after.trim()}`),
      );
  if (!judgement.holds) {
    const failing = judgement.bars.filter(({ holds }) => !holds).map(barText);
    throw new Error(`The bars are not held: ${failing.join('; ')}.`);
  }
}

function figures({ targets }: Evaluation): string {
  const tuned = targets.flatMap(({ name, outcomes: counts }) =>
    counts === null ? [] : [{ name, counts: Object.entries(counts) }],
  );
  const right = table([
    ['OUTCOME', 'ANSWERS', 'EXACT', 'FORGIVING', 'TARGET'],
    ...tuned.flatMap(({ name, counts }) =>
      counts
        .filter(([, { answered }]) => answered > 0)
        .map(([how, { answered, exact, normalised }]) => [how, ...[answered, exact, normalised].map(String), name]),
    ),
  ]);
  return tuned.length > 0 ? `${byTarget(targets)}\n\n${right}` : byTarget(targets);
}

function byTarget(targets: Evaluation['targets']): string {
  return table([
    ['EXACT', 'FORGIVING', 'FAILED', 'MEAN TIME', 'TOKENS', 'TARGET'],
    ...targets.map((one) => [
      percent(one.exact),
      percent(one.normalised),
      String(one.failed),
      one.latency_ms ? `${Math.round(one.latency_ms.mean)} ms` : '',
      one.completion_tokens.toLocaleString('en'),
      one.name,
    ]),
  ]);
}

async function rowsOf(context: Context, id: number, { wrong, outcome }: Named): Promise<EvaluationRow[]> {
  const named: EvaluationRow[] = [];
  for await (const row of context.client().evaluationRows(id, { signal: context.signal, outcome })) {
    const ofOutcome = row.answers.filter((answer) => answer !== null && (!outcome || answer.outcome === outcome));
    if (!wrong || ofOutcome.some((answer) => !answer!.exact)) named.push(row);
  }
  return named;
}

function rowText({ input, output, answers }: EvaluationRow, { targets }: Evaluation): string {
  const outputs = answers.map((answer, at) => {
    if (answer === null) return '';
    const what = answer.error ?? answer.output;
    const how = answer.outcome === null ? '' : ` (${answer.outcome})`;
    return `  ${answer.exact ? '✔' : '✖'} ${targets[at]!.name}${how}: ${what.trim()}`;
  });
  return [`\n${input}`, `  = ${output}`, ...outputs.filter(Boolean)].join('\n');
}
