// The results of an evaluation as CSV (RFC 4180): a line for each question, the targets side by side. Texts stand word for word.
import type { EvaluationRow } from '@lorekeep/contract';

export async function* csvTable(targets: string[], pages: AsyncIterable<EvaluationRow[]>): AsyncGenerator<string> {
  const columns = targets.flatMap((name) => [
    name,
    ...['exact', 'normalised', 'latency ms', 'tokens', 'error'].map((figure) => `${name}: ${figure}`),
  ]);
  yield line(['row', 'input', 'output', ...columns]);
  for await (const rows of pages)
    yield rows.map(({ row, input, output, answers }) => line([row, input, output, ...answers.flatMap(cells)])).join('');
}

type Cell = string | number | boolean | null;

function cells(answer: EvaluationRow['answers'][number]): Cell[] {
  if (!answer) return [null, null, null, null, null, null];
  const { output, exact, normalised, latency_ms, completion_tokens, error } = answer;
  return [output, exact, normalised, latency_ms, completion_tokens, error];
}

const line = (values: Cell[]) => `${values.map(cell).join(',')}\r\n`;

function cell(value: Cell): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
