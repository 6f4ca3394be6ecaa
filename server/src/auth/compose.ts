// Composes keys, sessions and passwords into one part of the server.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { defaultLimits } from '../accounts/limits.ts';
import type { Config } from '../config/settings.ts';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { Authenticator } from './authenticator.ts';
import { guard } from './guard.ts';
import { keyRoutes } from './key-routes.ts';
import { Keys } from './keys.ts';
import { LastUse } from './last-use.ts';
import { Passwords } from './passwords.ts';
import { RequestRate } from './rate-limit.ts';
import { sessionRoutes } from './session-routes.ts';
import { Sessions } from './sessions.ts';
import { sharedBucket } from './shared-rate.ts';
import { SignInLinks } from './sign-in-links.ts';

interface Dependencies {
  config: Config;
  store: Store;
  accounts: Accounts;
  time: TrustedTime;
  log: FastifyBaseLogger;
}

export function composeAuth({ config, store, accounts, time, log }: Dependencies) {
  const limits = defaultLimits(config);
  const keys = new Keys(store, limits);
  const sessions = new Sessions(store, limits, time);
  const passwords = new Passwords(store, config.contact);
  const links = new SignInLinks(store, config.contact, time);
  const authenticator = new Authenticator(store, limits);
  // SQLite is used by one server only.
  const shared = store.engine === 'postgres' ? sharedBucket(store) : undefined;
  const lastUse = new LastUse(store, (error) =>
    log.warn({ err: error }, 'the last use of keys could not be stored; retrying'),
  );
  return {
    keys,
    guard: (app: FastifyInstance) =>
      guard(app, { authenticator, sessions, rate: new RequestRate(config.contact, shared), lastUse }),
    routes(app: FastifyInstance) {
      keyRoutes(app, keys, accounts);
      sessionRoutes(app, { accounts, sessions, passwords, links });
    },
    /** Creates the key of the setting LOREKEEP_ADMIN_KEY at every start. */
    async ensureSettingKey(): Promise<void> {
      const operatorId = await accounts.ensureOperator();
      if (!config.admin_key) return;
      if ((await keys.ensureSettingKey(operatorId, config.admin_key)) === 'revoked')
        log.warn('LOREKEEP_ADMIN_KEY holds a revoked key, which does not work; set another value');
    },
    /** Creates the first key of an operator that never had one. Returns it to be printed. */
    async makeFirstKey(): Promise<string | undefined> {
      const operatorId = await accounts.ensureOperator();
      if (config.admin_key || (await keys.list(operatorId, 1)).keys.length > 0) return undefined;
      return (await keys.create({ accountId: operatorId, name: 'first key', scopes: ['admin'], expiresAt: null })).key;
    },
    /** Path of a link that sets the operator's password, while there is none. */
    async firstLink(): Promise<string | undefined> {
      const operatorId = await accounts.ensureOperator();
      return (await passwords.isSet(operatorId)) ? undefined : (await links.make(operatorId)).path;
    },
    start: () => lastUse.start(),
    stop: async () => await lastUse.stop(),
  };
}
