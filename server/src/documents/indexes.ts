// Document indexes for callers: create, list, rename, cancel, delete. Their files are in files.ts, the background work on them is in
// indexing/.
import { type FileState, type Index, type IndexStatus, Refusal } from '@lorekeep/contract';
import { sql } from 'kysely';
import { record } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import { isoTime } from '../http/iso-time.ts';
import { defaultEmbedder } from '../models/models.ts';
import { isUniqueViolation, type Store } from '../store/database.ts';
import { newestPage } from '../store/page.ts';
import { activeStatuses, addEvents, type Measurements, newVectorsName } from './indexing/index-store.ts';
import { distinct, insertFiles, type NewFiles } from './new-files.ts';
import type { OwnIndex } from './rows.ts';
import type { StorageQuota } from './storage-quota.ts';
import { waitUntil } from './wait-until.ts';

interface Dependencies {
  store: Store;
  quota: StorageQuota;
  /** Called when new work is stored durably. */
  onWork(): void;
  /** Maximum time in milliseconds that a caller waits for it. */
  timeoutMs?: number;
}

export class Indexes {
  readonly #parts: Dependencies;
  readonly #store: Store;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  /** Creates an index. Returns its id as soon as it is stored; later failures do not remove it. */
  async create(
    caller: Caller,
    { model, name, files, metadata }: { model: string; name?: string | undefined } & NewFiles,
  ): Promise<number> {
    const { fresh, repeated } = distinct(files);
    await this.#refuseTooMany(caller);
    if (name !== undefined) await this.#refuseTaken(caller, name);
    const id = await this.#store.db
      .transaction()
      .execute(async (transaction) => {
        await this.#parts.quota.refuseFull(transaction, caller, fresh);
        const created = await transaction
          .insertInto('indexes')
          .values({
            account_id: caller.account.id,
            key_id: caller.key.id,
            name: name ?? null,
            model,
            embedder: defaultEmbedder,
            vectors: newVectorsName(),
            status: 'CREATED',
            measured: '{}',
            cancel: 0,
            created_at: Date.now(),
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await insertFiles(transaction, created.id, { files: fresh, metadata });
        const text = `Created with ${fresh.length} ${fresh.length === 1 ? 'file' : 'files'}`;
        await addEvents(transaction, created.id, [{ kind: 'status', text, data: { status: 'CREATED' } }]);
        const details = { name: name ?? null, files: fresh.length };
        await record(transaction, {
          action: 'index.created',
          accountId: caller.account.id,
          subject: created.id,
          details,
        });
        return created.id;
      })
      .catch((error) => {
        throw isUniqueViolation(error) && name !== undefined ? new Refusal('name_taken', { name }) : error;
      });
    this.#parts.onWork();
    for (const { draft } of repeated) await draft.discard().catch(() => {});
    return id;
  }

  async list(
    caller: Caller,
    limit: number,
    after: number | undefined,
  ): Promise<{ indexes: Index[]; next: number | null }> {
    const query = this.#store.db
      .selectFrom('indexes')
      .selectAll()
      .where('account_id', '=', caller.account.id)
      .where('deleted_at', 'is', null);
    const { rows, next } = await newestPage(query, limit, after);
    return { indexes: await this.#toIndexes(rows), next };
  }

  async show(caller: Caller, id: number): Promise<Index> {
    return (await this.#toIndexes([await this.own(caller, id)]))[0]!;
  }

  /** An index of the caller. For other accounts it does not exist. */
  async own(caller: Caller, id: number): Promise<OwnIndex> {
    const row = await this.#store.db
      .selectFrom('indexes')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', caller.account.id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (!row) throw new Refusal('index_not_found', { id });
    return row;
  }

  /** Finds an index by the name of its model: `index/ID` or `index/NAME`. */
  async byModel(accountId: number, model: string): Promise<OwnIndex> {
    const called = model.slice('index/'.length);
    const row = await this.#store.db
      .selectFrom('indexes')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .where((eb) =>
        eb.or([eb('name', '=', called), ...(/^[1-9][0-9]{0,14}$/.test(called) ? [eb('id', '=', Number(called))] : [])]),
      )
      // An id takes precedence over a name that looks like it.
      .orderBy(sql`case when name = ${called} then 1 else 0 end`)
      .executeTakeFirst();
    if (!row) throw new Refusal('index_not_found', { id: called.slice(0, 200) });
    return row;
  }

  /** Indexes that are ready, for the list of models. */
  async ready(accountId: number): Promise<OwnIndex[]> {
    return await this.#store.db
      .selectFrom('indexes')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .where('ready_at', 'is not', null)
      .orderBy('id')
      .execute();
  }

  /** A ready index of the account. */
  async readyOne(accountId: number, id: number): Promise<OwnIndex | undefined> {
    return await this.#store.db
      .selectFrom('indexes')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .where('ready_at', 'is not', null)
      .executeTakeFirst();
  }

  async rename(caller: Caller, id: number, name: string | null): Promise<Index> {
    const own = await this.own(caller, id);
    if (name !== null && name !== own.name) await this.#refuseTaken(caller, name);
    await this.#store.db
      .updateTable('indexes')
      .set({ name })
      .where('id', '=', own.id)
      .execute()
      .catch((error) => {
        throw isUniqueViolation(error) ? new Refusal('name_taken', { name: name ?? '' }) : error;
      });
    return await this.show(caller, id);
  }

  /** Cancels indexing; `stopped` is false if the work has not ended yet. */
  async cancel(caller: Caller, id: number): Promise<{ index: Index; stopped: boolean }> {
    const own = await this.own(caller, id);
    await this.#store.db
      .updateTable('indexes')
      .set({ cancel: 1 })
      .where('id', '=', own.id)
      .where('status', 'in', activeStatuses)
      .execute();
    this.#parts.onWork();
    const stopped = await waitUntil(
      async () => !activeStatuses.includes((await this.own(caller, id)).status),
      this.#parts.timeoutMs,
    );
    return { index: await this.show(caller, id), stopped };
  }

  /** Hides the index at once; returns true if it is already removed from disk. */
  async delete(caller: Caller, id: number): Promise<boolean> {
    const own = await this.own(caller, id);
    await this.#store.db.transaction().execute(async (change) => {
      await change
        .updateTable('indexes')
        .set({ deleted_at: Date.now(), name: null })
        .where('id', '=', own.id)
        .execute();
      const entry = { accountId: caller.account.id, subject: id, details: { name: own.name } };
      await record(change, { action: 'index.deleted', ...entry });
    });
    this.#parts.onWork();
    return await waitUntil(async () => {
      const row = await this.#store.db.selectFrom('indexes').select('id').where('id', '=', id).executeTakeFirst();
      return row === undefined;
    }, this.#parts.timeoutMs);
  }

  async log(caller: Caller, id: number): Promise<string[]> {
    const own = await this.own(caller, id);
    const rows = await this.#store.db
      .selectFrom('index_events')
      .selectAll()
      .where('index_id', '=', own.id)
      .orderBy('id')
      .execute();
    return rows.map(({ at, text }) => `${new Date(at).toISOString()} ${text}`);
  }

  async #refuseTooMany(caller: Caller): Promise<void> {
    const limit = caller.account.limits.jobs;
    if (limit === null) return;
    const { count } = await this.#store.db
      .selectFrom('indexes')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', caller.account.id)
      .where('deleted_at', 'is', null)
      .where('status', 'in', activeStatuses)
      .executeTakeFirstOrThrow();
    if (Number(count) >= limit) throw new Refusal('too_many_indexes', { limit });
  }

  async #refuseTaken(caller: Caller, name: string): Promise<void> {
    const taken = await this.#store.db
      .selectFrom('indexes')
      .select('id')
      .where('account_id', '=', caller.account.id)
      .where('name', '=', name)
      .executeTakeFirst();
    if (taken) throw new Refusal('name_taken', { name });
  }

  async #toIndexes(rows: OwnIndex[]): Promise<Index[]> {
    if (rows.length === 0) return [];
    const sums = await this.#store.db
      .selectFrom('index_files')
      .select((eb) => [
        'index_id',
        'state',
        eb.fn.countAll<number>().as('files'),
        eb.fn.sum<number>('pages_done').as('pages'),
        eb.fn.sum<number>('passages').as('passages'),
        eb.fn.sum<number>('bytes').as('bytes'),
        eb.fn.sum<number>('bytes_read').as('bytes_read'),
      ])
      .where(
        'index_id',
        'in',
        rows.map(({ id }) => id),
      )
      .where('state', '<>', 'deleting')
      .groupBy(['index_id', 'state'])
      .execute();
    return rows.map((row) => {
      const own = sums.filter(({ index_id }) => index_id === row.id);
      const sum = (figure: 'files' | 'pages' | 'passages' | 'bytes' | 'bytes_read', ...states: FileState[]) =>
        own.reduce(
          (total, one) => total + (states.length > 0 && !states.includes(one.state) ? 0 : Number(one[figure])),
          0,
        );
      const { threshold, approximate } = JSON.parse(row.measured) as Measurements;
      return {
        job_id: row.id,
        name: row.name,
        model: `index/${row.name ?? row.id}`,
        model_name: row.model,
        embedder: row.embedder,
        status: row.status as IndexStatus,
        ready: row.ready_at !== null,
        error: row.error,
        progress: {
          files: sum('files'),
          files_done: sum('files', 'done'),
          files_failed: sum('files', 'failed'),
          pages_done: sum('pages'),
          bytes: sum('bytes'),
          bytes_read: sum('bytes', 'done', 'failed', 'cancelled') + sum('bytes_read', 'waiting', 'reading'),
          passages: sum('passages'),
        },
        threshold: threshold ?? null,
        search: {
          exact: approximate === undefined,
          measured: approximate ? { passages: approximate.passages, recall: approximate.recall } : null,
        },
        created_at: isoTime(row.created_at)!,
        finished_at: isoTime(row.finished_at),
      };
    });
  }
}
