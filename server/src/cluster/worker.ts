// A process that waits for orders of tuning (`python -m lorekeep work`), one at a time. It has a group of its own, with what it starts, and
// ends by itself when this process goes or says nothing for some seconds.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { checkout } from '../config/settings.ts';

const aliveEvery = 1_000;
/** It answers each word that its server lives, whatever it computes: one that is silent for so long will never end by itself. */
const longestSilence = 120_000;
/** It gives its wave back when it is told to stop; what takes longer is killed. */
const patience = 2_000;

const saidSchema = z.union([
  z.object({ ready: z.int() }),
  z.object({ alive: z.literal(true) }),
  z.object({ ended: z.int(), reason: z.string().nullable(), peak: z.int() }),
  z.object({ plan: z.unknown() }),
  z.object({ failed: z.string() }),
]);
export type Said = Exclude<z.infer<typeof saidSchema>, { ready: number } | { alive: true }>;

/** The process ended before it answered. */
export class WorkerGone extends Error {}

interface Options {
  /** The GPUs that it sees, as CUDA names them: numbers with commas between. */
  gpus?: string;
  /** How long it may be silent, in milliseconds. */
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
  /** Undefined while it imports, which takes as long as it takes. */
  #heardAt: number | undefined;
  #answer: { resolve: (said: Said) => void; reject: (error: Error) => void } | undefined;

  constructor(python: string, log: (line: string) => void, { gpus = '', silence = longestSilence }: Options = {}) {
    this.gpus = gpus;
    this.#log = log;
    const child = spawn(python, ['-m', 'lorekeep', 'work'], {
      cwd: checkout,
      env: {
        ...process.env,
        PYTHONPATH: join(checkout, 'engine'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUNBUFFERED: '1',
        // What it starts computes on these too.
        CUDA_VISIBLE_DEVICES: gpus,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    const alive = setInterval(() => {
      this.#tell({ alive: true });
      if (this.#heardAt !== undefined && performance.now() - this.#heardAt > silence) this.#fallSilent();
    }, aliveEvery).unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone = promise;
    const over = (ending: string) => {
      this.#alive = false;
      this.#ending = this.#silent ? 'it did not answer any more' : ending;
      clearInterval(alive);
      // What it started does not stay behind, however it ended.
      this.#signal('SIGKILL');
      this.#answer?.reject(new WorkerGone(this.#ending));
      this.#answer = undefined;
      resolve();
    };
    child.stdin.on('error', () => {});
    child.once('error', (error) => over((error as NodeJS.ErrnoException).code ?? error.message));
    child.once('exit', (code, signal) => over(signal ?? `exit code ${code}`));
    createInterface({ input: child.stdout }).on('line', (line) => this.#hear(line));
    createInterface({ input: child.stderr }).on('line', log);
  }

  #hear(line: string): void {
    let said: z.infer<typeof saidSchema>;
    try {
      said = saidSchema.parse(JSON.parse(line));
    } catch {
      this.#log(`said what is no message: ${line.slice(0, 200)}`);
      return;
    }
    this.#heardAt = performance.now();
    if ('ready' in said || 'alive' in said) return;
    this.#answer?.resolve(said);
    this.#answer = undefined;
  }

  #tell(message: object): void {
    if (this.#alive) this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #fallSilent(): void {
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
  async order(message: { tune: string } | { plan: string }): Promise<Said> {
    if (!this.#alive) throw new WorkerGone(this.#ending);
    this.#answer = Promise.withResolvers<Said>();
    const { promise } = this.#answer as PromiseWithResolvers<Said>;
    this.#tell(message);
    return await promise;
  }

  #signal(name: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, name);
    } catch {
      // Nobody of the group is left.
    }
  }

  /** Resolves when nothing of it runs any more. */
  async end(): Promise<void> {
    if (!this.#alive) return;
    this.#signal('SIGTERM');
    // One that was stopped (SIGSTOP) listens only when it goes on.
    this.#signal('SIGCONT');
    const impatience = setTimeout(() => this.#signal('SIGKILL'), patience);
    await this.#gone;
    clearTimeout(impatience);
  }
}
