// The lock of a row until the transaction ends. It leaves the key of the row free: rows that refer to it may be written meanwhile, so a
// transaction that holds an account and waits for its job does not block one that holds the job and counts on the account's key.
import type { SelectQueryBuilder } from 'kysely';
import type { Store } from './database.ts';
import type { Tables } from './schema.ts';

/** Reads rows and locks them. SQLite: the lock of the transaction itself. */
export function withRowLock<Table extends keyof Tables, Row>(
  { engine }: Pick<Store, 'engine'>,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return engine === 'postgres' ? query.forNoKeyUpdate() : query;
}
