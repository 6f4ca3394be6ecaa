// Asks a worker what a job would do: whether rows fit, how many experts there would be. It is of this machine, like the engine, and one at a
// time: each is a process that holds half a gigabyte before it has read anything.
import { Refusal } from '@lorekeep/contract';
import { z } from 'zod';
import { WorkerGone } from '../cluster/worker.ts';
import type { Workers } from '../cluster/workers.ts';

const problemSchema = z.object({ kind: z.string(), rows: z.array(z.int()), message: z.string() });
const foreseenSchema = z.union([
  z.object({
    facts: z.int(),
    warnings: z.array(z.string()),
    experts: z.int(),
    reused: z.int(),
    waves: z.int(),
    model_bytes: z.int(),
    base_bytes: z.int(),
    problems: z.array(problemSchema),
    count: z.int(),
  }),
  z.object({ problems: z.array(problemSchema).min(1), count: z.int() }),
]);
export type Foreseen = z.infer<typeof foreseenSchema>;

/** More would wait for longer than callers do. */
const mostWaiting = 16;

export class Planner {
  readonly #workers: Pick<Workers, 'unready' | 'take' | 'giveBack' | 'end'>;
  #busy = false;
  /** Who comes next, in the order of asking. */
  #waiting: (() => void)[] = [];

  constructor(workers: Pick<Workers, 'unready' | 'take' | 'giveBack' | 'end'>) {
    this.#workers = workers;
  }

  /** Whoever goes away is not planned for, neither while it waits nor when its plan is being made; nor longer than so many seconds. */
  async foresee(folder: string, gone: AbortSignal, seconds?: number): Promise<Foreseen> {
    if (seconds === undefined) return await this.#foresee(folder, gone);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Refusal('plan_timed_out', { seconds })), seconds * 1000);
    return await this.#foresee(folder, AbortSignal.any([gone, late.signal])).finally(() => clearTimeout(timer));
  }

  async #foresee(folder: string, signal: AbortSignal): Promise<Foreseen> {
    const unready = this.#workers.unready();
    if (unready !== undefined)
      throw new Refusal('engine_unavailable', { reason: unready }, { headers: { 'Retry-After': '5' } });
    await this.#turn(signal);
    try {
      return await this.#ask(folder, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy = false;
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    if (this.#waiting.length >= mostWaiting) {
      const reason = `${mostWaiting} requests wait to be planned already`;
      throw new Refusal('overloaded', { reason }, { headers: { 'Retry-After': '5' } });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== resolve);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    this.#waiting.push(resolve);
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  async #ask(folder: string, signal: AbortSignal): Promise<Foreseen> {
    const worker = this.#workers.take();
    const end = () => void this.#workers.end(worker);
    signal.addEventListener('abort', end);
    try {
      const said = await worker.order({ plan: folder });
      this.#workers.giveBack(worker);
      if ('failed' in said) throw new Refusal('engine_unavailable', { reason: said.failed.replace(/\.$/, '') });
      return foreseenSchema.parse('plan' in said ? said.plan : undefined);
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
