// Problems of rows before anything is taught, found by the same rule as the engine's (engine/lorekeep/tune/facts.py).

export interface Row {
  input: string;
  output: string;
}

/** Two questions are the same but for how they are spaced and encoded. */
export const questionOf = ({ input }: Row) =>
  input
    .normalize('NFC')
    // White space as the engine defines it: a byte order mark is none.
    .split(/[^\S\ufeff]+/)
    .filter(Boolean)
    .join(' ');

const answerOf = ({ output }: Row) => output.trim();

/** Rows that say the same twice; those of one question beside each other. */
export function twice<Some extends Row>(rows: Some[]): Some[] {
  const several = [...Map.groupBy(rows, questionOf).values()].filter((same) => same.length > 1);
  return several.filter((same) => new Set(same.map(answerOf)).size === 1).flat();
}

export const isEmpty = ({ input, output }: Row) => input.trim() === '' && output.trim() === '';

/** Problems by the place of the row, counted as the rows stand there; empty rows are left out. */
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
