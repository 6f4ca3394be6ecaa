// How many bytes an account has stored (its datasets, the documents of its indexes, and the models that it imported), and may still store.
import { Refusal } from '@lorekeep/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Caller } from '../keys/caller.ts';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';

type Db = Pick<Kysely<Tables>, 'selectFrom'>;

export async function storedBytes(db: Db, accountId: number): Promise<number> {
  const datasets = await db
    .selectFrom('datasets')
    .select((eb) => eb.fn.sum<number>('bytes').as('bytes'))
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const documents = await db
    .selectFrom('index_files')
    .innerJoin('indexes', 'indexes.id', 'index_files.index_id')
    .select((eb) => eb.fn.sum<number>('index_files.bytes').as('bytes'))
    .where('indexes.account_id', '=', accountId)
    .executeTakeFirst();
  const imported = await db
    .selectFrom('tuned_models')
    .select((eb) => eb.fn.sum<number>('bytes').as('bytes'))
    .where('account_id', '=', accountId)
    .where('source', 'is not', null)
    .executeTakeFirst();
  return [datasets, documents, imported].reduce((sum, part) => sum + Number(part?.bytes ?? 0), 0);
}

export interface Room {
  bytes: number;
  full(): Refusal;
}

/** What is left; within a change that holds the account, nobody else takes it meanwhile. */
export async function roomOf(db: Db, { account }: Caller, contact: string): Promise<Room> {
  const limit = account.limits.storage_bytes;
  const full = () => new Refusal('storage_limit', { limit: limit ?? 0, contact }) as Refusal;
  if (limit === null) return { bytes: Number.POSITIVE_INFINITY, full };
  return { bytes: limit - (await storedBytes(db, account.id)), full };
}

/** One change of an account after the other. SQLite: the lock of the transaction itself. */
export async function holdAccount({ engine }: Store, change: Transaction<Tables>, accountId: number): Promise<void> {
  const account = change.selectFrom('accounts').select('id').where('id', '=', accountId);
  await (engine === 'postgres' ? account.forUpdate() : account).execute();
}
