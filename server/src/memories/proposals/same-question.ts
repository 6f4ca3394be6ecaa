// Finds the fact of a memory that a question asks for, also if the questions differ in case, punctuation or white space, or in the
// article "the".
import { setImmediate } from 'node:timers/promises';
import { questionKey } from '../../files/question-key.ts';
import { type FactRow, inVersion } from '../facts.ts';
import type { Db, OwnMemory } from '../memory-store.ts';
import { publishedFacts, queryInBatches } from './rows.ts';

const readPageSize = 2000;

/** Equal for questions that differ in case, white space, articles and in punctuation that is not inside of a word. */
export const looseKey = (input: string): string =>
  input
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\u200b]+/g, ' ')
    .replace(/["'“”‘’«»„()[\]]/g, '')
    .replace(/[?!.,;:…]+(?= |$)/g, '')
    .replace(/(?<= )the (?=.)/g, '')
    .trim();

/** Equal for answers that differ in white space and in a full stop at the end. */
export const looseAnswer = (output: string): string =>
  output
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<=[^.])\.$/, '');

/** The fact of the published version that answers each list of questions. The first question of a list is the canonical one. */
export async function publishedFactsAsked(
  db: Db,
  memory: OwnMemory,
  asked: string[][],
): Promise<(FactRow | undefined)[]> {
  const keys = asked.map(([proper]) => questionKey(proper!));
  const exact = await publishedFacts(db, memory, keys);
  const loose = asked.map((questions, at) => (exact.has(keys[at]!) ? [] : questions.map(looseKey)));
  const wanted = new Set(loose.flat());
  const found = wanted.size === 0 ? new Map<string, FactRow>() : await factsByLooseKey(db, memory, wanted);
  return keys.map((key, at) => exact.get(key) ?? loose[at]!.flatMap((one) => found.get(one) ?? [])[0]);
}

/** Reads all questions of the version in pages, since loose keys have no index. */
async function factsByLooseKey(db: Db, memory: OwnMemory, wanted: Set<string>): Promise<Map<string, FactRow>> {
  const { id, published } = memory;
  const places = new Map<string, number>();
  for (let after = 0; published !== null; ) {
    const rows = await inVersion(db, id, published)
      .select(['id', 'input'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(readPageSize)
      .execute();
    for (const row of rows) {
      const key = looseKey(row.input);
      if (wanted.has(key) && !places.has(key)) places.set(key, row.id);
    }
    if (rows.length < readPageSize) break;
    after = rows.at(-1)!.id;
    await setImmediate();
  }
  const rows = await queryInBatches([...places.values()], async (some) =>
    db.selectFrom('memory_facts').where('id', 'in', some).selectAll().execute(),
  );
  const facts = new Map(rows.map((row) => [row.id, row]));
  return new Map([...places].map(([key, place]) => [key, facts.get(place)!]));
}
