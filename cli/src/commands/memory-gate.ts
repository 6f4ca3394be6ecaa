// lorekeep memory gate: sets, shows and removes the evaluation set and the bars of a memory, and shows the result of a version.
import type { GateResult, MemoryGate, Regression } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context, Option, ParsedArguments } from '../command.ts';
import { UsageError } from '../exit.ts';
import { count } from '../format.ts';
import { datasetOf } from '../rows.ts';
import { stripControls, table } from '../terminal.ts';

export const bars: Record<string, Option> = {
  exact: { value: 'SHARE', about: 'bar: of the rows that ask a fact in its taught words, 0 to 1' },
  reworded: { value: 'SHARE', about: 'bar: of all other rows, 0 to 1' },
  'max-regressions': {
    value: 'NUMBER',
    about: 'bar: rows that the version before answers right and the new one does not',
  },
};

export const barsIn = (given: ParsedArguments) => ({
  exact: shareIn(given, 'exact'),
  reworded: shareIn(given, 'reworded'),
  max_regressions: regressionsIn(given, 'max-regressions'),
});

function shareIn(given: ParsedArguments, option: string): number | undefined {
  const share = given.number(option);
  if (share !== undefined && (share < 0 || share > 1))
    throw new UsageError(`--${option} ${share} is out of range: a share is from 0 to 1, so 90 % is 0.9.`);
  return share;
}

function regressionsIn(given: ParsedArguments, option: string): number | undefined {
  const most = given.number(option);
  if (most !== undefined && (most < 0 || !Number.isInteger(most)))
    throw new UsageError(`--${option} ${most} is out of range: it is a whole number of rows, from 0.`);
  return most;
}

export const memoryGate: Command = {
  name: 'memory gate',
  summary: 'the set and the bars that a new version must reach before the name moves',
  words: 'NAME',
  names: 'tuned',
  options: {
    set: { value: 'FILE', about: 'set the gate: a file of questions with right answers, or the id of a dataset' },
    ...bars,
    remove: { about: 'remove the gate' },
    version: { value: 'NUMBER', about: 'the finding on this version, with its regressions by row' },
  },
  more: 'Without an option it shows the gate.',
  async run(context, given) {
    const [name] = given.words as [string];
    const file = given.text('set');
    const version = given.number('version');
    if ([file !== undefined, given.is('remove'), version !== undefined].filter(Boolean).length > 1)
      throw new UsageError('"memory gate" takes one of --set, --remove and --version.');
    if (file === undefined && Object.values(barsIn(given)).some((bar) => bar !== undefined))
      throw new UsageError('Bars are set together with their set: --set FILE.');
    if (version !== undefined) return await showResult(context, name, version);
    if (given.is('remove')) {
      const answer = await context.client().removeMemoryGate({ name }, context);
      return context.show(answer, () => `The memory ${answer.removed} has no gate any more.`);
    }
    const gate =
      file === undefined
        ? await context.client().showMemoryGate({ name }, context)
        : await setGate(context, given, name, file);
    context.show(gate, () => gateText(gate));
  },
};

async function setGate(context: Context, given: ParsedArguments, name: string, file: string): Promise<MemoryGate> {
  // Checks names and bars before anything is uploaded.
  await context.client().showMemory({ name }, context);
  if (Object.values(barsIn(given)).every((bar) => bar === undefined))
    throw new UsageError('A gate needs a bar: --exact, --reworded or --max-regressions.');
  const dataset_id = await datasetOf(context, given, file);
  return await context.client().setMemoryGate({ name, dataset_id, ...barsIn(given) }, context);
}

function gateText({ dataset_id, rows, by, ...bars }: MemoryGate): string {
  return table([
    ['BAR', 'NEEDED'],
    ...(['exact', 'reworded', 'max_regressions'] as const)
      .filter((bar) => bars[bar] !== null)
      .map((bar) => [bar, String(bars[bar])]),
    [
      'set',
      rows === null ? `${dataset_id.slice(0, 12)}, which is gone` : `${dataset_id.slice(0, 12)}, ${count(rows, 'row')}`,
    ],
    ['by', by],
  ]);
}

async function showResult(context: Context, name: string, version: number): Promise<void> {
  const result: GateResult = await context.client().showGateResult({ name, version }, context);
  const regressions: Regression[] =
    result.regressions === 0
      ? []
      : await collectItems(context.client().allRegressions({ name, version, limit: 1000 }, context));
  context.show({ ...result, regressed: regressions }, () => resultText(result));
  if (!context.json) for (const one of regressions) context.terminal.print(stripControls(regressionText(one)));
}

const resultText = ({ holds, failing, exact, reworded, regressions }: GateResult): string =>
  [
    holds
      ? 'The gate holds.'
      : `The gate does not hold: ${failing.map(({ text }) => text.replace(/\.$/, '')).join('; ')}.`,
    `exact ${exact.right} of ${exact.rows}, reworded ${reworded.right} of ${reworded.rows}, ${count(regressions, 'regression')}`,
  ].join('\n');

const regressionText = ({ row, input, output, before, after }: Regression): string =>
  [
    `\nrow ${row}: ${input}`,
    `  = ${output}`,
    `  ✔ ${before.output.trim()}`,
    `  ✖ ${after.error ?? after.output.trim()}`,
  ].join('\n');
