// Store of requested models: the accounts that asked, and the progress.
import { downloadsOnTheWay, type ModelType, type WishedPrecision } from '@lorekeep/contract';
import { type Selectable, sql } from 'kysely';
import type { Heartbeat } from '../../leases/heartbeat.ts';
import { RowLease } from '../../leases/row-lease.ts';
import type { Store } from '../../store/database.ts';
import type { DownloadedModelRow } from '../../store/schema.ts';

export type DownloadRow = Selectable<DownloadedModelRow>;

export interface Wish {
  accountId: number;
  name: string;
  modelType: ModelType | null;
  isPublic: boolean;
  withToken: boolean;
  /** Undefined: that of the previous attempt, or none. */
  precision: WishedPrecision | undefined;
}

export interface Progress {
  id: number;
  /** If undefined, the state stays. */
  status?: 'downloading' | 'quantizing';
  done: number | null;
  total: number | null;
}

export type End = { status: 'available'; modelType: ModelType } | { status: 'failed'; error: string };

export class DownloadStore {
  readonly #store: Store;
  readonly #lease: RowLease<'downloaded_models'>;

  constructor(store: Store, heartbeat: Heartbeat) {
    this.#store = store;
    this.#lease = new RowLease(store, heartbeat, 'downloaded_models', {
      open: sql`status in (${sql.join(downloadsOnTheWay)})`,
      order: sql`attempted_at, id`,
    });
  }

  /** Models that an account may see: those that it asked for, and those that are public. */
  async visible(accountId: number, name?: string): Promise<DownloadRow[]> {
    const rows = await this.#store.db
      .selectFrom('downloaded_models')
      .selectAll()
      .where((eb) => eb.or([eb('account_id', '=', accountId), eb('is_public', '=', 1)]))
      .$if(name !== undefined, (query) => query.where('name', '=', name!))
      .orderBy('id')
      .execute();
    // Own downloads come before those of others.
    return [
      ...rows.filter((row) => row.account_id === accountId),
      ...rows.filter((row) => row.account_id !== accountId),
    ];
  }

  async all(): Promise<DownloadRow[]> {
    return await this.#store.db.selectFrom('downloaded_models').selectAll().orderBy('id').execute();
  }

  async countOnTheWay(accountId: number): Promise<number> {
    const { count } = await this.#store.db
      .selectFrom('downloaded_models')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where('status', 'in', downloadsOnTheWay)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Queues a download, possibly again. One with a token is reserved for the server that has the token in memory. */
  async queue(wish: Wish): Promise<DownloadRow | undefined> {
    const now = Date.now();
    const fresh = {
      model_type: wish.modelType,
      is_public: wish.isPublic ? 1 : 0,
      with_token: wish.withToken ? 1 : 0,
      ...(wish.precision && { precision: wish.precision }),
      status: 'queued' as const,
      error: null,
      bytes_done: null,
      bytes_total: null,
      owner: wish.withToken ? this.#lease.owner : null,
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
          // Of concurrent requests, one becomes the download.
          .where('downloaded_models.status', 'not in', downloadsOnTheWay),
      )
      .returningAll()
      .executeTakeFirst();
  }

  /** Claims unowned downloads, one of each account in turn. */
  async take(limit: number, busy: Iterable<number>): Promise<DownloadRow[]> {
    const taken = await this.#lease.claim(limit, busy);
    if (taken.length > 0)
      await this.#store.db
        .updateTable('downloaded_models')
        .set({ status: 'downloading' })
        .where(
          'id',
          'in',
          taken.map(({ id }) => id),
        )
        .where('owner', '=', this.#lease.owner)
        .where('status', '=', 'queued')
        .execute();
    return taken;
  }

  /** Writes the progress. False if the lease was lost. */
  async advance({ id, status, done, total }: Progress): Promise<boolean> {
    const { numUpdatedRows } = await this.#store.db
      .updateTable('downloaded_models')
      .set({ bytes_done: done, bytes_total: total, ...(status && { status }) })
      .where('id', '=', id)
      .where('owner', '=', this.#lease.owner)
      .where('status', 'in', downloadsOnTheWay)
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
        finished_at: Date.now(),
      })
      .where('id', '=', id)
      .where('owner', '=', this.#lease.owner)
      .where('status', 'in', downloadsOnTheWay)
      .execute();
  }

  /** Releases all leases, so that others can claim them at once. */
  async release(): Promise<void> {
    await this.#lease.releaseAll();
  }

  /** Whether any account has requested this model. */
  async isAskedFor(name: string): Promise<boolean> {
    const row = await this.#store.db
      .selectFrom('downloaded_models')
      .select('id')
      .where('name', '=', name)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Returns the ids of the removed downloads. */
  async remove(name: string): Promise<number[]> {
    const rows = await this.#store.db
      .deleteFrom('downloaded_models')
      .where('name', '=', name)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }
}
