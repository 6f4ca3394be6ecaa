// Context of a scan for texts of erased facts: the rows of an account, in a transaction.
import { type SqlBool, sql } from 'kysely';
import type { Change, OwnMemory } from '../../memories/rows.ts';
import type { Store } from '../../store/database.ts';
import type { ErasedText } from '../erased-text.ts';

export const rowsAtOnce = 200;

export interface ErasureScope {
  engine: Store['engine'];
  change: Change;
  memory: Pick<OwnMemory, 'id' | 'name'>;
  /** Number of the change that is the erasure. */
  erasure: number;
  accountId: number;
  text: ErasedText;
  /** Names under which callers asked models of the memory. */
  models: Set<string>;
}

/** Characters that the compared form of a text replaces or drops. A word with one of them is not found by its plain letters. */
const normalisedCharacters =
  '\u00ad\u200b-\u200d\u2060\ufeff\u017f\u212a\ufb00-\ufb06\uff01-\uff5e\u{1d400}-\u{1d7ff}\u2460-\u24ff';

/** SQL condition that preselects rows that may hold a text. */
export function preselects({ engine, text }: Pick<ErasureScope, 'engine' | 'text'>, ...columns: string[]) {
  const { words } = text;
  if (words === undefined) return sql<SqlBool>`1 = 1`;
  const like = sql.raw(engine === 'postgres' ? 'ilike' : 'like');
  const tests = columns.flatMap((column) => [
    ...words.map((word) => sql`${sql.ref(column)} ${like} ${`%${word}%`}`),
    engine === 'postgres'
      ? sql`${sql.ref(column)} ~ ${`[${normalisedCharacters}]`}`
      : sql`${sql.ref(column)} glob ${`*[${normalisedCharacters}]*`}`,
  ]);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}
