// Who works on which run, and what has been answered: the store as the runner sees it. A server holds a run for some seconds and says again
// and again that it still does; what a dead one held is taken over by another, or by itself when it is back.
import { randomUUID } from 'node:crypto';
import type { FinishReason, Output } from '@lorekeep/contract';
import { type Selectable, sql } from 'kysely';
import type { Store } from '../store/database.ts';
import type { RunRow } from '../store/schema.ts';
import type { RunKind } from './runs.ts';

/** A server that says nothing for so long is taken for dead. */
export const leaseMs = 15_000;
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
  readonly #owner = randomUUID();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes runs that nobody works on, one of each account in turn. */
  async take(kind: RunKind, most: number): Promise<HeldRun[]> {
    if (most <= 0) return [];
    const now = Date.now();
    const free = await this.#store.db
      .selectFrom((inner) =>
        inner
          .selectFrom('runs')
          .select(['id', sql<number>`row_number() over (partition by account_id order by id)`.as('turn')])
          .where('status', '=', 'running')
          .where('kind', '=', kind)
          .where('owned_until', '<', now)
          .as('free'),
      )
      .select('id')
      .orderBy('turn')
      .orderBy('id')
      .limit(most)
      .execute();
    if (free.length === 0) return [];
    const ids = free.map(({ id }) => id);
    return await this.#store.db
      .updateTable('runs')
      .set({ owner: this.#owner, owned_until: now + leaseMs })
      .where('id', 'in', ids)
      .where('status', '=', 'running')
      .where('owned_until', '<', now)
      .returningAll()
      .execute();
  }

  /** Says that this server still works on these; answers which are still its own. */
  async hold(ids: number[]): Promise<Set<number>> {
    const held = await this.#store.db
      .updateTable('runs')
      .set({ owned_until: Date.now() + leaseMs })
      .where('id', 'in', ids)
      .where('owner', '=', this.#owner)
      .where('status', '=', 'running')
      .returning('id')
      .execute();
    return new Set(held.map(({ id }) => id));
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
      const mine = transaction
        .selectFrom('runs')
        .select('id')
        .where('id', '=', id)
        .where('owner', '=', this.#owner)
        .where('status', '=', 'running');
      if (!(await (this.#store.engine === 'postgres' ? mine.forUpdate() : mine).executeTakeFirst())) return false;
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
          .set({ ...end, finished_at: Date.now(), owner: null, owned_until: 0 })
          .where('id', '=', id)
          .execute();
      return true;
    });
  }

  /** Lets go of everything, for others to take at once. */
  async release(): Promise<void> {
    await this.#store.db
      .updateTable('runs')
      .set({ owner: null, owned_until: 0 })
      .where('owner', '=', this.#owner)
      .where('status', '=', 'running')
      .execute();
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
