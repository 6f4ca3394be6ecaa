// Rows of one dataset that contradict each other: one question with several answers, and questions in other words. The rows
// are read twice, so that only the shown rows of a dataset of any size are held in memory.
import { type AnswerOf, type findDatasetConflicts, maxRowsCompared } from '@lorekeep/contract';
import type { SpareWorker } from '../cluster/spare-worker.ts';
import { answerKey, questionKey } from '../files/question-key.ts';
import type { KeptRow } from './row.ts';

type Found = AnswerOf<typeof findDatasetConflicts>;
type NumberedRow = Found['conflicts'][number]['rows'][number];
type Read = () => AsyncIterable<{ number: number; row: KeptRow }[]>;

/** Maximum number of rows shown per question. */
const maxShown = 10;
/** Maximum number of characters that are shown or sent to a worker. */
const maxCharacters = 4_000_000;

const severalAnswers = Symbol('several answers');

export async function conflictsIn(
  read: Read,
  limit: number,
): Promise<Pick<Found, 'looked_at' | 'total' | 'conflicts'>> {
  const answers = new Map<string, string | typeof severalAnswers>();
  let total = 0;
  let looked_at = 0;
  for await (const { input, output } of rowsOf(read, maxRowsCompared.exact)) {
    looked_at++;
    const question = questionKey(input);
    const known = answers.get(question);
    if (known === undefined) answers.set(question, answerKey(output));
    else if (known !== severalAnswers && known !== answerKey(output)) {
      answers.set(question, severalAnswers);
      total++;
    }
  }
  if (total === 0) return { looked_at, total, conflicts: [] };
  const shown = new Map<string, Map<string, NumberedRow>>();
  let characters = 0;
  for await (const row of rowsOf(read, maxRowsCompared.exact)) {
    const question = questionKey(row.input);
    if (answers.get(question) !== severalAnswers || (!shown.has(question) && shown.size === limit)) continue;
    const rows = shown.get(question) ?? new Map<string, NumberedRow>();
    shown.set(question, rows);
    const answer = answerKey(row.output);
    if (rows.has(answer) || rows.size === maxShown) continue;
    rows.set(answer, row);
    characters += row.input.length + row.output.length;
    if (characters > maxCharacters) break;
  }
  return { looked_at, total, conflicts: [...shown.values()].map((rows) => ({ rows: [...rows.values()] })) };
}

/** Compares each question once: `conflictsIn` finds those with several answers without a search. */
export async function rewordedIn(
  read: Read,
  limit: number,
  spare: Pick<SpareWorker, 'alike'>,
  signal: AbortSignal,
): Promise<Pick<Found, 'compared' | 'reworded'>> {
  const rows: NumberedRow[] = [];
  const known = new Set<string>();
  let characters = 0;
  for await (const row of rowsOf(read, Number.POSITIVE_INFINITY)) {
    const question = questionKey(row.input);
    if (known.has(question)) continue;
    characters += row.input.length + row.output.length;
    if (rows.length === maxRowsCompared.reworded || characters > maxCharacters) break;
    known.add(question);
    rows.push(row);
  }
  const facts = rows.map(({ input, output }) => ({ input, output }));
  const found = rows.length < 2 ? [] : await spare.alike(null, facts, signal);
  const pairs = new Map<string, Found['reworded'][number]>();
  for (const [at, some] of found.entries())
    for (const { other, likeness } of some) {
      const [first, second] = [Math.min(at, other!), Math.max(at, other!)];
      pairs.set(`${first} ${second}`, { rows: [rows[first]!, rows[second]!], likeness });
    }
  return { compared: rows.length, reworded: [...pairs.values()].slice(0, limit) };
}

async function* rowsOf(read: Read, most: number): AsyncGenerator<NumberedRow> {
  for await (const part of read())
    for (const { number, row } of part) {
      if (number > most) return;
      yield { row: number, input: row.input, output: row.output };
    }
}
