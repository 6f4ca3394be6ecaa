// The routes of accounts.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import type { Accounts } from './accounts.ts';

export function accountRoutes(app: FastifyInstance, accounts: Accounts): void {
  serve(app, contract.showOwnAccount, async ({ caller }) => ({
    ...(await accounts.show(caller.account.id)),
    key: {
      id: caller.key.id,
      name: caller.key.name,
      scopes: caller.key.scopes,
      expires_at: caller.key.expiresAt === null ? null : new Date(caller.key.expiresAt).toISOString(),
    },
  }));
  serve(app, contract.listAccounts, async () => ({ accounts: await accounts.list() }));
  serve(app, contract.createAccount, async ({ body }) => await accounts.create(body.name, body.limits));
  serve(app, contract.showAccount, async ({ params }) => await accounts.show(params.id));
  serve(app, contract.changeAccount, async ({ params, body }) => await accounts.change(params.id, body));
  serve(app, contract.deleteAccount, async ({ params }) => {
    await accounts.delete(params.id);
    return { deleted: params.id };
  });
}
