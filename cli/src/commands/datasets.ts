// lorekeep datasets: rows of question and answer on the server.
import type { Command } from '../command.ts';
import { bytes, count, shortTime } from '../format.ts';
import { gathered } from '../gathered.ts';
import { columns, uploadRows, wholeId } from '../rows.ts';
import { saveTo } from '../save.ts';
import { table } from '../terminal.ts';

export const datasetsList: Command = {
  name: 'datasets list',
  summary: 'the datasets of the account, newest first',
  async run(context) {
    const datasets = await gathered(context.client().allDatasets({ limit: 1000 }, context));
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
    name: { value: 'NAME', about: 'what it is called' },
    ...columns,
    public: { about: 'other accounts may use it' },
  },
  more: 'A wrong row is named, and then nothing is stored. FILE - is standard input.',
  async run(context, given) {
    const dataset = await uploadRows(context, given, given.words[0]!, {
      name: given.text('name'),
      ...(given.is('public') && { is_public: true }),
    });
    context.show(dataset, () => dataset.dataset_id);
    context.terminal.say(`${count(dataset.rows, 'row')}, ${bytes(dataset.bytes)}.`);
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
