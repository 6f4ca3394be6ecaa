// A process that executes tuning orders (`python -m lorekeep work`), one at a time. It leads a process group of its own
// and exits when this server exits or sends nothing for some seconds.
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { checkout } from '../config/settings.ts';
import { pythonEnvironment } from '../engine/child-environment.ts';
import { spawnPiped, spawnProblem } from '../engine/spawn-piped.ts';

const heartbeatMs = 1_000;
/** A tuning worker without a heartbeat for this time counts as dead: heartbeats are answered during computation, so the process hangs. */
const maxSilenceMs = 120_000;
/** A worker that is told to stop releases its wave; after this time it is killed. */
const stopTimeoutMs = 2_000;

const messageSchema = z.union([
  z.object({ ready: z.int() }),
  z.object({ alive: z.literal(true) }),
  z.object({ ended: z.int(), reason: z.string().nullable(), peak: z.int() }),
  z.object({ plan: z.unknown() }),
  z.object({ rebuilt: z.unknown() }),
  z.object({ probes: z.unknown() }),
  z.object({ alike: z.unknown() }),
  z.object({ fit: z.unknown() }),
  z.object({ failed: z.string() }),
]);
export type WorkerMessage = Exclude<z.infer<typeof messageSchema>, { ready: number } | { alive: true }>;

/** The process ended before it answered. */
export class WorkerGone extends Error {}

interface Options {
  /** The GPUs that it sees, as CUDA names them: numbers with commas between. */
  gpus?: string;
  /** Longest silence that is allowed, in milliseconds. */
  silence?: number;
}

export class Worker {
  readonly gpus: string;
  readonly #child: ChildProcess;
  readonly #log: (line: string) => void;
  readonly #gone: Promise<void>;
  #alive = true;
  #silent = false;
  #ending = 'it could not be started';
  /** Undefined during its imports, which have no timeout. */
  #lastMessageAt: number | undefined;
  #answer: { resolve: (reply: WorkerMessage) => void; reject: (error: Error) => void } | undefined;

  constructor(python: string, log: (line: string) => void, { gpus = '', silence = maxSilenceMs }: Options = {}) {
    this.gpus = gpus;
    this.#log = log;
    const child = spawnPiped(python, ['-m', 'lorekeep', 'work'], {
      cwd: checkout,
      env: {
        ...pythonEnvironment('compute'),
        // Child processes of the worker compute on these GPUs too.
        CUDA_VISIBLE_DEVICES: gpus,
      },
      detached: true,
    });
    this.#child = child;
    const alive = setInterval(() => {
      this.#send({ alive: true });
      if (this.#lastMessageAt !== undefined && performance.now() - this.#lastMessageAt > silence) this.#killSilent();
    }, heartbeatMs).unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone = promise;
    const over = (ending: string) => {
      this.#alive = false;
      this.#ending = this.#silent ? 'it did not answer any more' : ending;
      clearInterval(alive);
      // Child processes of the worker end with it, regardless of how it ended.
      this.#signal('SIGKILL');
      this.#answer?.reject(new WorkerGone(this.#ending));
      this.#answer = undefined;
      resolve();
    };
    child.stdin.on('error', () => {});
    child.once('error', (error) => over(`it could not be started: ${spawnProblem(error)}`));
    child.once('exit', (code, signal) => over(signal ?? `exit code ${code}`));
    createInterface({ input: child.stdout }).on('line', (line) => this.#receive(line));
    createInterface({ input: child.stderr }).on('line', log);
  }

  #receive(line: string): void {
    let message: z.infer<typeof messageSchema>;
    try {
      message = messageSchema.parse(JSON.parse(line));
    } catch {
      this.#log(`sent an invalid message: ${line.slice(0, 200)}`);
      return;
    }
    this.#lastMessageAt = performance.now();
    if ('ready' in message || 'alive' in message) return;
    this.#answer?.resolve(message);
    this.#answer = undefined;
  }

  #send(message: object): void {
    if (this.#alive) this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #killSilent(): void {
    this.#silent = true;
    this.#signal('SIGKILL');
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  /** Rejects with WorkerGone when it ends instead of answering. */
  async order(
    message:
      | { tune: string }
      | { plan: string }
      | { rebuild: object }
      | { probes: object[] }
      | { alike: object }
      | { fit: object },
  ): Promise<WorkerMessage> {
    if (!this.#alive) throw new WorkerGone(this.#ending);
    this.#answer = Promise.withResolvers<WorkerMessage>();
    const { promise } = this.#answer as PromiseWithResolvers<WorkerMessage>;
    this.#send(message);
    return await promise;
  }

  #signal(name: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, name);
    } catch {
      // The group has no process left.
    }
  }

  /** Resolves when the process group has ended. */
  async end(): Promise<void> {
    if (!this.#alive) return;
    this.#signal('SIGTERM');
    // A suspended process (SIGSTOP) handles the signal only when it continues.
    this.#signal('SIGCONT');
    const timer = setTimeout(() => this.#signal('SIGKILL'), stopTimeoutMs);
    await this.#gone;
    clearTimeout(timer);
  }
}
