// The server as a value: every part put together, no socket opened.
import { mkdir } from 'node:fs/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Accounts } from './accounts/accounts.ts';
import type { Keys } from './auth/keys.ts';
import type { Config } from './config/settings.ts';
import { createApp } from './http/create-app.ts';
import type { Life } from './http/health-routes.ts';
import { addRoutes, composeParts } from './parts.ts';
import { privateHome } from './store/private.ts';

export interface Server {
  app: FastifyInstance;
  accounts: Accounts;
  keys: Keys;
  /** Makes the key to sign in with where the operator never had one. A start that may still fail leaves it to the next. */
  makeFirstKey(): Promise<string | undefined>;
  /** While the operator has no password for the console: the path of a link that sets one, once. */
  firstLink: string | undefined;
  /** Told by the installation of the engine's packages how far it is; readiness and refused calls say it. */
  reportSetUp(progress: string): void;
  /** Graceful shutdown: refuses new requests, finishes those in flight, writes buffered data. */
  stop(): Promise<void>;
}

/** A storage has as long for what it was asked before a stop. */
const storageMs = 5_000;

/** `python` is the interpreter that the engine runs on, which may still be being set up; without one the engine stays away. */
export async function createServer(
  config: Config,
  log: FastifyBaseLogger,
  python: Promise<string> = new Promise(() => {}),
): Promise<Server> {
  await mkdir(config.home, { recursive: true, mode: 0o700 });
  const opened = privateHome(config.home, config.config);
  if (opened.length > 0) log.info({ paths: opened }, 'closed to other users of this machine');
  const parts = await composeParts(config, log, python);
  const { store, time, engine, metrics, accounts, usage, auth, tuning, workers, reportSetUp } = parts;

  const now = await time.now();
  const swept = await tuning.cleanup.sweep(now);
  if (swept > 0) log.info({ files: swept }, 'removed what an interrupted server left behind');
  await auth.ensureSettingKey();

  const life: Life = { draining: false };
  const app = createApp(config, log, { life, metrics });
  await addRoutes(app, life, parts);
  await app.ready();
  const firstLink = await auth.firstLink();
  auth.start();
  usage.start();
  // Before the other workers: only a server that has its row in the table of servers owns anything.
  await tuning.start();
  for (const worker of workers) worker.start();

  const stop = async () => {
    life.draining = true;
    const closing = setTimeout(parts.closeStorage, storageMs).unref();
    const stopped = Promise.all(workers.map((worker) => worker.stop()));
    // After the other workers: what they still write is their own only while the row of this server is there.
    await Promise.all([app.close(), stopped.then(() => tuning.stop())]);
    await engine.stop();
    await Promise.all([auth.stop(), usage.stop()]);
    await store.close();
    clearTimeout(closing);
  };
  return { app, accounts, keys: auth.keys, makeFirstKey: auth.makeFirstKey, firstLink, reportSetUp, stop };
}
