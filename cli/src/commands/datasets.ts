// lorekeep datasets: rows of question and answer on the server.

import { collectItems } from '../collect-items.ts';
import type { Command } from '../command.ts';
import { bytes, count, shortTime } from '../format.ts';
import { columns, uploadRows, wholeId } from '../rows.ts';
import { saveTo } from '../save.ts';
import { table } from '../terminal.ts';

export const datasetsList: Command = {
  name: 'datasets list',
  summary: 'the datasets of the account, newest first',
  async run(context) {
    const datasets = await collectItems(context.client().allDatasets({ limit: 1000 }, context));
    context.show(datasets, () =>
      table([
        ['ID', 'NAME', 'ROWS', 'SIZE', 'MADE'],
        ...datasets.map((one) => [
          one.dataset_id.slice(0, 12),
          one.name ?? '',
          String(one.rows),
          bytes(one.bytes),
          shortTime(one.created_at),
        ]),
      ]),
    );
  },
};

export const datasetsUpload: Command = {
  name: 'datasets upload',
  summary: 'upload a file of rows: JSON lines, CSV or Parquet',
  words: 'FILE',
  options: {
    name: { value: 'NAME', about: 'name of the dataset' },
    ...columns,
    public: { about: 'other accounts may use it' },
  },
  more: 'If a row is invalid, it is printed and nothing is stored. FILE - is standard input.',
  async run(context, given) {
    const dataset = await uploadRows(context, given, given.words[0]!, {
      name: given.text('name'),
      ...(given.is('public') && { is_public: true }),
    });
    context.show(dataset, () => dataset.dataset_id);
    context.terminal.say(`${count(dataset.rows, 'row')}, ${bytes(dataset.bytes)}.`);
    const { total } = await context.client().findDatasetConflicts({ id: dataset.dataset_id, limit: 1 }, context);
    if (total > 0 && !context.json)
      context.terminal.tell(
        `${count(total, 'question has', 'questions have')} several answers: ${context.program} datasets conflicts ${dataset.dataset_id.slice(0, 12)}`,
      );
  },
};

export const datasetsShow: Command = {
  name: 'datasets show',
  summary: 'one dataset with its first rows',
  words: 'ID',
  names: 'datasets',
  async run(context, given) {
    const id = await wholeId(context.client(), given.words[0]!, context.signal);
    const dataset = await context.client().showDataset({ id }, context);
    context.show(dataset, () =>
      [
        `${dataset.dataset_id}  ${dataset.name ?? ''}`.trimEnd(),
        `${count(dataset.rows, 'row')}, ${bytes(dataset.bytes)}, made ${shortTime(dataset.created_at)}${dataset.is_public ? ', public' : ''}`,
        '',
        ...dataset.first_rows.map(({ input, output }) => `${input}\n  ${output}`),
      ].join('\n'),
    );
  },
};

export const datasetsConflicts: Command = {
  name: 'datasets conflicts',
  summary: 'rows of a dataset that answer one question differently, beside each other',
  words: 'ID',
  names: 'datasets',
  options: { reworded: { about: 'also questions in other words; both rows of such a pair may be right' } },
  more: 'Exits with 1 if a question has several answers: a model cannot be tuned on such rows.',
  async run(context, given) {
    const id = await wholeId(context.client(), given.words[0]!, context.signal);
    const reworded = given.is('reworded') ? ('true' as const) : undefined;
    const found = await context.client().findDatasetConflicts({ id, reworded, limit: 1000 }, context);
    const lines = ({ rows }: { rows: { row: number; input: string; output: string }[] }) =>
      rows.map(({ row, input, output }) => `row ${row}: ${input}\n  ${output}`).join('\n');
    context.show(found, () =>
      [
        ...found.conflicts.map((one) => `${lines(one)}\n`),
        ...found.reworded.map((one) => `May contradict, likeness ${one.likeness.toFixed(2)}:\n${lines(one)}\n`),
      ].join('\n'),
    );
    const compared = reworded ? `, ${count(found.compared, 'question')} compared in other words` : '';
    context.terminal.say(`${count(found.looked_at, 'row')} looked at${compared}.`);
    if (found.total > 0) throw new Error(`${count(found.total, 'question has', 'questions have')} several answers.`);
  },
};

export const datasetsDownload: Command = {
  name: 'datasets download',
  summary: 'all rows as JSON lines',
  words: 'ID [FILE]',
  names: 'datasets',
  async run(context, given) {
    const id = await wholeId(context.client(), given.words[0]!, context.signal);
    await saveTo(context, await context.client().downloadDataset({ id }, context), given.words[1]);
  },
};

export const datasetsDelete: Command = {
  name: 'datasets delete',
  summary: 'delete a dataset with its rows',
  words: 'ID',
  names: 'datasets',
  async run(context, given) {
    const id = await wholeId(context.client(), given.words[0]!, context.signal);
    const deleted = await context.client().deleteDataset({ id }, context);
    context.show(deleted, () => `The dataset ${id.slice(0, 12)} is deleted.`);
  },
};
