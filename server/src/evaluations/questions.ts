// The questions of an evaluation: stored rows of a dataset, or rows sent with the call, within the limits of one evaluation.
import { type EvaluationBody, maxQuestions, Refusal } from '@lorekeep/contract';
import { jsonLines } from '@lorekeep/reader';
import type { Datasets, Reader } from '../datasets/datasets.ts';

export interface Row {
  input: string;
  output: string;
}

const maxBytes = 100 * 2 ** 20;

/** A copy, so that later changes of the dataset do not change the evaluation. */
export async function questionsOf(
  { dataset_id, data, max_rows, targets }: Pick<EvaluationBody, 'dataset_id' | 'data' | 'max_rows' | 'targets'>,
  datasets: Datasets,
  caller: Reader,
): Promise<Row[]> {
  const count = data?.length ?? (await datasets.show(caller, dataset_id!)).rows;
  const rows = Math.min(count, max_rows ?? count);
  const questions = rows * targets.length;
  if (questions > maxQuestions)
    throw tooLarge(`${rows} rows for ${targets.length} targets are ${questions} questions of at most ${maxQuestions}`);
  if (data) return data.slice(0, rows).map(({ input, output }) => ({ input, output }));
  // Only the first rows are read below, so the whole dataset is checked against its hash first.
  await datasets.check(caller, dataset_id!);
  return await firstRows(await datasets.rows(caller, dataset_id!), rows);
}

async function firstRows(bytes: AsyncIterable<Uint8Array>, count: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const line of jsonLines(limited(bytes))) {
    const { input, output } = JSON.parse(line) as Row;
    rows.push({ input, output });
    if (rows.length === count) break;
  }
  return rows;
}

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > maxBytes) throw tooLarge(`its rows are longer than ${maxBytes} bytes`);
    yield chunk;
  }
}

const tooLarge = (reason: string) => new Refusal('evaluation_too_large', { reason });
