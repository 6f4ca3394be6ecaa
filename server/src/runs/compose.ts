// Composes batches, polled streams and background embeddings into one part of the server.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../config/settings.ts';
import type { ModelClient } from '../inference/model-client.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { runRoutes } from './routes.ts';
import { Runner } from './runner.ts';
import { Runs } from './runs.ts';

interface Dependencies {
  config: Config;
  store: Store;
  heartbeat: Heartbeat;
  modelClient: ModelClient;
  time: TrustedTime;
  log: FastifyBaseLogger;
}

export function composeRuns({ config, store, heartbeat, modelClient, time, log }: Dependencies) {
  const runner = new Runner(store, heartbeat, modelClient, config.days_kept, time, (error) =>
    log.error({ err: error }, 'batch step failed; retrying'),
  );
  const runs = new Runs(store, config.days_kept, () => runner.wake());
  return {
    routes: (app: FastifyInstance) => runRoutes(app, runs, modelClient),
    start: () => runner.start(),
    stop: async () => await runner.stop(),
  };
}
