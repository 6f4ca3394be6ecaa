// The server as a value: every part put together, no socket opened.
import { mkdir } from 'node:fs/promises';
import { Refusal } from '@lorekeep/contract';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Accounts } from './accounts/accounts.ts';
import type { Keys } from './auth/keys.ts';
import type { Config } from './config/settings.ts';
import { refuseUnwritable } from './files/writable.ts';
import { createApp } from './http/create-app.ts';
import type { Life } from './http/health-routes.ts';
import { addRoutes, composeParts } from './parts.ts';
import { privateHome } from './store/private.ts';

export interface Server {
  app: FastifyInstance;
  accounts: Accounts;
  keys: Keys;
  /** Makes the operator's first sign-in key if there never was one. A start that may still fail leaves this to the next start. */
  makeFirstKey(): Promise<string | undefined>;
  /** Path of a one-time link that sets the operator's console password, while there is none. */
  firstLink: string | undefined;
  /** Progress of the installation of the engine's packages, reported by readiness and by refused calls. */
  reportSetUp(progress: string): void;
  /**
   * Graceful shutdown: refuses new requests, finishes those in flight, writes buffered data. If a part fails, the others stop all the
   * same, and it rejects.
   */
  stop(): Promise<void>;
}

/** Time of calls in flight at a stop. Those that are left end with a refusal, a stream with it as its last event. */
const finishTimeoutMs = 6_000;
/** Timeout of pending storage requests at a stop. */
const storageStopTimeoutMs = 5_000;

/** `python` is the engine's interpreter, which may still be being set up; without it the engine does not start. */
export async function createServer(
  config: Config,
  log: FastifyBaseLogger,
  python: Promise<string> = new Promise(() => {}),
): Promise<Server> {
  await mkdir(config.home, { recursive: true, mode: 0o700 });
  await refuseUnwritable(config);
  const opened = privateHome(config.home, config.config);
  if (opened.length > 0) log.info({ paths: opened }, 'removed the access of other users of this machine');
  const parts = await composeParts(config, log, python);
  const { store, time, engine, metrics, accounts, usage, auth, tuning, workers, reportSetUp } = parts;

  const now = await time.now();
  const swept = await tuning.cleanup.sweep(now);
  if (swept > 0) log.info({ files: swept }, 'removed orphaned files of an interrupted server');
  await auth.ensureSettingKey();

  const life: Life = { draining: false, cut: new AbortController() };
  const app = createApp(config, log, { life, metrics });
  await addRoutes(app, life, parts);
  await app.ready();
  const firstLink = await auth.firstLink();
  auth.start();
  usage.start();
  // Before the other workers: a server owns nothing until it has its row in the table of servers.
  await tuning.start();
  for (const worker of workers) worker.start();

  const stop = async () => {
    life.draining = true;
    const timers = [
      setTimeout(parts.closeStorage, storageStopTimeoutMs).unref(),
      setTimeout(() => life.cut.abort(new Refusal('busy', { state: 'stopping' })), finishTimeoutMs).unref(),
    ];
    const failures: unknown[] = [];
    /** A part that cannot write what it has left, as on a full disk, does not keep the others from stopping. */
    const end = async (...steps: (() => Promise<void>)[]) => {
      for (const step of await Promise.allSettled(steps.map(async (step) => await step())))
        if (step.status === 'rejected') failures.push(step.reason);
    };
    await end(
      async () => await app.close(),
      async () => {
        await end(...workers.map((worker) => async () => await worker.stop()));
        // After the other workers: their last writes need the row of this server.
        await tuning.stop();
      },
    );
    await end(() => engine.stop());
    await end(auth.stop, () => usage.stop());
    await end(() => store.close());
    for (const timer of timers) clearTimeout(timer);
    if (failures.length > 0) throw failures[0];
  };
  return { app, accounts, keys: auth.keys, makeFirstKey: auth.makeFirstKey, firstLink, reportSetUp, stop };
}
