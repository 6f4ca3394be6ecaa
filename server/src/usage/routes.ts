// The route of usage.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { subject } from '../accounts/subject.ts';
import { serve } from '../http/serve.ts';
import type { Usage } from './usage.ts';

const daysBack = 30;

export function usageRoutes(app: FastifyInstance, usage: Usage, accounts: Accounts): void {
  serve(app, contract.showUsage, async ({ caller, query }) => {
    const account = await subject(accounts, caller, query.account_id);
    const from = query.from ?? day(Date.now() - daysBack * 86_400_000);
    return await usage.show(account, from, query.to ?? day(Date.now()));
  });
}

const day = (time: number) => new Date(time).toISOString().slice(0, 10);
