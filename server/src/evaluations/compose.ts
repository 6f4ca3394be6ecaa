// Composes evaluations into one part of the server.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Datasets } from '../datasets/datasets.ts';
import type { Documents } from '../documents/documents.ts';
import type { ModelClient } from '../inference/model-client.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import type { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import type { Jobs } from '../tuning/jobs.ts';
import { Evaluations } from './evaluations.ts';
import { IndexTargets } from './index-targets.ts';
import { evaluationRoutes } from './routes.ts';
import { evaluationRunner } from './runner.ts';
import { Targets } from './targets.ts';
import { VersionEvaluations } from './version-evaluations.ts';

interface Dependencies {
  store: Store;
  heartbeat: Heartbeat;
  modelClient: ModelClient;
  datasets: Datasets;
  documents: Documents;
  jobs: Jobs;
  tunedFolders: TunedFolders;
  log: FastifyBaseLogger;
}

export function composeEvaluations(dependencies: Dependencies) {
  const { store, heartbeat, modelClient, datasets, documents, jobs, tunedFolders: folders, log } = dependencies;
  const targets = new Targets(modelClient, new IndexTargets(documents));
  const runner = evaluationRunner(store, heartbeat, targets, (error) =>
    log.error({ err: error }, 'evaluation step failed; retrying'),
  );
  const evaluations = new Evaluations(store, datasets, targets, () => runner.wake());
  const versions = new VersionEvaluations({ store, datasets, targets, onChange: () => runner.wake() });
  return {
    /** For the gates and comparisons of memories. */
    versions,
    routes: (app: FastifyInstance) => evaluationRoutes(app, { evaluations, jobs, folders }),
    start: () => runner.start(),
    stop: async () => await runner.stop(),
  };
}
