// lorekeep memory compare: different facts of two versions of a memory, and with an evaluation set the rows with different answers.
import type { AnswerDifference, Comparison } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context, ParsedArguments } from '../command.ts';
import { PartlyError, UsageError } from '../exit.ts';
import { count } from '../format.ts';
import { datasetOf } from '../rows.ts';
import { timesText } from '../sources.ts';
import { stripControls } from '../terminal.ts';
import { refuseEnded, untilOver } from './eval.ts';
import { versionIn } from './memory.ts';

type RightSide = AnswerDifference['right'];

export const memoryCompare: Command = {
  name: 'memory compare',
  summary: 'compare the facts of two versions of a memory; with --on, their answers',
  words: 'NAME FROM TO',
  names: 'tuned',
  options: {
    on: { value: 'FILE', about: 'compare answers: a file of questions with right answers, or the id of a dataset' },
    answers: { about: 'compare answers to the set of the gate' },
    right: {
      value: 'VERSION',
      choices: ['before', 'after', 'neither'],
      about: 'only rows that this version alone answers right',
    },
  },
  more: 'A set that both versions were asked before, also by the gate, is not asked again.',
  async run(context, given) {
    const [name, from, to] = given.words as [string, string, string];
    const versions = { name, from: versionIn(from), to: versionIn(to) };
    const file = given.text('on');
    if (file !== undefined || given.is('answers')) return await compareAnswers(context, given, versions);
    if (given.text('right') !== undefined)
      throw new UsageError('--right belongs to --on FILE or --answers, which compare answers.');
    await compareFacts(context, versions);
  },
};

interface Versions {
  name: string;
  from: number;
  to: number;
}

async function compareFacts(context: Context, versions: Versions): Promise<void> {
  const answer = await context.client().compareMemoryVersions({ ...versions, limit: 1000 }, context);
  context.show(answer, () =>
    answer.differences
      .map(({ input, before, after, times_before, times_after }) =>
        [
          input,
          ...(before === null ? [] : [`  - ${before}${timesText(times_before)}`]),
          ...(after === null ? [] : [`  + ${after}${timesText(times_after)}`]),
        ].join('\n'),
      )
      .join('\n'),
  );
  context.terminal.say(`${answer.added} added, ${answer.changed} changed, ${answer.withdrawn} withdrawn.`);
}

async function compareAnswers(context: Context, given: ParsedArguments, versions: Versions): Promise<void> {
  const client = context.client();
  const { name } = versions;
  const file = given.text('on');
  // Checks the name before anything is uploaded.
  await client.showMemory({ name }, context);
  const dataset_id = file === undefined ? undefined : await datasetOf(context, given, file);
  const { evaluation_id: id } = await client.startComparison({ ...versions, dataset_id }, context);
  const evaluation = await untilOver(context, id);
  refuseEnded(evaluation);
  const comparison = await client.showComparison({ name, id }, context);
  const asked = { name, id, limit: 1000, right: given.text('right') as RightSide | undefined };
  const differences: AnswerDifference[] = await collectItems(client.allAnswerDifferences(asked, context));
  context.show({ ...comparison, differences }, () => countsText(comparison));
  if (!context.json) for (const one of differences) context.terminal.print(stripControls(differenceText(one)));
  const failed = evaluation.targets.reduce((sum, target) => sum + target.failed, 0);
  if (failed > 0) throw new PartlyError(`${count(failed, 'answer')} failed; the rows show the reasons.`);
}

const countsText = ({ compared, differing, differing_right: { before, after }, ...one }: Comparison): string =>
  [
    `version ${one.from_version}: ${one.right_before} of ${count(compared, 'row')} right`,
    `version ${one.to_version}: ${one.right_after} of ${count(compared, 'row')} right`,
    `${count(differing, 'answer')} differ: ${before} right before, ${after} right now, ${differing - before - after} wrong in both`,
  ].join('\n');

function differenceText({ row, input, output, before, after, right }: AnswerDifference): string {
  const sign = (side: RightSide) => (right === side ? '✔' : '✖');
  return [
    `\nrow ${row}: ${input}`,
    `  = ${output}`,
    `  ${sign('before')} - ${before.error ?? before.output.trim()}`,
    `  ${sign('after')} + ${after.error ?? after.output.trim()}`,
  ].join('\n');
}
