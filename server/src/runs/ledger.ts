// Who works on which run, and what has been answered: the store as the runner sees it.
import type { FinishReason, Output } from '@lorekeep/contract';
import { type Selectable, sql } from 'kysely';
import { Holding } from '../servers/holding.ts';
import type { Presence } from '../servers/presence.ts';
import type { Store } from '../store/database.ts';
import type { RunRow } from '../store/schema.ts';
import type { RunKind } from './runs.ts';

const running = sql`status = 'running'`;
const rowsAtOnce = 200;

export type HeldRun = Selectable<RunRow>;

export interface NewAnswer {
  place: number;
  output: Output;
  finish: FinishReason | null;
  error: string | null;
}

export class RunLedger {
  readonly #store: Store;
  readonly holding: Holding<'runs'>;

  constructor(store: Store, presence: Presence) {
    this.#store = store;
    this.holding = new Holding(store, presence, 'runs', { open: running });
  }

  /** Takes runs that nobody works on, one of each account in turn. */
  async take(kind: RunKind, most: number, busy: Iterable<number>): Promise<HeldRun[]> {
    return await this.holding.take(most, busy, sql`kind = ${kind}`);
  }

  /** Of these, those that are still this server's to work on. */
  async kept(ids: number[]): Promise<Set<number>> {
    return await this.holding.kept(ids, running);
  }

  /** Places that need no work any more. */
  async answered(id: number): Promise<Set<number>> {
    const rows = await this.#store.db
      .selectFrom('answers')
      .select('place')
      .where('run_id', '=', id)
      .where('finish_reason', 'is not', null)
      .execute();
    return new Set(rows.map(({ place }) => place));
  }

  /** Writes answers, and the end of the run with the last of them. False when the run is no longer this server's. */
  async write(
    id: number,
    answers: NewAnswer[],
    end?: { status: 'completed' | 'failed'; error: string | null },
  ): Promise<boolean> {
    return await this.#store.db.transaction().execute(async (transaction) => {
      const run = await this.holding.mine(transaction, id);
      if (run?.status !== 'running') return false;
      for (let at = 0; at < answers.length; at += rowsAtOnce)
        await transaction
          .insertInto('answers')
          .values(
            answers.slice(at, at + rowsAtOnce).map(({ place, output, finish, error }) => ({
              run_id: id,
              place,
              output: JSON.stringify(output),
              finish_reason: finish,
              error,
            })),
          )
          .onConflict((conflict) =>
            conflict.columns(['run_id', 'place']).doUpdateSet((eb) => ({
              output: eb.ref('excluded.output'),
              finish_reason: eb.ref('excluded.finish_reason'),
              error: eb.ref('excluded.error'),
            })),
          )
          .execute();
      if (end)
        await transaction
          .updateTable('runs')
          .set({ ...end, finished_at: Date.now(), owner: null })
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
