// How many bytes an account has stored: its datasets and the documents of its indexes.
import type { Kysely } from 'kysely';
import type { Tables } from '../store/schema.ts';

export async function storedBytes(db: Pick<Kysely<Tables>, 'selectFrom'>, accountId: number): Promise<number> {
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
  return Number(datasets?.bytes ?? 0) + Number(documents?.bytes ?? 0);
}
