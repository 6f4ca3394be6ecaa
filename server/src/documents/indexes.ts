// Document indexes as their callers see them: made, listed, renamed, cancelled, deleted, and their files. The work on them is in indexing/.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type FileState,
  type Index,
  type IndexFile,
  type IndexStatus,
  type Metadata,
  Refusal,
} from '@lorekeep/contract';
import { type Selectable, sql, type Transaction } from 'kysely';
import { storedBytes } from '../accounts/storage.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Caller } from '../keys/caller.ts';
import { defaultEmbedder } from '../models/models.ts';
import { isUniqueViolation, type Store } from '../store/database.ts';
import type { IndexFileRow, IndexRow, Tables } from '../store/schema.ts';
import { addEvents, atWork, type Measurements, newVectorsName } from './indexing/ledger.ts';
import type { ReceivedFile } from './receive.ts';

export type OwnIndex = Selectable<IndexRow>;
export type OwnFile = Selectable<IndexFileRow>;

const rowsAtOnce = 100;
/** A removal is answered when it is through, or after so long, when it goes on by itself. */
const patience = 60_000;

interface Parts {
  store: Store;
  blobs: Blobs;
  contact: string;
  /** Called when there is something to do, and it is safely stored. */
  onWork(): void;
}

interface NewFiles {
  files: ReceivedFile[];
  metadata: Metadata;
}

export class Indexes {
  readonly #parts: Parts;
  readonly #store: Store;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  /** Answers its id as soon as it is stored: whatever fails later, its files belong to it. */
  async create(
    caller: Caller,
    { model, name, files, metadata }: { model: string; name?: string | undefined } & NewFiles,
  ): Promise<number> {
    await this.#refuseTooMany(caller);
    if (name !== undefined) await this.#refuseTaken(caller, name);
    const id = await this.#store.db
      .transaction()
      .execute(async (transaction) => {
        await this.#refuseFull(transaction, caller, files);
        const made = await transaction
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
        await insertFiles(transaction, made.id, files, metadata);
        const text = `Created with ${files.length} ${files.length === 1 ? 'file' : 'files'}`;
        await addEvents(transaction, made.id, [{ kind: 'status', text, data: { status: 'CREATED' } }]);
        return made.id;
      })
      .catch((error) => {
        throw isUniqueViolation(error) && name !== undefined ? new Refusal('name_taken', { name }) : error;
      });
    this.#parts.onWork();
    return id;
  }

  async list(
    caller: Caller,
    limit: number,
    after: number | undefined,
  ): Promise<{ indexes: Index[]; next: number | null }> {
    let query = this.#store.db
      .selectFrom('indexes')
      .selectAll()
      .where('account_id', '=', caller.account.id)
      .where('deleted_at', 'is', null)
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('id', '<', after);
    const rows = await query.execute();
    return {
      indexes: await this.#shown(rows.slice(0, limit)),
      next: rows.length > limit ? rows[limit - 1]!.id : null,
    };
  }

  async show(caller: Caller, id: number): Promise<Index> {
    return (await this.#shown([await this.own(caller, id)]))[0]!;
  }

  /** The caller's own; to everybody else it does not exist. */
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

  /** By the name of a model: `index/ID` or `index/NAME`. */
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
      // An index whose name is the number of another does not hide it.
      .orderBy(sql`case when name = ${called} then 1 else 0 end`)
      .executeTakeFirst();
    if (!row) throw new Refusal('index_not_found', { id: called.slice(0, 200) });
    return row;
  }

  /** Those that can be asked, for the list of models. */
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

  async cancel(caller: Caller, id: number): Promise<Index> {
    const own = await this.own(caller, id);
    await this.#store.db
      .updateTable('indexes')
      .set({ cancel: 1 })
      .where('id', '=', own.id)
      .where('status', 'in', atWork)
      .execute();
    this.#parts.onWork();
    await this.#until(async () => !atWork.includes((await this.own(caller, id)).status));
    return await this.show(caller, id);
  }

  /** From the first moment nobody sees it; answered when it is gone from the disk. */
  async delete(caller: Caller, id: number): Promise<void> {
    const own = await this.own(caller, id);
    await this.#store.db
      .updateTable('indexes')
      .set({ deleted_at: Date.now(), name: null })
      .where('id', '=', own.id)
      .execute();
    this.#parts.onWork();
    await this.#until(async () => {
      const row = await this.#store.db.selectFrom('indexes').select('id').where('id', '=', id).executeTakeFirst();
      return row === undefined;
    });
  }

  async addFiles(
    caller: Caller,
    id: number,
    { files, metadata }: NewFiles,
  ): Promise<{ ids: number[]; unchanged: string[] }> {
    const own = await this.own(caller, id);
    const unchanged: ReceivedFile[] = [];
    const ids = await this.#store.db.transaction().execute(async (transaction) => {
      await this.#refuseFull(transaction, caller, files);
      // The end of the work looks for files that wait while it holds this row, so none is overlooked.
      const row = transaction
        .selectFrom('indexes')
        .select('status')
        .where('id', '=', own.id)
        .where('deleted_at', 'is', null);
      const found = await (this.#store.engine === 'postgres' ? row.forUpdate() : row).executeTakeFirst();
      if (!found) throw new Refusal('index_not_found', { id });
      const there = await transaction
        .selectFrom('index_files')
        .select(['name', 'sha256'])
        .where('index_id', '=', own.id)
        .where('state', 'in', ['waiting', 'reading', 'done'])
        .execute();
      const same = new Set(there.map(({ name, sha256 }) => `${sha256} ${name}`));
      const fresh: ReceivedFile[] = [];
      for (const file of files) (same.has(`${file.sha256} ${file.name}`) ? unchanged : fresh).push(file);
      if (fresh.length === 0) return [];
      if (!atWork.includes(found.status))
        await transaction
          .updateTable('indexes')
          .set({ status: 'QUEUED', finished_at: null })
          .where('id', '=', own.id)
          .execute();
      const text = `${fresh.length} ${fresh.length === 1 ? 'file' : 'files'} added`;
      await addEvents(transaction, own.id, [{ kind: 'status', text, data: { status: 'QUEUED' } }]);
      return await insertFiles(transaction, own.id, fresh, metadata);
    });
    this.#parts.onWork();
    for (const { draft } of unchanged) await draft.discard().catch(() => {});
    return { ids, unchanged: unchanged.map(({ name }) => name) };
  }

  /** Waits until a file is through, whatever comes of it. */
  async untilRead(caller: Caller, id: number, file: number): Promise<IndexFile> {
    let found: OwnFile | undefined;
    await this.#until(async () => {
      found = await this.file(caller, id, file);
      // What was read last can be found by its words only when the index was put in order again.
      return !['waiting', 'reading'].includes(found.state) && !atWork.includes((await this.own(caller, id)).status);
    });
    return shownFile(found!);
  }

  async listFiles(
    caller: Caller,
    id: number,
    limit: number,
    after: number | undefined,
  ): Promise<{ files: IndexFile[]; next: number | null }> {
    const own = await this.own(caller, id);
    const rows = await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('index_id', '=', own.id)
      .where('state', '<>', 'deleting')
      .where('id', '>', after ?? 0)
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    return {
      files: rows.slice(0, limit).map(shownFile),
      next: rows.length > limit ? rows[limit - 1]!.id : null,
    };
  }

  async file(caller: Caller, id: number, file: number): Promise<OwnFile> {
    const own = await this.own(caller, id);
    const row = await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('index_id', '=', own.id)
      .where('id', '=', file)
      .where('state', '<>', 'deleting')
      .executeTakeFirst();
    if (!row) throw new Refusal('index_file_not_found', { id, file });
    return row;
  }

  async showFile(caller: Caller, id: number, file: number): Promise<IndexFile> {
    return shownFile(await this.file(caller, id, file));
  }

  async changeFile(caller: Caller, id: number, file: number, metadata: Metadata): Promise<IndexFile> {
    const row = await this.file(caller, id, file);
    await this.#store.db
      .updateTable('index_files')
      .set({ metadata: JSON.stringify(metadata) })
      .where('id', '=', row.id)
      .execute();
    return await this.showFile(caller, id, file);
  }

  async deleteFile(caller: Caller, id: number, file: number): Promise<void> {
    const row = await this.file(caller, id, file);
    await this.#store.db.updateTable('index_files').set({ state: 'deleting' }).where('id', '=', row.id).execute();
    this.#parts.onWork();
    await this.#until(async () => {
      const left = await this.#store.db
        .selectFrom('index_files')
        .select('id')
        .where('id', '=', row.id)
        .executeTakeFirst();
      return left === undefined;
    });
  }

  async download(caller: Caller, id: number, file: number): Promise<OwnFile & { content: AsyncIterable<Uint8Array> }> {
    const row = await this.file(caller, id, file);
    return { ...row, content: this.#parts.blobs.read(row.blob) };
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

  /** How many bytes the account may still store. */
  async room(caller: Caller): Promise<{ bytes: number; full(): Refusal }> {
    const limit = caller.account.limits.storage_bytes;
    const full = () => new Refusal('storage_limit', { limit: limit ?? 0, contact: this.#parts.contact }) as Refusal;
    if (limit === null) return { bytes: Number.POSITIVE_INFINITY, full };
    return { bytes: limit - (await storedBytes(this.#store.db, caller.account.id)), full };
  }

  async #refuseFull(transaction: Transaction<Tables>, caller: Caller, files: ReceivedFile[]): Promise<void> {
    const limit = caller.account.limits.storage_bytes;
    if (limit === null || files.length === 0) return;
    const account = transaction.selectFrom('accounts').select('id').where('id', '=', caller.account.id);
    await (this.#store.engine === 'postgres' ? account.forUpdate() : account).execute();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if ((await storedBytes(transaction, caller.account.id)) + bytes > limit) throw (await this.room(caller)).full();
  }

  async #refuseTooMany(caller: Caller): Promise<void> {
    const limit = caller.account.limits.jobs;
    if (limit === null) return;
    const { count } = await this.#store.db
      .selectFrom('indexes')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', caller.account.id)
      .where('deleted_at', 'is', null)
      .where('status', 'in', atWork)
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

  async #until(holds: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + patience; performance.now() < end; await sleep(50)) if (await holds()) return;
  }

  async #shown(rows: OwnIndex[]): Promise<Index[]> {
    if (rows.length === 0) return [];
    const sums = await this.#store.db
      .selectFrom('index_files')
      .select((eb) => [
        'index_id',
        'state',
        eb.fn.countAll<number>().as('files'),
        eb.fn.sum<number>('pages_done').as('pages'),
        eb.fn.sum<number>('passages').as('passages'),
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
      const sum = (figure: 'files' | 'pages' | 'passages', state?: FileState) =>
        own.reduce((total, one) => total + (state && one.state !== state ? 0 : Number(one[figure])), 0);
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
          passages: sum('passages'),
        },
        threshold: threshold ?? null,
        search: {
          exact: approximate === undefined,
          measured: approximate ? { passages: approximate.passages, recall: approximate.recall } : null,
        },
        created_at: moment(row.created_at)!,
        finished_at: moment(row.finished_at),
      };
    });
  }
}

async function insertFiles(
  transaction: Transaction<Tables>,
  indexId: number,
  files: ReceivedFile[],
  metadata: Metadata,
): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < files.length; at += rowsAtOnce) {
    const made = await transaction
      .insertInto('index_files')
      .values(
        files.slice(at, at + rowsAtOnce).map(({ name, sha256, bytes, draft }) => ({
          ...{ index_id: indexId, name, sha256, bytes, blob: draft.name },
          ...{ state: 'waiting' as const, pages_done: 0, passages: 0, notices: '[]' },
          metadata: JSON.stringify(metadata),
          created_at: Date.now(),
        })),
      )
      .returning('id')
      .execute();
    ids.push(...made.map(({ id }) => id));
  }
  return ids;
}

const moment = (time: number | null) => (time === null ? null : new Date(time).toISOString());

function shownFile(row: OwnFile): IndexFile {
  return {
    id: row.id,
    name: row.name,
    bytes: row.bytes,
    sha256: row.sha256,
    kind: row.kind,
    title: row.title,
    state: row.state,
    reason: row.reason,
    notices: JSON.parse(row.notices) as string[],
    pages_done: row.pages_done,
    pages: row.pages,
    passages: row.passages,
    metadata: JSON.parse(row.metadata) as Metadata,
    created_at: moment(row.created_at)!,
    finished_at: moment(row.finished_at),
  };
}
