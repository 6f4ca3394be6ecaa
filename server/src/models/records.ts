// Who asked for which model and how far it is: the store as downloads see it. A server that works on one says again and again that it does;
// what a dead one held is taken over by another, or by itself when it is back.
import { randomUUID } from 'node:crypto';
import type { DownloadState, ModelType } from '@lorekeep/contract';
import { type Selectable, sql } from 'kysely';
import { leaseMs } from '../runs/ledger.ts';
import type { Store } from '../store/database.ts';
import type { DownloadedModelRow } from '../store/schema.ts';

export type Asked = Selectable<DownloadedModelRow>;

export interface Wish {
  accountId: number;
  name: string;
  modelType: ModelType | null;
  isPublic: boolean;
  withToken: boolean;
}

export interface Progress {
  id: number;
  done: number | null;
  total: number | null;
}

export type End = { status: 'available'; modelType: ModelType } | { status: 'failed'; error: string };

const onTheWay: DownloadState[] = ['queued', 'downloading'];

export class DownloadRecords {
  readonly #store: Store;
  readonly #owner = randomUUID();

  constructor(store: Store) {
    this.#store = store;
  }

  /** What an account may know of: what it asked for itself, and what is for everybody. */
  async visible(accountId: number, name?: string): Promise<Asked[]> {
    const rows = await this.#store.db
      .selectFrom('downloaded_models')
      .selectAll()
      .where((eb) => eb.or([eb('account_id', '=', accountId), eb('is_public', '=', 1)]))
      .$if(name !== undefined, (query) => query.where('name', '=', name!))
      .orderBy('id')
      .execute();
    // Its own before those of others.
    return [
      ...rows.filter((row) => row.account_id === accountId),
      ...rows.filter((row) => row.account_id !== accountId),
    ];
  }

  async all(): Promise<Asked[]> {
    return await this.#store.db.selectFrom('downloaded_models').selectAll().orderBy('id').execute();
  }

  async countOnTheWay(accountId: number): Promise<number> {
    const { count } = await this.#store.db
      .selectFrom('downloaded_models')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where('status', 'in', onTheWay)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** In the queue, or again in the queue. One that has a token waits for the server that has it in memory. */
  async queue(wish: Wish): Promise<Asked | undefined> {
    const now = Date.now();
    const fresh = {
      model_type: wish.modelType,
      is_public: wish.isPublic ? 1 : 0,
      with_token: wish.withToken ? 1 : 0,
      status: 'queued' as const,
      error: null,
      bytes_done: null,
      bytes_total: null,
      owner: wish.withToken ? this.#owner : null,
      owned_until: wish.withToken ? now + leaseMs : 0,
      attempted_at: now,
      finished_at: null,
    };
    return await this.#store.db
      .insertInto('downloaded_models')
      .values({ ...fresh, account_id: wish.accountId, name: wish.name, attempts: 1, created_at: now })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'name'])
          .doUpdateSet({ ...fresh, attempts: sql`downloaded_models.attempts + 1` })
          // Asked for twice at the same time: one of them is the download.
          .where('downloaded_models.status', 'not in', onTheWay),
      )
      .returningAll()
      .executeTakeFirst();
  }

  /** Takes what nobody works on, one of each account in turn; `waiting` are those whose token this server has. */
  async take(most: number, waiting: number[]): Promise<Asked[]> {
    if (most <= 0) return [];
    const now = Date.now();
    const free = await this.#store.db
      .selectFrom((inner) =>
        inner
          .selectFrom('downloaded_models')
          .select(['id', sql<number>`row_number() over (partition by account_id order by attempted_at, id)`.as('turn')])
          .where('status', 'in', onTheWay)
          .where((eb) => eb.or([eb('owned_until', '<', now), eb('id', 'in', [0, ...waiting])]))
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
      .updateTable('downloaded_models')
      .set({ status: 'downloading', owner: this.#owner, owned_until: now + leaseMs })
      .where('id', 'in', ids)
      .where('status', 'in', onTheWay)
      .where((eb) => eb.or([eb('owned_until', '<', now), eb('id', 'in', [0, ...waiting])]))
      .returningAll()
      .execute();
  }

  /** Says that this server still works on it, and how far it is. False when it is no longer this server's. */
  async hold({ id, done, total }: Progress): Promise<boolean> {
    const { numUpdatedRows } = await this.#store.db
      .updateTable('downloaded_models')
      .set({ owned_until: Date.now() + leaseMs, bytes_done: done, bytes_total: total })
      .where('id', '=', id)
      .where('owner', '=', this.#owner)
      .where('status', 'in', onTheWay)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async end(id: number, end: End): Promise<void> {
    await this.#store.db
      .updateTable('downloaded_models')
      .set({
        status: end.status,
        ...(end.status === 'available'
          ? { model_type: end.modelType, error: null, bytes_done: sql`bytes_total` }
          : { error: end.error }),
        owner: null,
        owned_until: 0,
        finished_at: Date.now(),
      })
      .where('id', '=', id)
      .where('owner', '=', this.#owner)
      .where('status', 'in', onTheWay)
      .execute();
  }

  /** Lets go of everything, for others to take at once. */
  async release(): Promise<void> {
    await this.#store.db
      .updateTable('downloaded_models')
      .set({ owner: null, owned_until: 0 })
      .where('owner', '=', this.#owner)
      .where('status', 'in', onTheWay)
      .execute();
  }

  /** Did anybody ask for this model? */
  async isAskedFor(name: string): Promise<boolean> {
    const row = await this.#store.db
      .selectFrom('downloaded_models')
      .select('id')
      .where('name', '=', name)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Answers which there were. */
  async remove(name: string): Promise<number[]> {
    const rows = await this.#store.db
      .deleteFrom('downloaded_models')
      .where('name', '=', name)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }
}
