// The account that a request is about: the caller's own, or any for the operator. Another account's does not exist for anybody else.
import { Refusal } from '@lorekeep/contract';
import type { Caller } from '../keys/caller.ts';
import type { Accounts } from './accounts.ts';

export async function subject(accounts: Accounts, caller: Caller, wanted: number | undefined): Promise<number> {
  if (wanted === undefined || wanted === caller.account.id) return caller.account.id;
  if (!caller.isOperator || !caller.may('admin')) throw new Refusal('account_not_found', { id: wanted });
  return (await accounts.show(wanted)).id;
}
