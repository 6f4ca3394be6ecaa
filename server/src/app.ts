// The server as a value: every part put together, no socket opened. Read top-down, it is the life of a request.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as contract from '@lorekeep/contract';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { Accounts } from './accounts/accounts.ts';
import { defaultLimits } from './accounts/limits.ts';
import { accountRoutes } from './accounts/routes.ts';
import { FolderBlobs } from './blobs/folder.ts';
import type { Config } from './config/settings.ts';
import { Datasets } from './datasets/datasets.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { guard } from './http/access.ts';
import { readBodies } from './http/bodies.ts';
import { answerBroken, guardConnections, largestHeaders } from './http/connections.ts';
import { announceDeprecations } from './http/deprecation.ts';
import { docs } from './http/docs.ts';
import { logRequests } from './http/log.ts';
import { Metrics } from './http/metrics.ts';
import { answer, answerErrors, asRefusal } from './http/refusals.ts';
import { validatorCompiler } from './http/validate.ts';
import { Authenticator } from './keys/authenticate.ts';
import { Keys } from './keys/keys.ts';
import { LastUse } from './keys/last-use.ts';
import { RequestRate } from './keys/rate.ts';
import { keyRoutes } from './keys/routes.ts';
import { type Life, serviceRoutes } from './service/routes.ts';
import { startPage } from './service/start-page.ts';
import { openStore } from './store/open.ts';
import { version } from './version.ts';

export interface Server {
  app: FastifyInstance;
  accounts: Accounts;
  keys: Keys;
  /** Set on the very first start: the key to sign in with, which is shown this once. */
  firstKey: string | undefined;
  /** Stops taking requests, lets those in flight finish, writes what is still in memory. */
  stop(): Promise<void>;
}

export async function createServer(config: Config, log: FastifyBaseLogger): Promise<Server> {
  await mkdir(config.home, { recursive: true, mode: 0o700 });
  const store = await openStore(config.database_url);
  const blobs = new FolderBlobs(join(config.home, 'files'));
  const limits = defaultLimits(config);
  const accounts = new Accounts(store, blobs, limits);
  const keys = new Keys(store);
  const datasets = new Datasets(store, blobs, config.contact);
  const metrics = new Metrics();
  const lastUse = new LastUse(store, (error) =>
    log.warn({ err: error }, 'the last use of keys could not be written; tried again soon'),
  );
  const life: Life = { draining: false };

  const swept = await datasets.sweep();
  if (swept > 0) log.info({ files: swept }, 'removed what an interrupted server left behind');
  const firstKey = await firstStart(accounts, keys, config, log);

  const app = Fastify({
    loggerInstance: log,
    // One line a request, of our own making: log.ts.
    // No child logger for each request: the lines that speak of one say which.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => crypto.randomUUID(),
    requestIdHeader: false,
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: 500 },
    // Our own reader of bodies has the limits; Fastify's would count uploads as well.
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: config.upload_timeout * 1000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    http: {
      maxHeaderSize: largestHeaders,
      headersTimeout: config.body_timeout * 1000,
      connectionsCheckingInterval: 1000,
      // Said in our words by the guard of connections.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerBroken(error, socket, config.body_timeout),
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      answer(asRefusal(error, request, config.home), request, reply as FastifyReply);
    },
  });
  guardConnections(app, { connections: config.max_connections, seconds: config.body_timeout });
  app.setValidatorCompiler(validatorCompiler as never);
  answerErrors(app, contract.routes, config.home);
  readBodies(app, { bytes: config.max_body, seconds: config.body_timeout });

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  // A connection that its client keeps open after its last answer would hold a stop up.
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (life.draining) raw.socket.destroySoon();
    done();
  });
  metrics.watch(app);
  logRequests(app);
  announceDeprecations(app);
  guard(app, { authenticator: new Authenticator(store, limits), rate: new RequestRate(config.contact), lastUse });

  serviceRoutes(app, { store, metrics, life, version });
  await docs(app, version);
  startPage(app);
  accountRoutes(app, accounts);
  keyRoutes(app, keys, accounts);
  datasetRoutes(app, datasets, metrics, {
    bytes: config.max_upload,
    pauseSeconds: config.body_timeout,
    wholeSeconds: config.upload_timeout,
  });
  await app.ready();
  lastUse.start();

  const stop = async () => {
    life.draining = true;
    await app.close();
    await lastUse.stop();
    await store.close();
  };
  return { app, accounts, keys, firstKey, stop };
}

/** Sees to it that somebody can sign in: an operator that never had a key gets its first one, to be printed. */
async function firstStart(
  accounts: Accounts,
  keys: Keys,
  config: Config,
  log: FastifyBaseLogger,
): Promise<string | undefined> {
  const operatorId = await accounts.ensureOperator();
  if (config.admin_key) {
    const outcome = await keys.ensureSettingKey(operatorId, config.admin_key);
    if (outcome === 'revoked')
      log.warn('LOREKEEP_ADMIN_KEY holds a key that was revoked: it does not work; set another value');
    return undefined;
  }
  // A start that was cut off may have made the account and not the key.
  if ((await keys.list(operatorId)).length > 0) return undefined;
  return (await keys.create({ accountId: operatorId, name: 'first key', scopes: ['admin'], expiresAt: null })).key;
}
