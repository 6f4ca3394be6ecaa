// Runs dry runs in a worker process: whether rows fit, how many experts there would be. One at a time on this machine, since such a process
// takes half a gigabyte before it reads anything.
import { Refusal } from '@lorekeep/contract';
import { z } from 'zod';
import { WorkerGone } from '../../cluster/worker.ts';
import type { Workers } from '../../cluster/workers.ts';

const problemSchema = z.object({ kind: z.string(), rows: z.array(z.int()), message: z.string() });
const dryRunSchema = z.union([
  z.object({
    facts: z.int(),
    warnings: z.array(z.string()),
    experts: z.int(),
    reused: z.int(),
    candidates: z.int(),
    waves: z.int(),
    model_bytes: z.int(),
    memory_bytes: z.int(),
    problems: z.array(problemSchema),
    count: z.int(),
  }),
  z.object({ problems: z.array(problemSchema).min(1), count: z.int() }),
]);
export type DryRun = z.infer<typeof dryRunSchema>;

/** Maximum queue length of each kind: more would wait longer than callers do. */
const maxWaiting = 16;

/** Timeout of a plan in seconds, including its time in the queue, and whether it goes before the others. */
export interface DryRunOptions {
  seconds: number;
  first: boolean;
}

export class Planner {
  readonly #workers: Pick<Workers, 'unready' | 'take' | 'release' | 'end'>;
  #busy = false;
  /** Waiting plans: urgent ones, then the others, each in request order. */
  #waiting: { first: boolean; begin: () => void }[] = [];

  constructor(workers: Pick<Workers, 'unready' | 'take' | 'release' | 'end'>) {
    this.#workers = workers;
  }

  /** Makes a plan. It is cancelled when the caller disconnects, waiting or running, and after `seconds`. */
  async dryRun(folder: string, gone: AbortSignal, { seconds, first }: DryRunOptions): Promise<DryRun> {
    const unready = this.#workers.unready();
    if (unready !== undefined)
      throw new Refusal('engine_unavailable', { reason: unready }, { headers: { 'Retry-After': '5' } });
    const late = new AbortController();
    let begun = false;
    const timer = setTimeout(() => {
      const waited = overloaded(`other plans took all of ${seconds} seconds`);
      late.abort(begun ? new Refusal('plan_timed_out', { seconds }) : waited);
    }, seconds * 1000);
    const signal = AbortSignal.any([gone, late.signal]);
    try {
      await this.#turn(signal, first);
      begun = true;
      return await this.#ask(folder, signal).finally(() => this.#next());
    } finally {
      clearTimeout(timer);
    }
  }

  async #turn(signal: AbortSignal, first: boolean): Promise<void> {
    signal.throwIfAborted();
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    const alike = this.#waiting.filter((other) => other.first === first);
    if (alike.length >= maxWaiting) throw overloaded(`${maxWaiting} requests wait to be planned already`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const own = { first, begin: resolve };
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== own);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    const others = this.#waiting.filter((other) => other.first !== first);
    this.#waiting = first ? [...alike, own, ...others] : [...others, ...alike, own];
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next.begin();
    else this.#busy = false;
  }

  async #ask(folder: string, signal: AbortSignal): Promise<DryRun> {
    const worker = this.#workers.take();
    const end = () => void this.#workers.end(worker);
    signal.addEventListener('abort', end);
    try {
      const reply = await worker.order({ plan: folder });
      this.#workers.release(worker);
      if ('failed' in reply) throw new Refusal('engine_unavailable', { reason: reply.failed.replace(/\.$/, '') });
      return dryRunSchema.parse('plan' in reply ? reply.plan : undefined);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
      await this.#workers.end(worker);
      signal.throwIfAborted();
      throw new Refusal(
        'engine_unavailable',
        { reason: `the process that plans ended (${error.message})` },
        { cause: error },
      );
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}

const overloaded = (reason: string) => new Refusal('overloaded', { reason }, { headers: { 'Retry-After': '5' } });
