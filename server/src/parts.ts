// The parts of the server, each built from earlier ones, and their routes.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Accounts } from './accounts/accounts.ts';
import { defaultLimits } from './accounts/limits.ts';
import { accountRoutes } from './accounts/routes.ts';
import { composeAudit } from './audit/compose.ts';
import { composeAuth } from './auth/compose.ts';
import { openStorage } from './blobs/open.ts';
import type { Config } from './config/settings.ts';
import { Datasets } from './datasets/datasets.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { DocumentedModelClient } from './documents/answers/documented-model-client.ts';
import { Documents } from './documents/documents.ts';
import { composeEngine } from './engine/replicas/compose.ts';
import { withUpstreams } from './engine/upstream/compose.ts';
import { composeErasures } from './erasures/compose.ts';
import { composeEvaluations } from './evaluations/compose.ts';
import type { UploadLimits } from './http/form.ts';
import { type Life, serviceRoutes } from './http/health-routes.ts';
import { Metrics } from './http/metrics.ts';
import { consolePages } from './http/pages/console-pages.ts';
import { docs } from './http/pages/docs.ts';
import { startPage } from './http/pages/start-page.ts';
import { askedBase } from './inference/asked-base.ts';
import { ModelClient } from './inference/model-client.ts';
import { completionRoutes } from './inference/routes.ts';
import { Heartbeat } from './leases/heartbeat.ts';
import { TrustedTime } from './leases/trusted-time.ts';
import { composeMemories } from './memories/compose.ts';
import { composeModels } from './models/compose.ts';
import { localFolder } from './models/models.ts';
import { AskableModels } from './openai/models.ts';
import { completeText, openaiRoutes } from './openai/routes.ts';
import { composeRuns } from './runs/compose.ts';
import { installationOf } from './store/installation.ts';
import { openStore } from './store/open.ts';
import { composeTuning } from './tuning/compose.ts';
import { JobFolders } from './tuning/job-folders.ts';
import { usageRoutes } from './usage/routes.ts';
import { Usage } from './usage/usage.ts';
import { version } from './version.ts';
import { composeWebhooks } from './webhooks/compose.ts';

export type ComposedParts = Awaited<ReturnType<typeof composeParts>>;

export async function composeParts(config: Config, log: FastifyBaseLogger, python: Promise<string>) {
  const { home, contact } = config;
  const { store, blobs, tables, beyond, close: closeStorage } = await openData(config, log);
  const heartbeat = new Heartbeat(store);
  const time = new TrustedTime(store);
  // The first start stores the time, so that a later jump of the clock between runs is noticed.
  await time.now();
  const metrics = new Metrics();
  const { engine: own, replicas, reportSetUp } = composeEngine(config, python, log);
  const { engine, upstreams } = withUpstreams(own, config, localFolder(home), log);
  metrics.watchUpstreams(upstreams);
  metrics.watchReplicas(replicas);
  const uploads = uploadLimits(config);
  const shared = { config, store, heartbeat, time, engine, replicas, upstreams, python, log, uploads };

  const accounts = new Accounts(store, blobs, defaultLimits(config));
  const auth = composeAuth({ ...shared, accounts });
  const audit = composeAudit({ config, store, accounts, time, log });
  const usage = new Usage(store, metrics, (err) => log.warn({ err }, 'usage could not be stored; retrying'));
  const datasets = new Datasets(store, blobs, contact);
  const folders = new JobFolders(home, heartbeat.name, beyond?.jobs);
  const models = composeModels({ ...shared, arriving: folders.folders, beyond: beyond?.tuned });
  const { tuned, tunedFolders } = models;
  const modelClient = new ModelClient(engine, models.models, usage);
  const stored = { datasets, models: models.models, tuned, tunedFolders, folders };
  const tuning = composeTuning({ ...shared, ...stored, onEnd: () => memories.wake() });
  const documents = new Documents({ ...shared, blobs, tables, modelClient, home, contact });
  const askedClient = new DocumentedModelClient(engine, models.models, usage, documents);
  const runs = composeRuns({ ...shared, modelClient: askedClient });
  const evaluations = composeEvaluations({
    ...{ ...shared, modelClient: askedClient, datasets, documents, jobs: tuning.jobs, tunedFolders },
  });
  const { spare } = tuning;
  const erasures = composeErasures({
    ...{ ...shared, ...models, home, blobs, modelClient, folders: tunedFolders, jobFolders: folders },
    ...{ order: tuning.order, spare, device: tuning.device, onWork: () => memories.wake() },
  });
  const ofMemories = { ...tuning.forMemories, evaluations: evaluations.versions, erasures, contact };
  const memories = composeMemories({ ...shared, ...models, ...ofMemories, base: askedBase(modelClient) });
  const webhooks = composeWebhooks(shared);
  return {
    ...shared,
    ...{
      ...{ closeStorage, reportSetUp, metrics, accounts, auth, audit, usage, spare },
      datasets,
      models,
      modelClient: askedClient,
      tuning,
      memories,
      erasures,
      documents,
      runs,
      evaluations,
      webhooks,
    },
    /** Background workers, besides the scheduler of tuning jobs. */
    workers: [audit, runs, evaluations, models, memories, documents, webhooks, tuning.cleanup],
  };
}

/** The records, and everything else. */
async function openData(config: Config, log: FastifyBaseLogger) {
  const store = await openStore(config.database_url);
  try {
    const storage = await openStorage(config);
    for (const note of await storage.claim(await installationOf(store))) log.warn(note);
    return { store, ...storage };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export async function addRoutes(app: FastifyInstance, life: Life, parts: ComposedParts): Promise<void> {
  const {
    store,
    engine,
    upstreams,
    metrics,
    uploads,
    accounts,
    auth,
    usage,
    datasets,
    models,
    modelClient,
    tuning,
    documents,
  } = parts;
  auth.guard(app);
  serviceRoutes(app, { store, engine, upstreams, metrics, life, version });
  await docs(app);
  // Until the console is built: a page that says how to begin.
  if (!consolePages(app)) startPage(app);
  accountRoutes(app, accounts);
  auth.routes(app);
  parts.audit.routes(app);
  datasetRoutes(app, { datasets, metrics, limits: uploads, spare: parts.spare });
  const askable = new AskableModels(models.models, documents);
  models.routes(app, {
    ...{ askable, forget: tuning.forget, move: tuning.move },
    indexId: async ({ account }, index) =>
      index === '' ? null : (await documents.indexes.byModel(account.id, `index/${index}`)).id,
  });
  tuning.routes(app);
  parts.memories.routes(app);
  parts.erasures.routes(app);
  parts.webhooks.routes(app);
  usageRoutes(app, usage, accounts);
  completionRoutes(app, modelClient, completeText(modelClient, parts.memories.feedback));
  parts.runs.routes(app);
  openaiRoutes(app, modelClient, askable, documents, parts.memories.feedback);
  documents.routes(app, uploads);
  parts.evaluations.routes(app);
}

const uploadLimits = (config: Config): UploadLimits => ({
  bytes: config.max_upload,
  pauseSeconds: config.body_timeout,
  wholeSeconds: config.upload_timeout,
  rate: config.upload_rate,
});
