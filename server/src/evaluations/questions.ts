// The questions of an evaluation: rows of a dataset as they are stored, or rows that came with the call, within what one evaluation may hold.
import { type EvaluationBody, mostQuestions, Refusal } from '@lorekeep/contract';
import type { Datasets } from '../datasets/datasets.ts';
import type { Caller } from '../keys/caller.ts';

export interface Row {
  input: string;
  output: string;
}

const mostBytes = 100 * 2 ** 20;

/** A copy: whatever happens to the dataset, what was asked stays what it was. */
export async function questionsOf(
  { dataset_id, data, max_rows, targets }: EvaluationBody,
  datasets: Datasets,
  caller: Caller,
): Promise<Row[]> {
  const count = data?.length ?? (await datasets.show(caller, dataset_id!)).rows;
  const rows = Math.min(count, max_rows ?? count);
  const questions = rows * targets.length;
  if (questions > mostQuestions)
    throw tooLarge(`${rows} rows for ${targets.length} targets are ${questions} questions of at most ${mostQuestions}`);
  if (data) return data.slice(0, rows).map(({ input, output }) => ({ input, output }));
  return await firstRows(await datasets.rows(caller, dataset_id!), rows);
}

async function firstRows(bytes: AsyncIterable<Uint8Array>, count: number): Promise<Row[]> {
  const rows: Row[] = [];
  const decoder = new TextDecoder();
  let carry = '';
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > mostBytes) throw tooLarge(`its rows are longer than ${mostBytes} bytes`);
    const lines = (carry + decoder.decode(chunk, { stream: true })).split('\n');
    carry = lines.pop()!;
    for (const line of lines) {
      const { input, output } = JSON.parse(line) as Row;
      rows.push({ input, output });
      if (rows.length === count) return rows;
    }
  }
  return rows;
}

const tooLarge = (reason: string) => new Refusal('evaluation_too_large', { reason });
