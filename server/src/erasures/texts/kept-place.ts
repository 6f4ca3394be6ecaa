// A place in which texts of erased facts are looked for: the rows of an account, in a transaction.
import { type SqlBool, sql } from 'kysely';
import type { Change, OwnMemory } from '../../memories/rows.ts';
import type { Store } from '../../store/database.ts';
import type { ErasedText } from '../erased-text.ts';

export const rowsAtOnce = 200;

export interface Place {
  engine: Store['engine'];
  change: Change;
  memory: Pick<OwnMemory, 'id' | 'name'>;
  /** Its change that erases. */
  erasure: number;
  accountId: number;
  text: ErasedText;
  /** Names under which models of the memory were asked. */
  models: Set<string>;
}

/** Rows that may hold a text, as far as the database can tell. */
export function maybe({ engine, text }: Pick<Place, 'engine' | 'text'>, ...columns: string[]) {
  const { words } = text;
  if (words === undefined) return sql<SqlBool>`1 = 1`;
  const like = sql.raw(engine === 'postgres' ? 'ilike' : 'like');
  const tests = columns.flatMap((column) => words.map((word) => sql`${sql.ref(column)} ${like} ${`%${word}%`}`));
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}
