// Erasures look through votes, kept answers and proposals. Whoever stores one holds this lock of the account beside others;
// an erasure holds it alone, so that no text is stored unseen between its look and its receipt.
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';
import { type Change, lockMemory, type OwnMemory } from './memory-store.ts';

/** The first of two numbers of the lock; other locks of the database have one. */
const kind = 73_052;

/** Taken before any other lock of the transaction. SQLite has one writer at a time, and needs none. */
export async function lockTexts(
  { engine }: Store,
  change: Change,
  accountId: number,
  how: 'shared' | 'alone',
): Promise<void> {
  if (engine !== 'postgres') return;
  const lock = sql.raw(how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(${sql.lit(kind)}, ${accountId}::int)`.execute(change);
}

/** The memory, held against other changes, to store proposals in it; undefined when it is gone. */
export async function lockForProposals(store: Store, change: Change, id: number): Promise<OwnMemory | undefined> {
  const memory = await change.selectFrom('memories').select('account_id').where('id', '=', id).executeTakeFirst();
  if (!memory) return undefined;
  await lockTexts(store, change, memory.account_id, 'shared');
  return await lockMemory(store, change, id);
}
