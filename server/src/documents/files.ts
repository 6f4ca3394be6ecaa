// Files of an index for callers: add, list, change, remove, download. Reading them is in indexing/.
import type { Readable } from 'node:stream';
import { type IndexFile, type Metadata, Refusal } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import { record, recordAlone } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { checkedDownload } from '../blobs/checked.ts';
import { isoTime } from '../http/iso-time.ts';
import type { Store } from '../store/database.ts';
import { withRowLock } from '../store/lock.ts';
import { pageOf } from '../store/page.ts';
import type { Tables } from '../store/schema.ts';
import type { Indexes } from './indexes.ts';
import { activeStatuses, addEvents } from './indexing/index-store.ts';
import { distinct, insertFiles, type NewFiles, sameNamed } from './new-files.ts';
import type { ReceivedFile } from './receive.ts';
import type { OwnFile } from './rows.ts';
import { withPlace } from './search/search.ts';
import type { StorageQuota } from './storage-quota.ts';
import type { StoredPassage } from './stored-passages.ts';
import { waitUntil } from './wait-until.ts';

const rowsAtOnce = 500;

interface Dependencies {
  store: Store;
  blobs: Blobs;
  quota: StorageQuota;
  indexes: Indexes;
  /** Called when new work is stored durably. */
  onWork(): void;
  /** Maximum time in milliseconds that a caller waits for it. */
  timeoutMs?: number;
}

export class IndexFiles {
  readonly #parts: Dependencies;
  readonly #store: Store;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  async add(
    caller: Caller,
    id: number,
    { files, metadata }: NewFiles,
  ): Promise<{ ids: number[]; unchanged: string[]; replaces: string[] }> {
    const own = await this.#parts.indexes.own(caller, id);
    const unchanged: ReceivedFile[] = [];
    const replaces: string[] = [];
    const ids = await this.#store.db.transaction().execute(async (transaction) => {
      await this.#parts.quota.refuseFull(transaction, caller, files);
      // The indexing ends only after it has checked for waiting files under the lock of this row, so none is missed.
      const row = transaction
        .selectFrom('indexes')
        .select('status')
        .where('id', '=', own.id)
        .where('deleted_at', 'is', null);
      const found = await withRowLock(this.#store, row).executeTakeFirst();
      if (!found) throw new Refusal('index_not_found', { id });
      const there = await sameNamed(transaction, own.id, files);
      const { fresh, repeated } = distinct(files, there);
      unchanged.push(...repeated);
      replaces.push(...fresh.flatMap(({ name }) => (there.has(name) ? [name] : [])));
      await removeFailed(
        transaction,
        repeated.flatMap(({ name }) => there.get(name) ?? []),
      );
      if (fresh.length === 0) return [];
      if (!activeStatuses.includes(found.status))
        await transaction
          .updateTable('indexes')
          .set({ status: 'QUEUED', finished_at: null })
          .where('id', '=', own.id)
          .execute();
      const text = `${fresh.length} ${fresh.length === 1 ? 'file' : 'files'} added`;
      await addEvents(transaction, own.id, [{ kind: 'status', text, data: { status: 'QUEUED' } }]);
      const made = await insertFiles(transaction, own.id, { files: fresh, metadata }, there);
      const details = { files: made.length, replaces: replaces.length };
      const entry = { accountId: caller.account.id, subject: own.id, details };
      await record(transaction, { action: 'index.files_added', ...entry });
      return made;
    });
    this.#parts.onWork();
    for (const { draft } of unchanged) await draft.discard().catch(() => {});
    return { ids, unchanged: unchanged.map(({ name }) => name), replaces };
  }

  /** Waits until a file is processed with any result; `through` is false on timeout. */
  async untilRead(caller: Caller, id: number, file: number): Promise<IndexFile & { through: boolean }> {
    let found: OwnFile | undefined;
    const through = await waitUntil(async () => {
      found = await this.own(caller, id, file);
      if (['waiting', 'reading'].includes(found.state)) return false;
      // An index that cannot be asked yet can be at the end of its work. One that can finds what is stored.
      const { status, ready_at } = await this.#parts.indexes.own(caller, id);
      return ready_at !== null || !activeStatuses.includes(status);
    }, this.#parts.timeoutMs);
    return { ...shownFile(found!), through };
  }

  async list(
    caller: Caller,
    id: number,
    limit: number,
    after: number | undefined,
  ): Promise<{ files: IndexFile[]; next: number | null }> {
    const own = await this.#parts.indexes.own(caller, id);
    const found = await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('index_id', '=', own.id)
      .where('state', '<>', 'deleting')
      .where('id', '>', after ?? 0)
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const { rows, next } = pageOf(found, limit, (file) => file.id);
    return { files: rows.map(shownFile), next };
  }

  async own(caller: Caller, id: number, file: number): Promise<OwnFile> {
    const own = await this.#parts.indexes.own(caller, id);
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

  async show(caller: Caller, id: number, file: number): Promise<IndexFile> {
    return shownFile(await this.own(caller, id, file));
  }

  /** Passages of a file in reading order. */
  async passages(caller: Caller, id: number, file: number, from: number, limit: number) {
    const row = await this.own(caller, id, file);
    const found = await this.#store.db
      .selectFrom('index_passages')
      .select(['number', 'passage'])
      .where('file_id', '=', row.id)
      .where('number', '>=', from)
      .orderBy('number')
      .limit(limit + 1)
      .execute();
    return {
      passages: found
        .slice(0, limit)
        .map(({ number, passage }) => withPlace(JSON.parse(passage) as StoredPassage, row, number)),
      next: found[limit]?.number ?? null,
    };
  }

  /** The given files that still exist. */
  async showAll(caller: Caller, id: number, files: number[]): Promise<IndexFile[]> {
    if (files.length === 0) return [];
    const own = await this.#parts.indexes.own(caller, id);
    const rows = await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('index_id', '=', own.id)
      .where('id', 'in', files)
      .where('state', '<>', 'deleting')
      .orderBy('id')
      .execute();
    return rows.map(shownFile);
  }

  async change(caller: Caller, id: number, file: number, metadata: Metadata): Promise<IndexFile> {
    const row = await this.own(caller, id, file);
    await this.#store.db
      .updateTable('index_files')
      .set({ metadata: JSON.stringify(metadata) })
      .where('id', '=', row.id)
      .execute();
    return await this.show(caller, id, file);
  }

  /** Hides the file at once; returns true if it is already removed from disk. */
  async delete(caller: Caller, id: number, file: number): Promise<boolean> {
    const row = await this.own(caller, id, file);
    await this.#store.db.transaction().execute(async (change) => {
      await change.updateTable('index_files').set({ state: 'deleting' }).where('id', '=', row.id).execute();
      const entry = { accountId: caller.account.id, subject: id, details: { file, name: row.name } };
      await record(change, { action: 'index.file_deleted', ...entry });
    });
    this.#parts.onWork();
    return await waitUntil(async () => {
      const left = await this.#store.db
        .selectFrom('index_files')
        .select('id')
        .where('id', '=', row.id)
        .executeTakeFirst();
      return left === undefined;
    }, this.#parts.timeoutMs);
  }

  async download(caller: Caller, id: number, file: number): Promise<OwnFile & { content: Readable }> {
    const row = await this.own(caller, id, file);
    const content = await checkedDownload(this.#parts.blobs, { what: 'document', ...row });
    const entry = { accountId: caller.account.id, subject: id, details: { file, name: row.name } };
    await recordAlone(this.#store, { action: 'index.file_exported', ...entry });
    return { ...row, content };
  }
}

/** Failed versions of files whose stored version was sent again. */
async function removeFailed(transaction: Transaction<Tables>, files: Pick<OwnFile, 'id' | 'state'>[]): Promise<void> {
  const ids = files.filter(({ state }) => state === 'failed' || state === 'cancelled').map(({ id }) => id);
  for (let at = 0; at < ids.length; at += rowsAtOnce)
    await transaction
      .updateTable('index_files')
      .set({ state: 'deleting' })
      .where('id', 'in', ids.slice(at, at + rowsAtOnce))
      .execute();
}

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
    bytes_read: row.state === 'waiting' || row.state === 'reading' ? Math.min(row.bytes_read, row.bytes) : row.bytes,
    passages: row.passages,
    metadata: JSON.parse(row.metadata) as Metadata,
    created_at: isoTime(row.created_at)!,
    started_at: isoTime(row.started_at),
    finished_at: isoTime(row.finished_at),
  };
}
