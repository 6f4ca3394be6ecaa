// The routes of keys.
import * as contract from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { subject } from '../accounts/subject.ts';
import { serve } from '../http/serve.ts';
import type { Caller } from './caller.ts';
import { type Domain, defaultScopes, type Keys } from './keys.ts';

export function keyRoutes(app: FastifyInstance, keys: Keys, accounts: Accounts): void {
  const domain = (caller: Caller): Domain => (caller.isOperator && caller.may('admin') ? 'all' : caller.account.id);

  serve(
    app,
    contract.listKeys,
    async ({ caller, query }) =>
      await keys.list(await subject(accounts, caller, query.account_id), query.limit, query.after),
  );

  serve(app, contract.createKey, async ({ caller, body }) => {
    const expiresAt = body.expires_at === undefined ? null : Date.parse(body.expires_at);
    const accountId = await subject(accounts, caller, body.account_id);
    return await keys.create(
      { accountId, name: body.name, scopes: [...new Set(body.scopes ?? defaultScopes)], expiresAt },
      caller,
    );
  });

  serve(app, contract.showKey, async ({ caller, params }) => await keys.show(domain(caller), params.id));

  serve(app, contract.revokeKey, async ({ caller, params }) => await keys.revoke(domain(caller), params.id));

  serve(app, contract.rotateKey, async ({ caller, params, body }) => {
    const graceSeconds = body?.grace_seconds ?? 86_400;
    const expiresAt = body?.expires_at === undefined ? undefined : Date.parse(body.expires_at);
    return await keys.rotate(domain(caller), params.id, { graceSeconds, expiresAt }, caller);
  });
}
