// Finds problems of rows before training, by the same rules as the engine (engine/lorekeep/tune/facts.py).

export interface Row {
  input: string;
  output: string;
}

/** Normal form of a question, without differences in white space and Unicode form. */
export const questionOf = ({ input }: Row) =>
  input
    .normalize('NFC')
    // White space as in the engine, where a byte order mark does not count.
    .split(/[^\S\ufeff]+/)
    .filter(Boolean)
    .join(' ');

const answerOf = ({ output }: Row) => output.trim();

/** Duplicate rows, grouped by question. */
export function duplicates<Some extends Row>(rows: Some[]): Some[] {
  const several = [...Map.groupBy(rows, questionOf).values()].filter((same) => same.length > 1);
  return several.filter((same) => new Set(same.map(answerOf)).size === 1).flat();
}

export const isEmpty = ({ input, output }: Row) => input.trim() === '' && output.trim() === '';

/** Problems by row index; empty rows are skipped but counted. */
export function problemsOf(rows: Row[]): Map<number, string> {
  const problems = new Map<number, string>();
  const first = new Map<string, { at: number; answer: string }>();
  for (const [at, row] of rows.entries()) {
    if (isEmpty(row)) continue;
    const question = questionOf(row);
    const answer = answerOf(row);
    const other = first.get(question);
    if (question === '') problems.set(at, 'The question is missing.');
    else if (answer === '') problems.set(at, 'The answer is missing.');
    else if (!other) first.set(question, { at, answer });
    else if (other.answer !== answer)
      problems.set(at, `Row ${other.at + 1} gives another answer to the same question.`);
  }
  return problems;
}
