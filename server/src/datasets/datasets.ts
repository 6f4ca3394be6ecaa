// Datasets: rows are written as they arrive, stored completely or not at all, and identified by the hash of the stored content.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Dataset, type Mistake, Refusal } from '@lorekeep/contract';
import { jsonLines } from '@lorekeep/reader';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { lockAccount, type RemainingStorage, remainingStorage } from '../accounts/storage.ts';
import { record, recordAlone } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import type { Blobs, Draft } from '../blobs/blobs.ts';
import {
  checkBlob,
  checkedBytes,
  checkedDownload,
  damagedData,
  type Written as WrittenBlob,
} from '../blobs/checked.ts';
import type { Store } from '../store/database.ts';
import { newestPage } from '../store/page.ts';
import type { DatasetRow, Tables } from '../store/schema.ts';
import { type FoundRow, type KeptRow, storedRow } from './row.ts';

type Row = Selectable<DatasetRow>;
type Db = Pick<Kysely<Tables>, 'selectFrom'>;

const maxNamedMistakes = 50;
const maxCountedMistakes = 1000;
const kind = 'datasets';

/** Name and visibility that an upload gives its dataset. Read after the rows, since they may come later in the form. */
export interface Label {
  name?: string | undefined;
  isPublic?: boolean | undefined;
}

/** Observes the rows while they arrive, and decides before they are stored. */
export interface Witness {
  row(number: number, row: KeptRow): void;
  /** Called after every batch of rows. */
  pause(): Promise<void>;
  /** Throws to refuse the dataset: then nothing is stored. */
  approve(): Promise<void>;
  /** Runs in the transaction that records the dataset, or finds it stored already: both are committed, or neither. */
  record(change: Transaction<Tables>, hash: string): Promise<void>;
}

/** The account whose datasets are read, besides the public ones. */
export interface Reader {
  account: { id: number };
}

export class Datasets {
  readonly #store: Store;
  readonly #blobs: Blobs;
  readonly #contact: string;

  constructor(store: Store, blobs: Blobs, contact: string) {
    this.#store = store;
    this.#blobs = blobs;
    this.#contact = contact;
  }

  /** Stores rows while they arrive. Errors name `place`. After a failure no file is left. */
  async store(
    caller: Caller,
    batches: AsyncIterable<FoundRow[]>,
    place: (string | number)[],
    label: () => Label,
    witness?: Witness,
  ): Promise<Dataset> {
    const room = await remainingStorage(this.#store.db, caller, this.#contact);
    const draft = await this.#blobs.draft(kind);
    try {
      const written = await writeRows(draft, batches, place, room, witness);
      await witness?.approve();
      return await this.#keep(caller, draft, written, label(), witness);
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }

  /** Checks the limit again in the transaction that writes the row. It locks the account, so its uploads run one after the other. */
  async #keep(
    caller: Caller,
    draft: Draft,
    { hash, rows, bytes }: Written,
    label: Label,
    witness?: Witness,
  ): Promise<Dataset> {
    await draft.keep();
    const { id: account_id } = caller.account;
    const row = await this.#store.db.transaction().execute(async (change) => {
      await lockAccount(this.#store, change, account_id);
      const own = await this.#own(change, caller, hash);
      if (!own) {
        const room = await remainingStorage(change, caller, this.#contact);
        if (bytes > room.bytes) throw room.full();
      }
      const values = { account_id, hash, rows, bytes, blob: draft.name, created_at: Date.now() };
      const row = own
        ? await relabel(change, own, label)
        : await change
            .insertInto('datasets')
            .values({ ...values, name: label.name ?? null, is_public: label.isPublic ? 1 : 0 })
            .returningAll()
            .executeTakeFirstOrThrow();
      await witness?.record(change, hash);
      if (!own) {
        const details = { name: row.name, rows, bytes, is_public: row.is_public === 1 };
        await record(change, { action: 'dataset.uploaded', accountId: account_id, subject: hash, details });
      }
      return row;
    });
    // The rows are stored already. The file of this upload is removed now or at the next start.
    if (row.blob !== draft.name) await draft.discard().catch(() => {});
    return toDataset(row);
  }

  async list(
    caller: Caller,
    limit: number,
    after: number | undefined,
  ): Promise<{ datasets: Dataset[]; next: number | null }> {
    const query = this.#store.db.selectFrom('datasets').selectAll().where('account_id', '=', caller.account.id);
    const { rows, next } = await newestPage(query, limit, after);
    return { datasets: rows.map(toDataset), next };
  }

  async show(caller: Reader, hash: string): Promise<Dataset> {
    return toDataset(await this.#visible(caller, hash));
  }

  /** The lines of a dataset. Throws `data_damaged` after the last line at the latest. */
  async rows(caller: Reader, hash: string): Promise<AsyncIterable<Uint8Array>> {
    return checkedBytes(this.#blobs, writtenBlob(await this.#visible(caller, hash)));
  }

  /** The lines for a program that shows rows. More than a look with a key is an export; pages of the console are none. */
  async read(caller: Caller, hash: string, limit?: number): Promise<Readable> {
    const row = await this.#visible(caller, hash);
    if (caller.sessionId === undefined && Math.min(limit ?? row.rows, row.rows) > maxShownRows)
      await this.#recordExport(row);
    const content = await checkedDownload(this.#blobs, writtenBlob(row));
    return limit === undefined ? content : Readable.from(firstLines(content, limit), { objectMode: false });
  }

  async download(caller: Caller, hash: string): Promise<{ bytes: number; content: Readable }> {
    const row = await this.#visible(caller, hash);
    await this.#recordExport(row);
    return { bytes: row.bytes, content: await checkedDownload(this.#blobs, writtenBlob(row)) };
  }

  async #recordExport({ account_id, hash, rows }: Row): Promise<void> {
    await recordAlone(this.#store, {
      action: 'dataset.exported',
      accountId: account_id,
      subject: hash,
      details: { rows },
    });
  }

  /** For callers that read only a part: throws `data_damaged` if any part is damaged. */
  async check(caller: Reader, hash: string): Promise<void> {
    await checkBlob(this.#blobs, writtenBlob(await this.#visible(caller, hash)));
  }

  /** Every row with its number, which counts from 1. */
  async *keptRows(caller: Caller, hash: string): AsyncGenerator<{ number: number; row: KeptRow }[]> {
    const decoder = new TextDecoder();
    let rest = '';
    let number = 0;
    for await (const chunk of await this.rows(caller, hash)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield lines.map((line) => ({ number: ++number, row: rowOf(hash, line) as KeptRow }));
    }
  }

  async firstRows(caller: Caller, hash: string, count: number): Promise<{ input: string; output: string }[]> {
    const rows: { input: string; output: string }[] = [];
    for await (const line of jsonLines(await this.rows(caller, hash))) {
      rows.push(rowOf(hash, line));
      if (rows.length === count) break;
    }
    return rows;
  }

  async change(caller: Caller, hash: string, label: Label): Promise<Dataset> {
    return await this.#store.db.transaction().execute(async (change) => {
      const own = await this.#own(change, caller, hash);
      if (!own) throw new Refusal('dataset_not_found', { id: hash });
      const changed = toDataset(await relabel(change, own, label));
      const { name, is_public } = changed;
      const entry = { accountId: own.account_id, subject: hash, details: { name, is_public } };
      await record(change, { action: 'dataset.changed', ...entry });
      return changed;
    });
  }

  /** Deletes the record, then the file: a file without a record is swept at a later start; a record without a file would be broken. */
  async delete(caller: Caller, hash: string): Promise<void> {
    const gone = await this.#store.db.transaction().execute(async (change) => {
      const row = await change
        .deleteFrom('datasets')
        .where('account_id', '=', caller.account.id)
        .where('hash', '=', hash)
        .returning(['blob', 'name', 'rows'])
        .executeTakeFirst();
      if (!row) throw new Refusal('dataset_not_found', { id: hash });
      const entry = { accountId: caller.account.id, subject: hash, details: { name: row.name, rows: row.rows } };
      await record(change, { action: 'dataset.deleted', ...entry });
      return row;
    });
    await this.#blobs.remove(gone.blob);
  }

  async sweep(now?: number): Promise<number> {
    return await this.#blobs.sweep(
      kind,
      async (names) => {
        const known = await this.#store.db.selectFrom('datasets').select('blob').where('blob', 'in', names).execute();
        return new Set(known.map((row) => row.blob));
      },
      now,
    );
  }

  async #own(db: Db, caller: Caller, hash: string): Promise<Row | undefined> {
    return await db
      .selectFrom('datasets')
      .selectAll()
      .where('account_id', '=', caller.account.id)
      .where('hash', '=', hash)
      .executeTakeFirst();
  }

  /** The caller's own dataset or a public one; otherwise it does not exist for the caller. */
  async #visible(caller: Reader, hash: string): Promise<Row> {
    const row = await this.#store.db
      .selectFrom('datasets')
      .selectAll()
      .where('hash', '=', hash)
      .where((eb) => eb.or([eb('account_id', '=', caller.account.id), eb('is_public', '=', 1)]))
      .orderBy(sql`case when account_id = ${caller.account.id} then 0 else 1 end`)
      .limit(1)
      .executeTakeFirst();
    if (!row) throw new Refusal('dataset_not_found', { id: hash });
    return row;
  }
}

const writtenBlob = ({ hash, blob, bytes }: Row): WrittenBlob => ({
  what: 'dataset',
  name: hash,
  ...{ blob, bytes, sha256: hash },
});

/** Maximum number of rows that a key may read without an export. */
const maxShownRows = 100;

async function* firstLines(content: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of content) {
    let end = 0;
    for (let at = chunk.indexOf(10); at !== -1 && left > 0; at = chunk.indexOf(10, end)) {
      end = at + 1;
      left--;
    }
    yield left > 0 ? chunk : chunk.subarray(0, end);
    if (left === 0) return;
  }
}

/** A damaged line is found before the whole dataset is checked against its hash. */
function rowOf(hash: string, line: string): { input: string; output: string } {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw damagedData({ what: 'dataset', name: hash }, 'its content does not match its checksum', error);
  }
}

/** Fields that the label does not set stay unchanged. */
async function relabel(db: Pick<Kysely<Tables>, 'updateTable'>, own: Row, { name, isPublic }: Label): Promise<Row> {
  if (name === undefined && isPublic === undefined) return own;
  const values = { name: name ?? own.name, is_public: isPublic === undefined ? own.is_public : isPublic ? 1 : 0 };
  await db.updateTable('datasets').set(values).where('id', '=', own.id).execute();
  return { ...own, ...values };
}

interface Written {
  hash: string;
  rows: number;
  bytes: number;
}

/** Validates rows without storing them. */
export async function checkRows(
  batches: AsyncIterable<FoundRow[]>,
  place: (string | number)[],
  witness: Pick<Witness, 'row' | 'pause'>,
): Promise<void> {
  const nowhere = { write: async () => {} };
  const endless = { bytes: Number.POSITIVE_INFINITY, full: () => new Refusal('dataset_empty') as Refusal };
  await writeRows(nowhere, batches, place, endless, witness);
}

async function writeRows(
  draft: Pick<Draft, 'write'>,
  batches: AsyncIterable<FoundRow[]>,
  place: (string | number)[],
  room: RemainingStorage,
  witness?: Pick<Witness, 'row' | 'pause'>,
): Promise<Written> {
  const digest = createHash('sha256');
  const mistakes: Mistake[] = [];
  let wrong = 0;
  let named = 0;
  let rows = 0;
  let bytes = 0;
  for await (const batch of batches) {
    const lines: string[] = [];
    for (const found of batch) {
      const row = storedRow(found, place);
      if ('line' in row) {
        lines.push(row.line);
        witness?.row(found.number, row.kept);
      } else {
        wrong++;
        if (mistakes.length < maxNamedMistakes) named++;
        mistakes.push(...row.mistakes.slice(0, maxNamedMistakes - mistakes.length));
      }
    }
    if (wrong >= maxCountedMistakes) break;
    // Once a row is invalid, nothing is stored: the rest is read only to report further mistakes.
    if (wrong > 0 || lines.length === 0) continue;
    const encoded = Buffer.from(lines.join(''));
    rows += lines.length;
    bytes += encoded.length;
    if (bytes > room.bytes) throw room.full();
    digest.update(encoded);
    await draft.write(encoded);
    await witness?.pause();
  }
  if (wrong > 0) throw invalidRows(wrong, mistakes, { named, place });
  if (rows === 0) throw new Refusal('dataset_empty');
  return { hash: digest.digest('hex'), rows, bytes };
}

/** `named` is the number of rows with a mistake in the list. */
function invalidRows(
  wrong: number,
  mistakes: Mistake[],
  { named, place }: { named: number; place: (string | number)[] },
): Refusal {
  const isCapped = wrong >= maxCountedMistakes;
  const rest = wrong - named;
  const more =
    rest > 0
      ? [
          {
            loc: place,
            msg: `and ${isCapped ? 'at least ' : ''}${rest} more ${rest === 1 ? 'row' : 'rows'}`,
            type: 'more',
          },
        ]
      : [];
  return new Refusal(
    'rows_invalid',
    { count: isCapped ? `at least ${maxCountedMistakes}` : wrong, summary: mistakes[0]?.msg ?? '' },
    { mistakes: [...mistakes, ...more] },
  ) as Refusal;
}

function toDataset(row: Row): Dataset {
  return {
    dataset_id: row.hash,
    dataset_location: `local/${row.hash}`,
    name: row.name,
    rows: row.rows,
    bytes: row.bytes,
    is_public: row.is_public === 1,
    created_at: new Date(row.created_at).toISOString(),
  };
}
