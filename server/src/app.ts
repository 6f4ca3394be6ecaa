// The server as a value: every part put together, no socket opened. Read top-down, it is the life of a request.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as contract from '@lorekeep/contract';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { Accounts } from './accounts/accounts.ts';
import { defaultLimits } from './accounts/limits.ts';
import { accountRoutes } from './accounts/routes.ts';
import { FolderBlobs } from './blobs/folder.ts';
import { ProcessCluster } from './cluster/processes.ts';
import { Workers } from './cluster/workers.ts';
import { Asking } from './completions/asking.ts';
import { completionRoutes } from './completions/routes.ts';
import type { Config } from './config/settings.ts';
import { SignInLinks } from './console/links.ts';
import { consolePages } from './console/pages.ts';
import { Passwords } from './console/passwords.ts';
import { sessionRoutes } from './console/routes.ts';
import { Sessions } from './console/sessions.ts';
import { Datasets } from './datasets/datasets.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { Documents } from './documents/documents.ts';
import { documentRoutes } from './documents/routes.ts';
import { ChildEngine } from './engine/child.ts';
import { EngineCommands } from './engine/command.ts';
import { Evaluations } from './evaluations/evaluations.ts';
import { IndexTargets } from './evaluations/index-targets.ts';
import { evaluationRoutes } from './evaluations/routes.ts';
import { EvaluationRunner } from './evaluations/runner.ts';
import { Targets } from './evaluations/targets.ts';
import { guard } from './http/access.ts';
import { readBodies } from './http/bodies.ts';
import { answerBroken, guardConnections, largestHeaders } from './http/connections.ts';
import { announceDeprecations } from './http/deprecation.ts';
import { docs } from './http/docs.ts';
import { logRequests } from './http/log.ts';
import { Metrics } from './http/metrics.ts';
import { answer, answerErrors, asRefusal } from './http/refusals.ts';
import { sendTogether } from './http/together.ts';
import { validatorCompiler } from './http/validate.ts';
import { Authenticator } from './keys/authenticate.ts';
import { Keys } from './keys/keys.ts';
import { LastUse } from './keys/last-use.ts';
import { RequestRate } from './keys/rate.ts';
import { keyRoutes } from './keys/routes.ts';
import { Acceptance } from './models/accept.ts';
import { Downloader } from './models/downloader.ts';
import { Downloads } from './models/downloads.ts';
import { ModelExports } from './models/export.ts';
import { ModelFolders } from './models/folders.ts';
import { ModelImports } from './models/import.ts';
import { Models } from './models/models.ts';
import { DownloadRecords } from './models/records.ts';
import { modelRoutes } from './models/routes.ts';
import { TunedModels } from './models/tuned.ts';
import { tunedModelRoutes } from './models/tuned-routes.ts';
import { openaiRoutes } from './openai/routes.ts';
import { runRoutes } from './runs/routes.ts';
import { Runner } from './runs/runner.ts';
import { Runs } from './runs/runs.ts';
import { Presence } from './servers/presence.ts';
import { type Life, serviceRoutes } from './service/routes.ts';
import { startPage } from './service/start-page.ts';
import { openStore } from './store/open.ts';
import { Foreman } from './tuning/foreman.ts';
import { forget } from './tuning/forget.ts';
import { JobFolders } from './tuning/job-folders.ts';
import { Jobs } from './tuning/jobs.ts';
import { Ledger } from './tuning/ledger.ts';
import { sweepJobs } from './tuning/leftovers.ts';
import { plan } from './tuning/plan.ts';
import { Planner } from './tuning/planner.ts';
import { Preparation } from './tuning/preparation.ts';
import { JobRequests } from './tuning/requests.ts';
import { tuningRoutes } from './tuning/routes.ts';
import { slotsFor } from './tuning/slots.ts';
import { Submission } from './tuning/submission.ts';
import { usageRoutes } from './usage/routes.ts';
import { Usage } from './usage/usage.ts';
import { version } from './version.ts';
import { Messenger } from './webhooks/messenger.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export interface Server {
  app: FastifyInstance;
  accounts: Accounts;
  keys: Keys;
  /** Set on the very first start: the key to sign in with, which is shown this once. */
  firstKey: string | undefined;
  /** While the operator has no password for the console: the path of a link that sets one, once. */
  firstLink: string | undefined;
  /** Stops taking requests, lets those in flight finish, writes what is still in memory. */
  stop(): Promise<void>;
}

/** `python` is the interpreter that the engine runs on, which may still be being set up; without one the engine stays away. */
export async function createServer(
  config: Config,
  log: FastifyBaseLogger,
  python: Promise<string> = new Promise(() => {}),
): Promise<Server> {
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
  const usage = new Usage(store, metrics, (error) =>
    log.warn({ err: error }, 'usage could not be written; tried again soon'),
  );
  const engine = new ChildEngine(python, log, engineOptions(config));
  const folders = new ModelFolders(config.home);
  const presence = new Presence(store);
  const records = new DownloadRecords(store, presence);
  const jobFolders = new JobFolders(config.home, presence.name);
  const tunedModels = new TunedModels(store, jobFolders);
  const models = new Models(folders, records, tunedModels, () => engine.embedder());
  const downloader = new Downloader(records, folders, config.hub_url, python, log);
  const operatorOnly = config.model_downloads === 'operator';
  const downloads = new Downloads({ models, folders, records, downloader, engine, operatorOnly, log });
  const asking = new Asking(engine, models, usage);
  const runner = new Runner(store, presence, asking, config.days_kept, (error) =>
    log.error({ err: error }, 'a batch could not be worked on; tried again soon'),
  );
  const runs = new Runs(store, config.days_kept, () => runner.look());
  const uploads = {
    bytes: config.max_upload,
    pauseSeconds: config.body_timeout,
    wholeSeconds: config.upload_timeout,
  };
  const workers = new Workers(python, log);
  const gpus = () => (config.engine_device === 'cpu' ? 0 : engine.gpus());
  const cluster = new ProcessCluster(workers, config.slots, gpus);
  const ledger = new Ledger(store);
  const requests = new JobRequests(store);
  const jobs = new Jobs(store, jobFolders);
  const preparation = new Preparation(models, tunedModels, jobFolders, () => (gpus() ? 'cuda' : 'cpu'));
  const foreman = new Foreman({
    ledger,
    presence,
    cluster,
    folders: jobFolders,
    timeLimit: config.job_time_limit,
    prepare: (job) => preparation.prepare(job),
    log,
  });
  const capacity = async () => await presence.largest(await cluster.capacity());
  const submission = new Submission({
    store,
    datasets,
    models,
    folders: jobFolders,
    requests,
    planner: new Planner(workers),
    preparation,
    capacity,
    uploads,
    contact: config.contact,
    onNew: () => foreman.poke(),
  });
  const documents = new Documents({ store, presence, blobs, asking, home: config.home, contact: config.contact, log });
  const targets = new Targets(asking, new IndexTargets(documents));
  const evaluator = new EvaluationRunner(store, presence, targets, (error) =>
    log.error({ err: error }, 'an evaluation could not be worked on; tried again soon'),
  );
  const evaluations = new Evaluations(store, datasets, targets, () => evaluator.look());
  const messenger = new Messenger(store, log);
  const life: Life = { draining: false };

  const swept = (await datasets.sweep()) + (await sweepJobs(store, jobFolders));
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
    trustProxy: config.trusted_proxies.length > 0 ? [...config.trusted_proxies] : false,
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
  sendTogether(app);
  const sessions = new Sessions(store, limits);
  const passwords = new Passwords(store, config.contact);
  const links = new SignInLinks(store, config.contact);
  guard(app, {
    authenticator: new Authenticator(store, limits),
    sessions,
    rate: new RequestRate(config.contact),
    lastUse,
  });

  serviceRoutes(app, { store, engine, metrics, life, version });
  await docs(app, version);
  // Until the console is built, a page that says how to begin.
  if (!consolePages(app)) startPage(app);
  accountRoutes(app, accounts);
  keyRoutes(app, keys, accounts);
  sessionRoutes(app, { accounts, sessions, passwords, links });
  datasetRoutes(app, datasets, metrics, uploads);
  modelRoutes(app, downloads);
  tuningRoutes(app, {
    submission,
    plan: (...asked) => plan({ store, submission, preparation, folders: jobFolders, capacity }, ...asked),
    requests,
    jobs,
    folders: jobFolders,
    contact: config.contact,
    slots: (caller) => slotsFor(store, capacity, caller),
    poke: () => foreman.poke(),
  });
  const commands = new EngineCommands(python);
  tunedModelRoutes(app, {
    tuned: tunedModels,
    models,
    folders: jobFolders,
    exports: new ModelExports(commands, config.home),
    imports: new ModelImports({
      ...{ store, models, commands },
      tuned: tunedModels,
      folders: jobFolders,
      acceptance: new Acceptance(commands),
      contact: config.contact,
      limits: uploads,
    }),
    engine,
    forget: async (...asked) => {
      const parts = { store, tuned: tunedModels, folders: jobFolders, requests, contact: config.contact };
      const answer = await forget(parts, ...asked);
      foreman.poke();
      return answer;
    },
  });
  webhookRoutes(app, new Webhooks(store));
  usageRoutes(app, usage, accounts);
  completionRoutes(app, asking);
  runRoutes(app, runs, asking);
  openaiRoutes(app, asking, models, documents);
  documentRoutes(app, {
    ...documents,
    ...{ store, blobs, asking },
    limits: uploads,
  });
  evaluationRoutes(app, { evaluations, jobs, folders: jobFolders });
  await app.ready();
  const operatorId = await accounts.ensureOperator();
  const firstLink = (await passwords.isSet(operatorId)) ? undefined : (await links.make(operatorId)).path;
  lastUse.start();
  usage.start();
  // First of all: only what a server that is known has is its own.
  await foreman.start();
  runner.start();
  evaluator.start();
  downloader.start();
  documents.runner.start();
  messenger.start();

  const stop = async () => {
    life.draining = true;
    const held = [runner, evaluator, downloader, documents.runner, messenger].map((one) => one.stop());
    // Last of all: what they still write is their own only while this server is known.
    await Promise.all([app.close(), Promise.all(held).then(() => foreman.stop())]);
    await engine.stop();
    await Promise.all([lastUse.stop(), usage.stop()]);
    await store.close();
  };
  return { app, accounts, keys, firstKey, firstLink, stop };
}

function engineOptions({ engine_memory, engine_threads, engine_device }: Config): string[] {
  return [
    ...(engine_memory === 'auto' ? [] : ['--memory', String(engine_memory)]),
    ...['--threads', String(engine_threads), '--device', engine_device],
  ];
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
