// The files of an index as their callers see them: added, listed, changed, removed, downloaded. What is read from them is in indexing/.
import { type IndexFile, type Metadata, Refusal } from '@lorekeep/contract';
import type { Selectable, Transaction } from 'kysely';
import type { Blobs } from '../blobs/blobs.ts';
import type { Caller } from '../keys/caller.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { IndexFileRow, Tables } from '../store/schema.ts';
import type { Indexes } from './indexes.ts';
import { addEvents, atWork } from './indexing/ledger.ts';
import { moment } from './moment.ts';
import type { StoredPassage } from './passages/stored.ts';
import type { ReceivedFile } from './receive.ts';
import type { Room } from './room.ts';
import { placed } from './search/search.ts';
import { untilThrough } from './until.ts';

export type OwnFile = Selectable<IndexFileRow>;

const rowsAtOnce = 100;

export interface NewFiles {
  files: ReceivedFile[];
  metadata: Metadata;
}

interface Parts {
  store: Store;
  blobs: Blobs;
  room: Room;
  indexes: Indexes;
  /** Called when there is something to do, and it is safely stored. */
  onWork(): void;
  /** Milliseconds that a caller is kept waiting for it. */
  patience?: number;
}

export class IndexFiles {
  readonly #parts: Parts;
  readonly #store: Store;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  async add(
    caller: Caller,
    id: number,
    { files, metadata }: NewFiles,
  ): Promise<{ ids: number[]; unchanged: string[] }> {
    const own = await this.#parts.indexes.own(caller, id);
    const unchanged: ReceivedFile[] = [];
    const ids = await this.#store.db.transaction().execute(async (transaction) => {
      await this.#parts.room.refuseFull(transaction, caller, files);
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
      const { fresh, repeated } = distinct(files, there);
      unchanged.push(...repeated);
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

  /** Waits until a file is through, whatever comes of it; `through` is false where it is not yet. */
  async untilRead(caller: Caller, id: number, file: number): Promise<IndexFile & { through: boolean }> {
    let found: OwnFile | undefined;
    const through = await untilThrough(async () => {
      found = await this.own(caller, id, file);
      // What was read last can be found by its words only when the index was put in order again.
      return (
        !['waiting', 'reading'].includes(found.state) &&
        !atWork.includes((await this.#parts.indexes.own(caller, id)).status)
      );
    }, this.#parts.patience);
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
        .map(({ number, passage }) => placed(JSON.parse(passage) as StoredPassage, row, number)),
      next: found[limit]?.number ?? null,
    };
  }

  /** Those of these that are still there. */
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

  /** From the first moment nobody sees it; true when it is gone from the disk. */
  async delete(caller: Caller, id: number, file: number): Promise<boolean> {
    const row = await this.own(caller, id, file);
    await this.#store.db.updateTable('index_files').set({ state: 'deleting' }).where('id', '=', row.id).execute();
    this.#parts.onWork();
    return await untilThrough(async () => {
      const left = await this.#store.db
        .selectFrom('index_files')
        .select('id')
        .where('id', '=', row.id)
        .executeTakeFirst();
      return left === undefined;
    }, this.#parts.patience);
  }

  async download(caller: Caller, id: number, file: number): Promise<OwnFile & { content: AsyncIterable<Uint8Array> }> {
    const row = await this.own(caller, id, file);
    return { ...row, content: this.#parts.blobs.read(row.blob) };
  }
}

type Told = Pick<ReceivedFile, 'name' | 'sha256'>;

/** The same content under the same name, there already or sent before in the same request, is one file. */
export function distinct(
  files: ReceivedFile[],
  there: Told[] = [],
): { fresh: ReceivedFile[]; repeated: ReceivedFile[] } {
  const key = ({ name, sha256 }: Told) => `${sha256} ${name}`;
  const seen = new Set(there.map(key));
  const fresh: ReceivedFile[] = [];
  const repeated: ReceivedFile[] = [];
  for (const file of files) {
    (seen.has(key(file)) ? repeated : fresh).push(file);
    seen.add(key(file));
  }
  return { fresh, repeated };
}

export async function insertFiles(
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
