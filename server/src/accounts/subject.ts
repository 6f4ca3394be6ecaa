// The account that a request is about: the caller's own, or any for the operator. For anybody else, other accounts do not exist.
import { Refusal } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';
import type { Accounts } from './accounts.ts';

export async function subject(accounts: Accounts, caller: Caller, requested: number | undefined): Promise<number> {
  if (requested === undefined || requested === caller.account.id) return caller.account.id;
  if (!caller.isOperator || !caller.may('admin')) throw new Refusal('account_not_found', { id: requested });
  return (await accounts.show(requested)).id;
}
