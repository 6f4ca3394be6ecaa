// Orders to a worker of this machine other than jobs: to retrain random experts, to write questions that ask for a fact, to
// find facts that may contradict others, and to check whether a model can move to another base.
import { Refusal } from '@lorekeep/contract';
import { z } from 'zod';
import { WorkerGone, type WorkerMessage } from './worker.ts';
import type { Workers } from './workers.ts';

const rebuiltSchema = z.object({
  experts: z.int(),
  note: z.string().nullable(),
  compared: z.array(z.object({ expert: z.string(), facts: z.int(), same: z.boolean(), sum: z.string().nullable() })),
});
const probesSchema = z.array(
  z.array(
    z.object({ kind: z.enum(['exact', 'reworded', 'reversed']), prompt: z.string(), wanted: z.array(z.string()) }),
  ),
);
const alikeSchema = z.array(
  z.array(z.object({ input: z.string().optional(), other: z.int().optional(), likeness: z.number() })),
);
const fitSchema = z.object({ same: z.boolean(), misfit: z.string().nullable() });
/** A fact that may contradict another: identified by its question in the model, or by its place among the given facts. */
export type AlikeFact = z.infer<typeof alikeSchema>[number][number];
export type Asked = z.infer<typeof probesSchema>[number][number];

export interface Rebuild {
  model: string;
  base: string;
  /** Other bases that the memory was on, from which experts may come. */
  others: string[];
  count: number;
  seed: number;
  device: string;
}

type Order =
  | { rebuild: Rebuild }
  | { probes: object[] }
  | { alike: { model: string | null; facts: object[] } }
  | { fit: { model: string; base: string } };

export class SpareWorker {
  readonly #workers: Pick<Workers, 'unready' | 'take' | 'release' | 'end'>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(workers: Pick<Workers, 'unready' | 'take' | 'release' | 'end'>) {
    this.#workers = workers;
  }

  unready(): string | undefined {
    return this.#workers.unready();
  }

  async rebuild(rebuild: Rebuild, signal: AbortSignal): Promise<z.infer<typeof rebuiltSchema>> {
    const reply = await this.#order({ rebuild }, signal);
    return rebuiltSchema.parse('rebuilt' in reply ? reply.rebuilt : undefined);
  }

  async probes(
    facts: { input: string; output: string; subject: string | null }[],
    signal: AbortSignal,
  ): Promise<Asked[][]> {
    const reply = await this.#order({ probes: facts }, signal);
    return probesSchema.parse('probes' in reply ? reply.probes : undefined);
  }

  /** For each fact, its paraphrases with another answer: of the model, or without one of the given facts alone. */
  async alike(
    model: string | null,
    facts: { input: string; output: string }[],
    signal: AbortSignal,
  ): Promise<AlikeFact[][]> {
    const reply = await this.#order({ alike: { model, facts } }, signal);
    return alikeSchema.parse('alike' in reply ? reply.alike : undefined);
  }

  /** Whether a base has the weights that a tuned model was made on, or the reason why its experts cannot act there. */
  async fit(model: string, base: string, signal: AbortSignal): Promise<z.infer<typeof fitSchema>> {
    const reply = await this.#order({ fit: { model, base } }, signal);
    return fitSchema.parse('fit' in reply ? reply.fit : undefined);
  }

  /** Runs one at a time, since each holds a model. */
  async #order(message: Order, signal: AbortSignal): Promise<WorkerMessage> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      await before;
      signal.throwIfAborted();
      return await this.#ask(message, signal);
    } finally {
      resolve();
    }
  }

  async #ask(message: Order, signal: AbortSignal): Promise<WorkerMessage> {
    const unready = this.#workers.unready();
    if (unready !== undefined) throw unavailable(unready);
    const worker = this.#workers.take();
    const end = () => void this.#workers.end(worker);
    signal.addEventListener('abort', end);
    try {
      const reply = await worker.order(message);
      this.#workers.release(worker);
      if ('failed' in reply) throw unavailable(reply.failed.replace(/\.$/, ''));
      return reply;
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
      await this.#workers.end(worker);
      signal.throwIfAborted();
      throw unavailable(`its worker ended (${error.message})`, error);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}

const unavailable = (reason: string, cause?: unknown): Refusal =>
  new Refusal('engine_unavailable', { reason }, { headers: { 'Retry-After': '5' }, cause }) as Refusal;
