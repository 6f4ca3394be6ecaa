// Custom names of models. A name belongs to one account, and several accounts may use the same name. A public model of another account
// is called NAME@ACCOUNT, with the number of the account, which is never reused.
import { Refusal } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import { record } from '../audit/record.ts';
import type { Tables } from '../store/schema.ts';

export const qualified = (alias: string, accountId: number): string => `${alias}@${accountId}`;

/** A custom name contains no @, so that the account is unambiguous. */
export function accountOf(name: string): { alias: string; accountId: number } | undefined {
  const [, alias, id] = /^([^@]+)@([1-9][0-9]{0,14})$/.exec(name) ?? [];
  return alias === undefined ? undefined : { alias, accountId: Number(id) };
}

/** Creates the name; an existing one keeps its target. */
export async function reserveAlias(
  change: Transaction<Tables>,
  alias: string,
  accountId: number,
  jobId: number,
): Promise<void> {
  if (await isMemory(change, accountId, alias)) throw new Refusal('name_of_memory', { name: alias });
  await change
    .insertInto('model_aliases')
    .values({ alias, account_id: accountId, model_name: null, job_id: jobId })
    .onConflict((conflict) => conflict.columns(['account_id', 'alias']).doNothing())
    .execute();
}

interface Pointer {
  alias: string;
  accountId: number;
  model: string;
  jobId: number;
}

/** Whether the name is that of a memory, which alone moves it. */
export async function isMemory(change: Transaction<Tables>, accountId: number, alias: string): Promise<boolean> {
  const found = await change
    .selectFrom('memories')
    .select('id')
    .where('account_id', '=', accountId)
    .where('name', '=', alias)
    .executeTakeFirst();
  return found !== undefined;
}

/** Points the name to this model, regardless of its earlier target. Refused for the name of a memory. */
export async function moveAlias(change: Transaction<Tables>, pointer: Pointer): Promise<void> {
  if (await isMemory(change, pointer.accountId, pointer.alias))
    throw new Refusal('name_of_memory', { name: pointer.alias });
  await pointAlias(change, pointer);
}

/** The same, called by the memory itself. */
export async function pointAlias(
  change: Transaction<Tables>,
  { alias, accountId, model, jobId }: Pointer,
): Promise<void> {
  await change
    .insertInto('model_aliases')
    .values({ alias, account_id: accountId, model_name: model, job_id: jobId })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'alias']).doUpdateSet({ model_name: model, job_id: jobId }),
    )
    .execute();
}

/** For the audit log, at the end of the transaction that moved the name. */
export async function recordPublished(
  change: Transaction<Tables>,
  accountId: number,
  model: string,
  alias: string,
): Promise<void> {
  await record(change, { action: 'model.published', accountId, subject: model, details: { name: alias } });
}
