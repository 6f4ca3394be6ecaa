// Shared lock per account for erasures, which scan votes, kept answers and proposals. Writers of these hold it shared; an
// erasure holds it exclusively, so that no text is stored between its scan and its receipt.
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';
import { type Change, lockMemory, type OwnMemory } from './memory-store.ts';

/** First of the two keys of the advisory lock. Other advisory locks have one key. */
const textsLockKey = 73_052;

/** Acquired before any other lock of the transaction. SQLite has one writer at a time and needs no lock. */
export async function lockTexts(
  { engine }: Store,
  change: Change,
  accountId: number,
  how: 'shared' | 'alone',
): Promise<void> {
  if (engine !== 'postgres') return;
  const lock = sql.raw(how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(${sql.lit(textsLockKey)}, ${accountId}::int)`.execute(change);
}

/** Locks the memory in order to store proposals; undefined if it is gone. */
export async function lockForProposals(store: Store, change: Change, id: number): Promise<OwnMemory | undefined> {
  const memory = await change.selectFrom('memories').select('account_id').where('id', '=', id).executeTakeFirst();
  if (!memory) return undefined;
  await lockTexts(store, change, memory.account_id, 'shared');
  return await lockMemory(store, change, id);
}
