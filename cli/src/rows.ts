// Rows of question and answer for a command: a file that is uploaded first, or an existing dataset.
import { existsSync } from 'node:fs';
import { type Dataset, type Lorekeep, LorekeepError, RowsInvalidError, type UploadFileArgs } from '@lorekeep/client';
import type { Context, Option, ParsedArguments } from './command.ts';
import { inCommands } from './commands/in-commands.ts';
import { UsageError } from './exit.ts';
import { stripControls } from './terminal.ts';

export const columns: Record<string, Option> = {
  input: { value: 'COLUMN', about: 'the column of the questions; input without it' },
  output: { value: 'COLUMN', about: 'the column of the answers; output without it' },
};

/** Uploads the rows of a file or of standard input. Each wrong row is reported on its own line. */
export async function uploadRows(
  context: Context,
  given: ParsedArguments,
  path: string,
  args: Omit<UploadFileArgs, 'file'> = {},
): Promise<Dataset> {
  if (path !== '-' && !existsSync(path)) throw new UsageError(`There is no file "${path}".`);
  try {
    return await context.client().uploadFile(
      {
        file: path === '-' ? { name: 'input', content: context.input() } : path,
        input_column: given.text('input'),
        output_column: given.text('output'),
        ...args,
      },
      context,
    );
  } catch (error) {
    if (error instanceof RowsInvalidError && !context.json)
      for (const { msg } of error.mistakes) context.terminal.tell(stripControls(msg));
    // The server's hint names fields of the API; here they are options.
    if (error instanceof LorekeepError && /input_column/.test(error.detail) && !context.json)
      context.terminal.tell('The columns are named with --input COLUMN and --output COLUMN.');
    throw error;
  }
}

/** The dataset that an argument means: an uploaded file, or a dataset by its id or a prefix of it. */
export async function datasetOf(context: Context, given: ParsedArguments, word: string): Promise<string> {
  if (word !== '-' && !existsSync(word) && /^[0-9a-f]{6,64}$/.test(word))
    return await wholeId(context.client(), word, context.signal);
  return (await uploadRows(context, given, word)).dataset_id;
}

/** The same for a dry run: a dataset that was not there before is deleted after `use`, also if that fails or is interrupted. */
export async function withDatasetOf<Result>(
  context: Context,
  given: ParsedArguments,
  word: string,
  use: (dataset: string) => Promise<Result>,
): Promise<Result> {
  const before = new Set<string>();
  for await (const { dataset_id } of context.client().allDatasets({ limit: 1000 }, context)) before.add(dataset_id);
  const dataset = await datasetOf(context, given, word);
  try {
    return await use(dataset);
  } finally {
    if (!before.has(dataset)) await forget(context, dataset);
  }
}

async function forget(context: Context, dataset: string): Promise<void> {
  const id = dataset.slice(0, 12);
  await context
    .client()
    .deleteDataset({ id: dataset })
    .catch((error: Error) =>
      context.terminal.tell(
        `The rows of this dry run stay on the server as the dataset ${id}: ${stripControls(inCommands(error, context.program))} To delete it: ${context.program} datasets delete ${id}`,
      ),
    );
}

/** Finds a dataset by a unique prefix of its id, since lists show only the prefix. */
export async function wholeId(client: Lorekeep, given: string, signal: AbortSignal): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(given)) return given;
  if (!/^[0-9a-f]{6,63}$/.test(given))
    throw new UsageError(`"${given}" is not the id of a dataset, nor six or more digits of its beginning.`);
  const found: string[] = [];
  for await (const { dataset_id } of client.allDatasets({ limit: 1000 }, { signal }))
    if (dataset_id.startsWith(given)) found.push(dataset_id);
  if (found.length > 1)
    throw new UsageError(`"${given}" is the beginning of ${found.length} datasets: write more of it.`);
  // The server reports a missing dataset in its own words.
  return found[0] ?? given.padEnd(64, '0');
}
