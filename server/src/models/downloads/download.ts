// One download in a child process (`python -m lorekeep download`): its progress, its result, and its cancellation. The
// token goes over its standard input only. When this server exits, the input closes and the process ends.
import { createInterface } from 'node:readline';
import type { ModelType, WishedPrecision } from '@lorekeep/contract';
import { z } from 'zod';
import { checkout } from '../../config/settings.ts';
import { pythonEnvironment } from '../../engine/child-environment.ts';
import { spawnPiped, spawnProblem } from '../../engine/spawn-piped.ts';

export interface DownloadWish {
  name: string;
  modelType: ModelType | null;
  hub: string;
  models: string;
  token: string | undefined;
  isPublic: boolean;
  precision: WishedPrecision;
  memoryBytes: number;
}

export type Outcome = { status: 'available'; modelType: ModelType } | { status: 'failed'; error: string };

export interface DownloadProgress {
  status: 'downloading' | 'quantizing';
  done: number | null;
  total: number | null;
}

export interface Download {
  /** Undefined when it was stopped. */
  outcome: Promise<Outcome | undefined>;
  progress(): DownloadProgress;
  stop(): Promise<void>;
}

const count = z.int().nonnegative();
const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('planned'), total: count }),
  z.object({ type: z.literal('progress'), done: count, total: count }),
  z.object({ type: z.literal('quantizing'), done: count, total: count }),
  z.object({ type: z.literal('finished'), model_type: z.enum(['transformer', 'embedding']) }),
  z.object({ type: z.literal('failed'), reason: z.string() }),
]);

/** The last line of a killed process may be incomplete. */
function parsedMessage(line: string): z.infer<typeof messageSchema> | undefined {
  try {
    return messageSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

const kinds = { transformer: 'generate', embedding: 'embed' } as const;

const requestOf = (wish: DownloadWish) => ({
  name: wish.name,
  kind: wish.modelType && kinds[wish.modelType],
  hub: wish.hub,
  models: wish.models,
  token: wish.token ?? null,
  public: wish.isPublic,
  precision: wish.precision,
  memory: wish.memoryBytes,
});

export function startDownload(python: string, wish: DownloadWish, log: (line: string) => void): Download {
  const child = spawnPiped(python, ['-m', 'lorekeep', 'download'], {
    cwd: checkout,
    env: pythonEnvironment('download'),
  });
  let progress: DownloadProgress = { status: 'downloading', done: null, total: null };
  let outcome: Outcome | undefined;
  let stopping = false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));

  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(requestOf(wish))}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parsedMessage(line);
    if (!message) return log(`sent an invalid message: ${line.slice(0, 200)}`);
    if (message.type === 'planned') progress = { status: 'downloading', done: 0, total: message.total };
    if (message.type === 'progress') progress = { status: 'downloading', done: message.done, total: message.total };
    if (message.type === 'quantizing') progress = { status: 'quantizing', done: message.done, total: message.total };
    if (message.type === 'finished') outcome = { status: 'available', modelType: message.model_type };
    if (message.type === 'failed') outcome = { status: 'failed', error: message.reason };
  });
  // Our code never prints the token; it is also removed from the output of libraries.
  createInterface({ input: child.stderr }).on('line', (line) =>
    log(wish.token ? line.replaceAll(wish.token, '(hidden)') : line),
  );

  return {
    progress: () => progress,
    outcome: new Promise((resolve) => {
      child.once('error', (error) =>
        resolve({ status: 'failed', error: `its process could not be started: ${spawnProblem(error)}` }),
      );
      child.once('close', (code, signal) => {
        if (stopping && !outcome) resolve(undefined);
        resolve(
          outcome ?? {
            status: 'failed',
            error: `its process ended early (${signal ?? `exit code ${code}`}; see the log)`,
          },
        );
      });
    }),
    stop: async () => {
      stopping = true;
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
      await ended;
      clearTimeout(timer);
    },
  };
}
