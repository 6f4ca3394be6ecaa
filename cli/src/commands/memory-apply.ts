// lorekeep memory apply: adds the facts of a file that a memory lacks, and changes those with another answer, in one change.
import { type ChangeMemoryArgs, type FindConflictsAnswer, InvalidRequestError } from '@lorekeep/client';
import type { Command, Context } from '../command.ts';
import { count } from '../format.ts';
import { columns, datasetOf, withDatasetOf } from '../rows.ts';
import { stripControls } from '../terminal.ts';
import { beside, rewordedContradictions, sideBySide } from './contradiction.ts';
import type { NewFact } from './fact-details.ts';
import { order, ordering } from './memory-order.ts';

type Stands = FindConflictsAnswer['conflicts'][number]['stands'];
type Row = NewFact & { row: number };

interface Plan {
  added: Row[];
  changed: { fact: Row; stands: NonNullable<Stands> }[];
  /** Rows of the file that answer the same question differently. */
  divided: Row[];
  unchanged: number;
}

/** Maximum number of facts that one call compares. */
const maxFactsPerCall = 1000;

export const memoryApply: Command = {
  name: 'memory apply',
  summary: 'add and change facts by a file: new questions are added, other answers are changed, the rest stays',
  words: 'NAME FILE',
  names: 'tuned',
  options: {
    ...columns,
    'dry-run': { about: 'print what would be added and changed, and change nothing' },
    beside,
    ...ordering,
  },
  more:
    'FILE is JSON lines, CSV or Parquet, - for standard input, or the id of a dataset; the columns subject, valid_from and valid_until of new and changed facts are taken over. Each fact keeps its dataset and row as its source.\n' +
    'Facts that are not in the file stay. A new fact that may contradict another one in other words is printed, and nothing is changed without --beside.',
  async run(context, given) {
    const [name, file] = given.words as [string, string];
    const { version } = await context.client().showMemory({ name }, context);
    const dry = given.is('dry-run');
    const read = async (dataset: string) => await rowsOf(context, dataset);
    const rows = dry
      ? await withDatasetOf(context, given, file, read)
      : await read(await datasetOf(context, given, file));
    const plan = await planOf(context, name, rows);
    if (plan.divided.length > 0)
      throw refused(
        plan.divided,
        `${count(plan.divided.length, 'row')} of the file ask one question and answer it differently`,
      );
    if (dry) context.show(shown(plan), () => summaryText(plan));
    if (!given.is('beside') && version !== null) await refuseReworded(context, name, plan.added);
    if (dry) return;
    if (plan.added.length + plan.changed.length === 0) {
      context.show(shown(plan), () => '');
      return context.terminal.say(`Nothing to change: the memory has ${count(plan.unchanged, 'fact')} of the file.`);
    }
    await order(context, given, { expected_version: version ?? undefined, ...changeOf(plan) });
  },
};

async function rowsOf(context: Context, dataset: string): Promise<Row[]> {
  const rows = new Map<string, Row>();
  let row = 0;
  for await (const { input, output, ...more } of context.client().datasetRows(dataset, context)) {
    row += 1;
    const text = (field: string) => (typeof more[field] === 'string' && more[field] ? { [field]: more[field] } : {});
    const details = { ...text('subject'), ...text('valid_from'), ...text('valid_until') };
    const key = JSON.stringify([input.trim(), output.trim()]);
    if (!rows.has(key))
      rows.set(key, { row, input, output, ...details, source: { kind: 'dataset', name: dataset, row } });
  }
  return [...rows.values()];
}

async function planOf(context: Context, name: string, rows: Row[]): Promise<Plan> {
  const plan: Plan = { added: [], changed: [], divided: dividedIn(rows), unchanged: 0 };
  for (let from = 0; from < rows.length && plan.divided.length === 0; from += maxFactsPerCall) {
    const some = rows.slice(from, from + maxFactsPerCall);
    const facts = some.map(({ input, output }) => ({ input, output }));
    const { conflicts, known, fresh } = await context.client().findConflicts({ name, facts }, context);
    plan.unchanged += known.length;
    plan.added.push(...fresh.map((at) => some[at]!));
    for (const { at, stands } of conflicts)
      if (stands) plan.changed.push({ fact: some[at]!, stands });
      else plan.divided.push(some[at]!);
  }
  return plan;
}

function dividedIn(rows: Row[]): Row[] {
  const asked = new Map<string, Row[]>();
  for (const row of rows) {
    const same = asked.get(row.input.trim());
    if (same) same.push(row);
    else asked.set(row.input.trim(), [row]);
  }
  return [...asked.values()].filter((same) => same.length > 1).flat();
}

async function refuseReworded(context: Context, name: string, added: Row[]): Promise<void> {
  const found: string[] = [];
  for (let from = 0; from < added.length; from += maxFactsPerCall) {
    const some = added.slice(from, from + maxFactsPerCall);
    for (const { at, ...against } of await rewordedContradictions(context, name, some))
      found.push(sideBySide(some[at]!, against, `source: row ${some[at]!.row}`));
  }
  if (found.length > 0)
    throw new InvalidRequestError({
      code: 'contradiction',
      detail: `${found.join('\n')}\nNothing was changed. --beside continues, and keeps both.`,
    });
}

function refused(rows: Row[], why: string): InvalidRequestError {
  const lines = rows.slice(0, 20).map(({ row, input, output }) => stripControls(`row ${row}: ${input}\n  ${output}`));
  return new InvalidRequestError({
    code: 'contradiction',
    detail: `${lines.join('\n')}\n${why}. Nothing was changed.`,
  });
}

function changeOf({ added, changed }: Plan): Pick<ChangeMemoryArgs, 'add' | 'change'> {
  return {
    add: added.map(({ row: _, ...fact }) => fact),
    change: changed.map(({ fact: { row: _, subject: __, ...fact }, stands }) => ({ ...fact, input: stands.input })),
  };
}

const shown = (plan: Plan) => ({ ...changeOf(plan), unchanged: plan.unchanged });

function summaryText({ added, changed, unchanged }: Plan): string {
  return [
    ...added.map(({ input, output }) => `+ ${input}\n    ${output}`),
    ...changed.map(({ fact, stands }) => `~ ${stands.input}\n  - ${stands.output}\n  + ${fact.output}`),
    `${added.length} to add, ${changed.length} to change, ${unchanged} as they are. Nothing was changed.`,
  ].join('\n');
}
