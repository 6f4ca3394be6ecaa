// Asks a worker what a job would do: whether rows fit, how many experts there would be. It is of this machine, like the engine.
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
    tokens: z.int(),
    model_bytes: z.int(),
    base_bytes: z.int(),
    problems: z.array(problemSchema),
    count: z.int(),
  }),
  z.object({ problems: z.array(problemSchema).min(1), count: z.int() }),
]);
export type Foreseen = z.infer<typeof foreseenSchema>;

export class Planner {
  readonly #workers: Workers;

  constructor(workers: Workers) {
    this.#workers = workers;
  }

  async foresee(folder: string): Promise<Foreseen> {
    const unready = this.#workers.unready();
    if (unready !== undefined)
      throw new Refusal('engine_unavailable', { reason: unready }, { headers: { 'Retry-After': '5' } });
    const worker = this.#workers.take();
    try {
      const said = await worker.order({ plan: folder });
      this.#workers.giveBack(worker);
      if ('failed' in said) throw new Refusal('engine_unavailable', { reason: said.failed.replace(/\.$/, '') });
      return foreseenSchema.parse('plan' in said ? said.plan : undefined);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
      await this.#workers.end(worker);
      throw new Refusal(
        'engine_unavailable',
        { reason: `the process that plans ended (${error.message})` },
        { cause: error },
      );
    }
  }
}
