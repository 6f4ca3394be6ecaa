// Datasets and their rules: rows written as they come, kept whole or not at all, named by the hash of what was stored.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Dataset, type Mistake, Refusal } from '@lorekeep/contract';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { holdAccount, type Room, roomOf } from '../accounts/storage.ts';
import type { Blobs, Draft } from '../blobs/blobs.ts';
import type { Caller } from '../keys/caller.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { DatasetRow, Tables } from '../store/schema.ts';
import { type FoundRow, type KeptRow, storedRow } from './row.ts';

type Row = Selectable<DatasetRow>;
type Db = Pick<Kysely<Tables>, 'selectFrom'>;

const mostNamedMistakes = 50;
const mostCountedMistakes = 1000;
const kind = 'datasets';

/** What an upload says of its dataset; read when the rows are through, since it may come after them. */
export interface Label {
  name?: string | undefined;
  isPublic?: boolean | undefined;
}

/** Somebody who looks at the rows as they come, and has the last word before they are kept. */
export interface Witness {
  row(number: number, row: KeptRow): void;
  /** After every few rows. */
  pause(): Promise<void>;
  /** What it throws is why nothing is kept. */
  approve(): Promise<void>;
  /** In the change that records the dataset, or finds that it is there: both are made, or neither. */
  kept(change: Transaction<Tables>, hash: string): Promise<void>;
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

  /** Stores rows as they come. `place` is where mistakes are said to be; whatever goes wrong, nothing is left behind. */
  async store(
    caller: Caller,
    batches: AsyncIterable<FoundRow[]>,
    place: (string | number)[],
    label: () => Label,
    witness?: Witness,
  ): Promise<Dataset> {
    const room = await roomOf(this.#store.db, caller, this.#contact);
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

  /** The limit is checked again where the row is written, one upload of an account after the other. */
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
      await holdAccount(this.#store, change, account_id);
      const own = await this.#own(change, caller, hash);
      if (!own) {
        const room = await roomOf(change, caller, this.#contact);
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
      await witness?.kept(change, hash);
      return row;
    });
    // The same rows were here before. What is kept stays kept, whatever becomes of the file: it is swept at a later start.
    if (row.blob !== draft.name) await draft.discard().catch(() => {});
    return shown(row);
  }

  async list(
    caller: Caller,
    limit: number,
    after: number | undefined,
  ): Promise<{ datasets: Dataset[]; next: number | null }> {
    let query = this.#store.db
      .selectFrom('datasets')
      .selectAll()
      .where('account_id', '=', caller.account.id)
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('id', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ id }) => id);
    return { datasets: rows.map(shown), next };
  }

  async show(caller: Caller, hash: string): Promise<Dataset> {
    return shown(await this.#visible(caller, hash));
  }

  async rows(caller: Caller, hash: string): Promise<AsyncIterable<Uint8Array>> {
    return this.#blobs.read((await this.#visible(caller, hash)).blob);
  }

  /** Every row with its number, which counts from 1. */
  async *keptRows(caller: Caller, hash: string): AsyncGenerator<{ number: number; row: KeptRow }[]> {
    const decoder = new TextDecoder();
    let rest = '';
    let number = 0;
    for await (const chunk of await this.rows(caller, hash)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield lines.map((line) => ({ number: ++number, row: JSON.parse(line) as KeptRow }));
    }
  }

  async firstRows(caller: Caller, hash: string, count: number): Promise<{ input: string; output: string }[]> {
    let text = '';
    const decoder = new TextDecoder();
    const source = (await this.rows(caller, hash)) as Readable;
    for await (const chunk of source) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split('\n', count + 1).length > count) break;
    }
    const lines = text.split('\n').slice(0, -1);
    return lines.slice(0, count).map((line) => JSON.parse(line));
  }

  async change(caller: Caller, hash: string, label: Label): Promise<Dataset> {
    const own = await this.#own(this.#store.db, caller, hash);
    if (!own) throw new Refusal('dataset_not_found', { id: hash });
    return shown(await relabel(this.#store.db, own, label));
  }

  /** The record first, then the file: a file without a record is swept at a later start, a record without a file would be a lie. */
  async delete(caller: Caller, hash: string): Promise<void> {
    const gone = await this.#store.db
      .deleteFrom('datasets')
      .where('account_id', '=', caller.account.id)
      .where('hash', '=', hash)
      .returning('blob')
      .executeTakeFirst();
    if (!gone) throw new Refusal('dataset_not_found', { id: hash });
    await this.#blobs.remove(gone.blob);
  }

  async sweep(): Promise<number> {
    return await this.#blobs.sweep(kind, async (names) => {
      const known = await this.#store.db.selectFrom('datasets').select('blob').where('blob', 'in', names).execute();
      return new Set(known.map((row) => row.blob));
    });
  }

  async #own(db: Db, caller: Caller, hash: string): Promise<Row | undefined> {
    return await db
      .selectFrom('datasets')
      .selectAll()
      .where('account_id', '=', caller.account.id)
      .where('hash', '=', hash)
      .executeTakeFirst();
  }

  /** The caller's own, else one that somebody made public; to everybody else it does not exist. */
  async #visible(caller: Caller, hash: string): Promise<Row> {
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

/** What the label does not say stays as it is. */
async function relabel(db: Pick<Kysely<Tables>, 'updateTable'>, own: Row, { name, isPublic }: Label): Promise<Row> {
  if (name === undefined && isPublic === undefined) return own;
  const said = { name: name ?? own.name, is_public: isPublic === undefined ? own.is_public : isPublic ? 1 : 0 };
  await db.updateTable('datasets').set(said).where('id', '=', own.id).execute();
  return { ...own, ...said };
}

interface Written {
  hash: string;
  rows: number;
  bytes: number;
}

/** Rows that are looked at and not kept. */
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
  room: Room,
  witness?: Pick<Witness, 'row' | 'pause'>,
): Promise<Written> {
  const digest = createHash('sha256');
  const mistakes: Mistake[] = [];
  let wrong = 0;
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
        mistakes.push(...row.mistakes.slice(0, mostNamedMistakes - mistakes.length));
      }
    }
    if (wrong >= mostCountedMistakes) break;
    // Once a row is wrong nothing will be kept: the rest is read only to name what else is wrong.
    if (wrong > 0 || lines.length === 0) continue;
    const encoded = Buffer.from(lines.join(''));
    rows += lines.length;
    bytes += encoded.length;
    if (bytes > room.bytes) throw room.full();
    digest.update(encoded);
    await draft.write(encoded);
    await witness?.pause();
  }
  if (wrong > 0) throw invalidRows(wrong, mistakes);
  if (rows === 0) throw new Refusal('dataset_empty');
  return { hash: digest.digest('hex'), rows, bytes };
}

function invalidRows(wrong: number, mistakes: Mistake[]): Refusal {
  const count = wrong >= mostCountedMistakes ? `at least ${mostCountedMistakes}` : wrong;
  const rest = wrong - mistakes.length;
  const more =
    rest > 0
      ? [
          {
            loc: mistakes[0]!.loc.slice(0, -1),
            msg: `and ${wrong >= mostCountedMistakes ? 'at least ' : ''}${rest} more rows`,
            type: 'more',
          },
        ]
      : [];
  return new Refusal(
    'rows_invalid',
    { count, summary: mistakes[0]?.msg ?? '' },
    { mistakes: [...mistakes, ...more] },
  ) as Refusal;
}

function shown(row: Row): Dataset {
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
