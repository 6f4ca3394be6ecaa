// Store of indexes for the runner: leases and progress. Only the server that owns an index writes to it and to its
// vectors.
import { randomBytes } from 'node:crypto';
import { type FileState, type IndexStatus, indexStatuses, isOver } from '@lorekeep/contract';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { Heartbeat } from '../../leases/heartbeat.ts';
import { RowLease } from '../../leases/row-lease.ts';
import type { Store } from '../../store/database.ts';
import type { IndexFileRow, IndexRow, Tables } from '../../store/schema.ts';
import type { GraphIndexSettings } from '../../vectors/vectors.ts';
import { supersede } from './supersede.ts';

export type LeasedIndex = Selectable<IndexRow>;
export type HeldFile = Selectable<IndexFileRow>;

/** Results of the calibration at the end of a build. */
export interface Measurements {
  threshold?: number;
  /** Number of passages at the time of the calibration. */
  calibrated?: number;
  approximate?: GraphIndexSettings;
}

export interface NewPassage {
  file_id: number;
  number: number;
  embedded: string;
  passage: string;
}

export type FileChange = { id: number } & Partial<
  Pick<
    HeldFile,
    | 'state'
    | 'reason'
    | 'kind'
    | 'title'
    | 'pages_done'
    | 'pages'
    | 'bytes_read'
    | 'passages'
    | 'notices'
    | 'started_at'
    | 'finished_at'
  >
>;

export interface NewEvent {
  kind: string;
  text: string;
  data?: Record<string, unknown>;
}

/** Statuses with pending work. */
export const activeStatuses: IndexStatus[] = indexStatuses.filter((status) => !isOver(status));
/** States of files that may have partially written passages. */
const unfinished: FileState[] = ['waiting', 'reading'];
const removing = sql`exists (select 1 from index_files where index_files.index_id = indexes.id and index_files.state = 'deleting')`;
/** Condition of indexes with a pending deletion or cancellation, for which a caller waits. */
const ending = sql`(cancel = 1 or deleted_at is not null or ${removing})`;
/** Condition of indexes with pending work: to read, to cancel or to delete. */
const open = sql`(status in (${sql.join(activeStatuses)}) or deleted_at is not null or ${removing})`;
const rowsAtOnce = 200;
const maxEvents = 2000;

/** The index was deleted, cancelled or claimed by another server, so the work on it stops. */
export class IndexingStoppedError extends Error {}
/** The time slice of the index is over while others wait; it continues in its next turn. */
export class TurnEnded extends IndexingStoppedError {}

export const newVectorsName = () => `i${randomBytes(12).toString('hex')}`;

export class IndexStore {
  readonly #store: Store;
  readonly lease: RowLease<'indexes'>;

  constructor(store: Store, heartbeat: Heartbeat) {
    this.#store = store;
    this.lease = new RowLease(store, heartbeat, 'indexes', { open });
  }

  /** The given ids whose indexes this server still owns and that are neither cancelled nor deleted. */
  async stillOwned(ids: number[]): Promise<Set<number>> {
    return await this.lease.stillOwned(ids, sql`cancel = 0 and deleted_at is null`);
  }

  /** Claims indexes with pending deletions or cancellations. */
  async takeEnding(limit: number, busy: Iterable<number>): Promise<LeasedIndex[]> {
    return await this.lease.claim(limit, busy, ending);
  }

  /** The given ids whose indexes have files to remove. */
  async removing(ids: number[]): Promise<Set<number>> {
    return await this.lease.stillOwned(ids, removing);
  }

  async show(id: number): Promise<LeasedIndex | undefined> {
    return await this.#store.db.selectFrom('indexes').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async files(id: number, ...states: FileState[]): Promise<HeldFile[]> {
    return await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('index_id', '=', id)
      .where('state', 'in', states)
      .orderBy('id')
      .execute();
  }

  async file(id: number): Promise<HeldFile> {
    return await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow(() => new IndexingStoppedError());
  }

  /** The files that are read, of these names. */
  async readFiles(id: number, names: string[]): Promise<Pick<HeldFile, 'id' | 'name'>[]> {
    const found: Pick<HeldFile, 'id' | 'name'>[] = [];
    for (let at = 0; at < names.length; at += rowsAtOnce)
      found.push(
        ...(await this.#store.db
          .selectFrom('index_files')
          .select(['id', 'name'])
          .where('index_id', '=', id)
          .where('name', 'in', names.slice(at, at + rowsAtOnce))
          .where('state', '=', 'done')
          .execute()),
      );
    return found;
  }

  /** Files that were added after the one with this id, and are smaller than a size. */
  async addedSince(id: number, file: number, bytes: number): Promise<HeldFile[]> {
    return await this.#store.db
      .selectFrom('index_files')
      .selectAll()
      .where('index_id', '=', id)
      .where('id', '>', file)
      .where('bytes', '<', bytes)
      .where('state', '=', 'waiting')
      .execute();
  }

  async unfinished(id: number): Promise<HeldFile[]> {
    return await this.files(id, ...unfinished);
  }

  /** Stored passages with these embedded texts, in files that are done. */
  async known(id: number, embedded: string[]): Promise<Map<string, { file: number; number: number }>> {
    const found = new Map<string, { file: number; number: number }>();
    for (let at = 0; at < embedded.length; at += rowsAtOnce) {
      const rows = await this.#store.db
        .selectFrom('index_passages')
        .select(['embedded', 'file_id', 'number'])
        .where('index_id', '=', id)
        .where('embedded', 'in', embedded.slice(at, at + rowsAtOnce))
        .execute();
      for (const { embedded, file_id, number } of rows) found.set(embedded, { file: file_id, number });
    }
    return found;
  }

  /** Writes one step in a transaction. Throws IndexingStoppedError if the lease was lost, or the index was cancelled or deleted. */
  async write(
    id: number,
    step: {
      passages?: NewPassage[];
      files?: FileChange[];
      index?: Partial<
        Pick<LeasedIndex, 'status' | 'error' | 'measured' | 'ready_at' | 'finished_at' | 'vectors' | 'vectors_spare'>
      >;
      events?: NewEvent[];
      /** Writes even if the index is to be cancelled or deleted. */
      always?: boolean;
    },
  ): Promise<void> {
    await this.#store.db.transaction().execute(async (transaction) => {
      const row = await this.lease.lock(transaction, id);
      if (!row || (!step.always && (row.cancel || row.deleted_at !== null))) throw new IndexingStoppedError();
      const { passages = [], files = [], events = [] } = step;
      for (let at = 0; at < passages.length; at += rowsAtOnce)
        await transaction
          .insertInto('index_passages')
          .values(passages.slice(at, at + rowsAtOnce).map((passage) => ({ index_id: id, ...passage })))
          .execute();
      for (const { id: file, ...change } of files)
        await transaction
          .updateTable('index_files')
          .set(change)
          .where('id', '=', file)
          // A file that is being deleted keeps this state, even if its indexing fails.
          .where('state', '<>', 'deleting')
          .execute();
      await supersede(transaction, id, files);
      if (step.index) await transaction.updateTable('indexes').set(step.index).where('id', '=', id).execute();
      await addEvents(transaction, id, events);
    });
  }

  /** Deletes the passages of a file that failed or was cancelled. */
  async dropPassages(id: number, files: number[]): Promise<void> {
    await this.#store.db.transaction().execute(async (transaction) => {
      if (!(await this.lease.lock(transaction, id))) throw new IndexingStoppedError();
      for (let at = 0; at < files.length; at += rowsAtOnce)
        await transaction
          .deleteFrom('index_passages')
          .where('file_id', 'in', files.slice(at, at + rowsAtOnce))
          .execute();
    });
  }

  async dropFiles(id: number, files: number[]): Promise<void> {
    await this.#store.db.transaction().execute(async (transaction) => {
      if (!(await this.lease.lock(transaction, id))) throw new IndexingStoppedError();
      await transaction.deleteFrom('index_files').where('id', 'in', files).execute();
    });
    await this.#store.purge?.();
  }

  async dropIndex(id: number): Promise<void> {
    await this.#store.db.deleteFrom('indexes').where('id', '=', id).where('owner', '=', this.lease.owner).execute();
    await this.#store.purge?.();
  }

  async counts(id: number): Promise<Map<FileState, number>> {
    const rows = await this.#store.db
      .selectFrom('index_files')
      .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
      .where('index_id', '=', id)
      .groupBy('state')
      .execute();
    return new Map(rows.map(({ state, count }) => [state, Number(count)]));
  }

  /** Ends the work. False if files were added meanwhile, so that it continues. */
  async finish(id: number, index: Partial<LeasedIndex>, events: NewEvent[]): Promise<boolean> {
    return await this.#store.db.transaction().execute(async (transaction) => {
      const row = await this.lease.lock(transaction, id);
      if (!row) throw new IndexingStoppedError();
      const waiting = await transaction
        .selectFrom('index_files')
        .select('id')
        .where('index_id', '=', id)
        .where('state', 'in', unfinished)
        .limit(1)
        .executeTakeFirst();
      if (waiting) return false;
      await transaction
        .updateTable('indexes')
        .set({ ...index, cancel: 0, finished_at: Date.now(), owner: null })
        .where('id', '=', id)
        .execute();
      await addEvents(transaction, id, events);
      return true;
    });
  }

  /** A sample of passage texts spread over the whole index. */
  async sample(id: number, limit: number): Promise<string[]> {
    const files = await this.#store.db
      .selectFrom('index_files')
      .select(['id', 'passages'])
      .where('index_id', '=', id)
      .where('state', '=', 'done')
      .orderBy('id')
      .execute();
    const total = files.reduce((sum, { passages }) => sum + passages, 0);
    const texts: string[] = [];
    for (let at = 0; at < Math.min(limit, total); at++) {
      let place = Math.floor(((at + 0.5) * total) / Math.min(limit, total));
      const file = files.find(({ passages }) => {
        if (place < passages) return true;
        place -= passages;
        return false;
      });
      const row = await this.#store.db
        .selectFrom('index_passages')
        .select('passage')
        .where('file_id', '=', file!.id)
        .where('number', '=', place)
        .executeTakeFirst();
      if (row) texts.push((JSON.parse(row.passage) as { text: string }).text);
    }
    return texts;
  }

  async vectorNames(): Promise<Set<string>> {
    const rows = await this.#store.db.selectFrom('indexes').select(['vectors', 'vectors_spare']).execute();
    return new Set(
      rows.flatMap(({ vectors, vectors_spare: spare }) => (spare === null ? [vectors] : [vectors, spare])),
    );
  }

  async knownBlobs(names: string[]): Promise<Set<string>> {
    const rows = await this.#store.db.selectFrom('index_files').select('blob').where('blob', 'in', names).execute();
    return new Set(rows.map(({ blob }) => blob));
  }
}

/** Appends events in order. Of a long history only the latest are kept. */
export async function addEvents(transaction: Transaction<Tables>, id: number, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const at = Date.now();
  const { last } = await transaction
    .insertInto('index_events')
    .values(events.map(({ kind, text, data = {} }) => ({ index_id: id, at, kind, text, data: JSON.stringify(data) })))
    .returning((eb) => eb.ref('id').as('last'))
    .executeTakeFirstOrThrow();
  const oldest = await transaction
    .selectFrom('index_events')
    .select('id')
    .where('index_id', '=', id)
    .where('id', '<=', last)
    .orderBy('id', 'desc')
    .offset(maxEvents)
    .limit(1)
    .executeTakeFirst();
  if (oldest)
    await transaction.deleteFrom('index_events').where('index_id', '=', id).where('id', '<=', oldest.id).execute();
}
