// Store of runs for the runner: the owning server of each, and its answers so far.
import type { FinishReason, Memory, Output } from '@lorekeep/contract';
import { type Selectable, sql } from 'kysely';
import type { Heartbeat } from '../leases/heartbeat.ts';
import { RowLease } from '../leases/row-lease.ts';
import type { Store } from '../store/database.ts';
import type { RunRow } from '../store/tables/run.ts';
import type { RunKind } from './runs.ts';

const running = sql`status = 'running'`;
const rowsPerInsert = 200;

export type HeldRun = Selectable<RunRow>;

export interface NewAnswer {
  place: number;
  output: Output;
  finish: FinishReason | null;
  /** Record of the answer of a tuned model, null for another model; undefined if it was not requested. */
  memory: Memory | null | undefined;
  error: string | null;
}

export class RunStore {
  readonly #store: Store;
  readonly lease: RowLease<'runs'>;

  constructor(store: Store, heartbeat: Heartbeat) {
    this.#store = store;
    this.lease = new RowLease(store, heartbeat, 'runs', { open: running });
  }

  /** Claims unowned runs, round robin over accounts. */
  async take(kind: RunKind, limit: number, busy: Iterable<number>): Promise<HeldRun[]> {
    return await this.lease.claim(limit, busy, sql`kind = ${kind}`);
  }

  /** The ids that this server still owns. */
  async stillOwned(ids: number[]): Promise<Set<number>> {
    return await this.lease.stillOwned(ids, running);
  }

  /** Places of the prompts with a finished answer. */
  async answered(id: number): Promise<Set<number>> {
    const rows = await this.#store.db
      .selectFrom('answers')
      .select('place')
      .where('run_id', '=', id)
      .where('finish_reason', 'is not', null)
      .execute();
    return new Set(rows.map(({ place }) => place));
  }

  /** Writes answers, and with `ended` the end of the run. False if this server no longer owns the run. */
  async write(id: number, answers: NewAnswer[], ended: boolean): Promise<boolean> {
    return await this.#store.db.transaction().execute(async (transaction) => {
      const run = await this.lease.lock(transaction, id);
      if (run?.status !== 'running') return false;
      for (let at = 0; at < answers.length; at += rowsPerInsert)
        await transaction
          .insertInto('answers')
          .values(
            answers.slice(at, at + rowsPerInsert).map(({ place, output, finish, memory, error }) => ({
              run_id: id,
              place,
              output: JSON.stringify(output),
              finish_reason: finish,
              memory: memory === undefined ? null : JSON.stringify(memory),
              error,
            })),
          )
          .onConflict((conflict) =>
            conflict.columns(['run_id', 'place']).doUpdateSet((eb) => ({
              output: eb.ref('excluded.output'),
              finish_reason: eb.ref('excluded.finish_reason'),
              memory: eb.ref('excluded.memory'),
              error: eb.ref('excluded.error'),
            })),
          )
          .execute();
      if (!ended) return true;
      const failures = transaction.selectFrom('answers').where('run_id', '=', id).where('error', 'is not', null);
      const { count } = await failures.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow();
      const first = await failures.select('error').orderBy('place').limit(1).executeTakeFirst();
      await transaction
        .updateTable('runs')
        .set({
          // A run in which no prompt was answered has failed. Embeddings are read together, so that one failure fails them.
          status: Number(count) >= (run.kind === 'embeddings' ? 1 : run.prompts) ? 'failed' : 'completed',
          error: first?.error ?? null,
          finished_at: Date.now(),
          owner: null,
        })
        .where('id', '=', id)
        .execute();
      return true;
    });
  }

  async removeFinishedBefore(time: number): Promise<number> {
    const { numDeletedRows } = await this.#store.db
      .deleteFrom('runs')
      .where('status', '<>', 'running')
      .where('finished_at', '<', time)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}
