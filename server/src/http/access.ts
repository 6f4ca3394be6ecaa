// Who may call what: read from the contract, decided before a body is looked at.
import { Refusal, type Route } from '@lorekeep/contract';
import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../keys/authenticate.ts';
import type { Caller } from '../keys/caller.ts';
import type { LastUse } from '../keys/last-use.ts';
import type { RequestRate } from '../keys/rate.ts';

export interface AccessParts {
  authenticator: Authenticator;
  rate: RequestRate;
  lastUse: LastUse;
}

export function guard(app: FastifyInstance, { authenticator, rate, lastUse }: AccessParts): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.config.contract;
    if (!route || route.access === 'public') return;
    const caller = await authenticator.authenticate(request.headers.authorization);
    request.caller = caller;
    lastUse.note(caller.key.id);
    rate.take(caller);
    refuseAccess(route, caller);
  });
}

function refuseAccess({ access }: Route, caller: Caller): void {
  if (access === 'public' || access === 'key') return;
  const scope = access === 'operator' ? 'admin' : access;
  if (!caller.may(scope)) throw new Refusal('scope_missing', { name: caller.key.name, scope });
  if (access === 'operator' && !caller.isOperator) throw new Refusal('operator_only');
}
