// Row lock until the transaction ends. It does not lock the key of the row, so rows that reference it can be written meanwhile: a
// transaction that locks an account and waits for its job does not block one that locks the job and counts on the account's key.
import type { SelectQueryBuilder } from 'kysely';
import type { Store } from './database.ts';
import type { Tables } from './schema.ts';

/** Adds a row lock to a query. On SQLite, the lock of the transaction suffices. */
export function withRowLock<Table extends keyof Tables, Row>(
  { engine }: Pick<Store, 'engine'>,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return engine === 'postgres' ? query.forNoKeyUpdate() : query;
}
