// The results of an evaluation as CSV (RFC 4180): a line for each question, the targets side by side. Texts are unchanged, so that
// programs read the original; `safe` is for spreadsheets, which would run an answer that begins like a formula.
import type { EvaluationRow } from '@lorekeep/contract';

export type CellForm = 'plain' | 'safe';

export async function* csvTable(
  targets: string[],
  pages: AsyncIterable<EvaluationRow[]>,
  form: CellForm,
): AsyncGenerator<string> {
  const line = (values: Cell[]) => `${values.map((value) => cell(value, form)).join(',')}\r\n`;
  const columns = targets.flatMap((name) => [
    name,
    ...['exact', 'normalised', 'latency ms', 'tokens', 'outcome', 'error'].map((figure) => `${name}: ${figure}`),
  ]);
  yield line(['row', 'input', 'output', ...columns]);
  for await (const rows of pages)
    yield rows.map(({ row, input, output, answers }) => line([row, input, output, ...answers.flatMap(cells)])).join('');
}

type Cell = string | number | boolean | null;

function cells(answer: EvaluationRow['answers'][number]): Cell[] {
  if (!answer) return [null, null, null, null, null, null, null];
  const { output, exact, normalised, latency_ms, completion_tokens, outcome, error } = answer;
  return [output, exact, normalised, latency_ms, completion_tokens, outcome, error];
}

function cell(value: Cell, form: CellForm): string {
  const plain = value === null ? '' : String(value);
  const text = form === 'safe' && isFormula(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The signs that OWASP names, also after white space, which some programs drop. A plain number is not a formula. */
const isFormula = (text: string) =>
  /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) && !/^[+-]?\d+([.,]\d+)*$/.test(text);
