// Bytes that an account has stored (its datasets, the documents of its indexes, and the models that it imported), and
// may still store.
import { Refusal } from '@lorekeep/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Caller } from '../auth/caller.ts';
import type { Store } from '../store/database.ts';
import { withRowLock } from '../store/lock.ts';
import type { Tables } from '../store/schema.ts';

type Db = Pick<Kysely<Tables>, 'selectFrom'>;

export async function storedBytes(db: Db, accountId: number): Promise<number> {
  return (await storedByAccount(db, accountId)).get(accountId) ?? 0;
}

/** Stored bytes by account, of all accounts or of one. Accounts that stored nothing are left out. */
export async function storedByAccount(db: Db, accountId?: number): Promise<Map<number, number>> {
  const own = accountId === undefined ? sql<boolean>`1 = 1` : sql<boolean>`account_id = ${accountId}`;
  const parts = await Promise.all([
    db
      .selectFrom('datasets')
      .select(['account_id', (eb) => eb.fn.sum<number>('bytes').as('bytes')])
      .where(own)
      .groupBy('account_id')
      .execute(),
    db
      .selectFrom('index_files')
      .innerJoin('indexes', 'indexes.id', 'index_files.index_id')
      .select(['account_id', (eb) => eb.fn.sum<number>('index_files.bytes').as('bytes')])
      .where(own)
      .groupBy('account_id')
      .execute(),
    db
      .selectFrom('tuned_models')
      .select(['account_id', (eb) => eb.fn.sum<number>('bytes').as('bytes')])
      .where('source', 'is not', null)
      .where(own)
      .groupBy('account_id')
      .execute(),
  ]);
  const stored = new Map<number, number>();
  for (const { account_id, bytes } of parts.flat())
    stored.set(account_id, (stored.get(account_id) ?? 0) + Number(bytes ?? 0));
  return stored;
}

export interface RemainingStorage {
  bytes: number;
  full(): Refusal;
}

/** Storage that an account has left. In a transaction that locks the account, no other one takes it. */
export async function remainingStorage(db: Db, { account }: Caller, contact: string): Promise<RemainingStorage> {
  const limit = account.limits.storage_bytes;
  const full = () => new Refusal('storage_limit', { limit: limit ?? 0, contact }) as Refusal;
  if (limit === null) return { bytes: Number.POSITIVE_INFINITY, full };
  return { bytes: limit - (await storedBytes(db, account.id)), full };
}

/** Serialises changes of an account. */
export async function lockAccount(store: Store, change: Transaction<Tables>, accountId: number): Promise<void> {
  const account = change.selectFrom('accounts').select('id').where('id', '=', accountId);
  await withRowLock(store, account).execute();
}
