// Custom names of models: whose one is, which job may move it, when it is free again.
import { Refusal } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';

type Db = Store['db'] | Transaction<Tables>;

/** Somebody else's: it has a model, or a job that is under way towards one. */
export async function isForeignAlias(db: Db, alias: string, accountId: number): Promise<boolean> {
  const row = await db.selectFrom('model_aliases').selectAll().where('alias', '=', alias).executeTakeFirst();
  if (!row || row.account_id === accountId) return false;
  if (row.model_name !== null) return true;
  const job = await db
    .selectFrom('tuning_jobs')
    .select('id')
    .where('account_id', '=', row.account_id)
    .where('custom_model_name', '=', alias)
    .where('status', 'not in', ['FAILED', 'CANCELLED', 'COMPLETED', 'PARTIALLY COMPLETED'])
    .limit(1)
    .executeTakeFirst();
  return job !== undefined;
}

/** The name is this account's from now on. Of two accounts that ask at once, the database lets one be first. */
export async function reserveAlias(
  change: Transaction<Tables>,
  alias: string,
  accountId: number,
  jobId: number,
): Promise<void> {
  const made = await change
    .insertInto('model_aliases')
    .values({ alias, account_id: accountId, model_name: null, job_id: jobId })
    .onConflict((conflict) => conflict.column('alias').doNothing())
    .returning('alias')
    .executeTakeFirst();
  if (made) return;
  // The row is held first and looked at then: whoever was before is done with it, and its job is there to be seen.
  const held = await change.updateTable('model_aliases').set({ alias }).where('alias', '=', alias).executeTakeFirst();
  if (held.numUpdatedRows === 0n) return await reserveAlias(change, alias, accountId, jobId);
  if (await isForeignAlias(change, alias, accountId)) throw new Refusal('name_taken', { name: alias });
  // Its own, or left behind by a job that came to nothing.
  await change.updateTable('model_aliases').set({ account_id: accountId }).where('alias', '=', alias).execute();
}
