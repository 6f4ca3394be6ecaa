// Authorization: the access rules of the contract, checked before a body is read.
import { Refusal, type Route } from '@lorekeep/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';
import type { LastUse } from './last-use.ts';
import type { RequestRate } from './rate-limit.ts';
import type { Sessions } from './sessions.ts';

export interface AccessParts {
  authenticator: Authenticator;
  sessions: Sessions;
  rate: RequestRate;
  lastUse: LastUse;
}

export function guard(app: FastifyInstance, { authenticator, sessions, rate, lastUse }: AccessParts): void {
  app.decorateRequest('caller', null);
  const admit = (route: Route, request: FastifyRequest, caller: Caller): void | Promise<void> => {
    request.caller = caller;
    lastUse.note(caller.key.id);
    const counted = rate.take(caller);
    if (counted) return counted.then(() => refuseAccess(route, caller));
    refuseAccess(route, caller);
  };
  // A callback instead of a promise: a cached caller costs no turn of the event loop.
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.config.contract;
    if (!route || route.access === 'public') return done();
    try {
      // CSRF check: a key is sent on purpose, whereas a browser adds the cookie to every request.
      const { authorization } = request.headers;
      const session = authorization === undefined ? sessions.authenticate(request) : undefined;
      const caller = session ?? authenticator.authenticate(authorization);
      if (caller instanceof Promise) {
        caller.then((found) => admit(route, request, found)).then(() => done(), done);
        return;
      }
      const admitted = admit(route, request, caller);
      if (admitted) admitted.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  });
}

function refuseAccess({ access }: Route, caller: Caller): void {
  if (access === 'public' || access === 'key') return;
  const scope = access === 'operator' ? 'admin' : access;
  if (!caller.may(scope)) throw new Refusal('scope_missing', { name: caller.key.name, scope });
  if (access === 'operator' && !caller.isOperator) throw new Refusal('operator_only');
}
