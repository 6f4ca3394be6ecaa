// The work on one index: its files are read one after the other, their passages embedded and stored, and at the end everything is put in order
// and measured. What is stored is never computed again: after a kill the marks of the files say where to go on.
import type { Blobs } from '../../blobs/blobs.ts';
import type { Asker, Asking } from '../../completions/asking.ts';
import { defaultPassageLimits } from '../passages/cut.ts';
import { Unreadable } from '../reading/failures.ts';
import type { Limits } from '../reading/limits.ts';
import { DocumentReader, type Reading } from '../reading/read.ts';
import { newScratch } from '../reading/scratch.ts';
import type { VectorRow, Vectors } from '../vectors/vectors.ts';
import { Batch } from './batch.ts';
import { vectorsOf } from './embedding.ts';
import {
  atWork,
  type FileChange,
  type HeldFile,
  type HeldIndex,
  type IndexLedger,
  type Measurements,
  type NewEvent,
  newVectorsName,
  TurnOver,
} from './ledger.ts';
import { count, settle } from './settle.ts';

const tellEvery = 1000;
const mostNotices = 100;
/** Of so many small files at once the beginning is noted in one write. */
const textsAtOnce = 64;
/** Passages of a turn, when others wait. A file counts as some of them, whatever it holds. */
const turn = 1024;
const fileCounts = 16;

export interface Workplace {
  ledger: IndexLedger;
  vectors: Vectors;
  blobs: Blobs;
  asking: Asking;
  /** A folder for what readers unpack; each gets one of its own in it. */
  scratch: string;
  /** The tokenizer.json of an embedder. */
  tokenizer(embedder: string, accountId: number, signal: AbortSignal): Promise<string>;
  limits?: Partial<Limits>;
  log: { warn(facts: object, text: string): void };
}

/** What a work is told while it goes on, and looks for between files and between batches. */
export interface Calls {
  /** Files were removed. */
  remove: boolean;
  othersWait: boolean;
}

export class Indexing {
  readonly #place: Workplace;
  readonly #index: HeldIndex;
  readonly #signal: AbortSignal;
  readonly #calls: Calls;
  readonly #asker: Asker;
  /** Files that came to nothing or were removed while they were to be read. */
  readonly #gone = new Set<number>();
  #hasRead = false;
  /** Passages of this turn: those that were stored, and those that were stored before and only read once more. */
  #stored = 0;
  #passedOver = 0;
  /** The write that is under way while the next passages are read and embedded. */
  #writing: Promise<void> = Promise.resolve();
  #told = Number.NEGATIVE_INFINITY;

  constructor(place: Workplace, index: HeldIndex, signal: AbortSignal, calls: Calls) {
    this.#place = place;
    this.#index = index;
    this.#signal = signal;
    this.#calls = calls;
    this.#asker = { accountId: index.account_id, keyId: index.key_id, signal, queue: 'later' };
  }

  /** Until nothing is left to do. Throws NotHeld when somebody else is to say how it goes on. */
  async work(): Promise<void> {
    for (;;) {
      await this.#removeFiles();
      const files = await this.#place.ledger.unfinished(this.#index.id);
      if (files.length > 0) {
        this.#hasRead = true;
        await this.#say(
          { status: 'LOADING DATA' },
          { kind: 'started', text: `Reading ${count(files.length, 'file')}` },
        );
        await this.#sweepBehindMarks(files);
        await this.#readAll(files);
      }
      if (await this.#finish()) return;
    }
  }

  /** Files that somebody removed, and nothing else: what is to be read waits for its turn. */
  async remove(): Promise<void> {
    await this.#removeFiles();
    if ((await this.#place.ledger.unfinished(this.#index.id)).length === 0) await this.#finish();
  }

  /** What is not through is cancelled; what is through stays and can be asked. */
  async cancel(): Promise<void> {
    await this.#dropFiles(await this.#place.ledger.unfinished(this.#index.id), 'cancelled', null);
    await this.#removeFiles();
    await this.#finish(true);
  }

  /** What cannot be embedded, such as for a model that is gone, comes to nothing. */
  async fail(reason: string): Promise<void> {
    await this.#dropFiles(await this.#place.ledger.unfinished(this.#index.id), 'failed', reason);
    await this.#finish();
  }

  /** Vectors, files and at last the record. */
  async delete(): Promise<void> {
    const { ledger, vectors, blobs } = this.#place;
    await vectors.drop(this.#index.vectors);
    if (this.#index.vectors_spare !== null) await vectors.drop(this.#index.vectors_spare);
    const files = await ledger.files(this.#index.id, 'waiting', 'reading', 'done', 'failed', 'cancelled', 'deleting');
    for (const { blob } of files) await blobs.remove(blob);
    await ledger.dropIndex(this.#index.id);
  }

  /** Rows that were written just before a server died, and of which no record was made. */
  async #sweepBehindMarks(files: HeldFile[]): Promise<void> {
    await this.#place.vectors.removeFrom(
      this.#index.vectors,
      files.map(({ id, passages }) => ({ file: id, from: passages })),
    );
  }

  async #readAll(files: HeldFile[]): Promise<void> {
    const { scratch, tokenizer, limits } = this.#place;
    const { embedder, account_id: accountId } = this.#index;
    const reader = new DocumentReader({
      scratch: newScratch(scratch),
      passages: { tokenizer: await tokenizer(embedder, accountId, this.#signal), limits: defaultPassageLimits },
      ...(limits && { limits }),
    });
    let batch = new Batch();
    const flush = async () => {
      const full = batch;
      batch = new Batch();
      if (!full.empty) await this.#store(full);
    };
    try {
      for (const file of files) {
        if (this.#gone.has(file.id)) continue;
        await this.#read(reader, file, () => batch, flush);
        this.#stored += fileCounts;
        if (batch.files.size >= textsAtOnce) await flush();
        await this.#makeWay(flush);
      }
      await flush();
      await this.#writing;
    } finally {
      await this.#writing.catch(() => {});
      await reader.close();
    }
  }

  /** Between files and between batches of a long one: what was removed goes, and others have their turn. */
  async #makeWay(flush: () => Promise<void>): Promise<void> {
    // What is read again up to its mark costs something: at least as much is to be gained by it.
    const isOver = this.#calls.othersWait && this.#stored >= Math.max(turn, this.#passedOver);
    if (!isOver && !this.#calls.remove) return;
    await flush();
    await this.#writing;
    if (this.#calls.remove) await this.#removeFiles();
    if (isOver) throw new TurnOver();
  }

  async #read(reader: DocumentReader, file: HeldFile, batch: () => Batch, flush: () => Promise<void>): Promise<void> {
    const notices: string[] = [];
    let pages = 0;
    batch().change(file.id, { state: 'reading' });
    for await (const found of this.#found(reader, file)) {
      const named = (text: string) => (found.part ? `${found.part}: ${text}` : text);
      if (found.type === 'unreadable') {
        batch().forget(file.id);
        await this.#writing;
        await this.#dropFiles([file], 'failed', found.reason);
        return;
      }
      if (found.type === 'passage') {
        // What stands before the mark is stored.
        if (found.number >= file.passages) batch().add(file.id, found);
        else this.#passedOver++;
        if (!batch().full) continue;
        await flush();
        await this.#makeWay(flush);
        // Removed, or refused by the engine.
        if (this.#gone.has(file.id)) return;
      } else if (found.type === 'kind' && !found.part) batch().change(file.id, { kind: found.kind });
      else if (found.type === 'title' && !found.part) batch().change(file.id, { title: found.title.slice(0, 500) });
      else if (found.type === 'notice' && notices.length < mostNotices) notices.push(named(found.text));
      else if (found.type === 'page') {
        batch().change(file.id, { pages_done: ++pages, ...(found.pages && !found.part && { pages: found.pages }) });
        await this.#tell(batch());
      }
    }
    batch().change(file.id, {
      state: 'done',
      finished_at: Date.now(),
      notices: JSON.stringify(notices),
      ...(pages > 0 && { pages }),
    });
    batch().events.push({ kind: 'file', text: `Read ${file.name}`, data: { file_id: file.id } });
  }

  /** What is read in a file, or at last why it cannot be read. What fails with the found, the engine or a write, is no fault of the file. */
  async *#found(
    reader: DocumentReader,
    file: HeldFile,
  ): AsyncGenerator<Reading | { type: 'unreadable'; part?: never; reason: string }> {
    const { blobs, log } = this.#place;
    try {
      yield* reader.read({ path: blobs.path(file.blob), name: file.name }, this.#signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof Unreadable)) log.warn({ err: error }, 'a document could not be read');
      const reason = error instanceof Unreadable ? error.message : 'the reading of it failed here; the log says more';
      yield { type: 'unreadable', reason };
    }
  }

  /** How far a long file is, now and then. */
  async #tell(batch: Batch): Promise<void> {
    if (performance.now() - this.#told < tellEvery) return;
    this.#told = performance.now();
    // Marks move with their passages alone.
    const files = [...batch.files.values()].map(({ passages, state, ...change }) => change);
    const [first] = files;
    await this.#place.ledger.write(this.#index.id, {
      files,
      events: first ? [{ kind: 'pages', text: `${first.pages_done} pages read`, data: { file_id: first.id } }] : [],
    });
  }

  /** Embeds what is new, then writes: vectors first, so that a mark never speaks of what is not there. */
  async #store(batch: Batch): Promise<void> {
    const { vectors, refused } = await vectorsOf(this.#place, this.#index, batch.passages, this.#asker);
    await this.#writing;
    this.#signal.throwIfAborted();
    for (const { file, embedded } of [...batch.passages]) {
      const reason = refused.get(embedded);
      if (reason === undefined || !batch.files.has(file)) continue;
      batch.forget(file);
      await this.#dropFiles(
        [await this.#place.ledger.file(file)],
        'failed',
        `a part of it cannot be embedded: ${reason}`,
      );
    }
    this.#stored += batch.passages.length;
    this.#writing = this.#write(batch, vectors);
    // Whoever waits for it next is told.
    this.#writing.catch(() => {});
  }

  async #write(batch: Batch, vectors: Map<string, Float32Array>): Promise<void> {
    const rows: VectorRow[] = batch.passages.map(({ file, number, hash, text, embedded }) => ({
      ...{ file, number, hash, text },
      vector: vectors.get(embedded)!,
    }));
    await this.#place.vectors.add(this.#index.vectors, rows);
    const stored = batch.passages.length;
    const events = stored > 0 ? [{ kind: 'passages', text: `${count(stored, 'passage')} embedded` }] : [];
    await this.#place.ledger.write(this.#index.id, {
      passages: batch.passages.map(({ file, number, embedded, passage }) => {
        const { type, number: _, ...kept } = passage as typeof passage & { type?: string };
        return { file_id: file, number, embedded, passage: JSON.stringify(kept) };
      }),
      files: [...batch.files.values()],
      events: [...events, ...batch.events],
    });
  }

  /** Files that come to nothing: their vectors first, then their passages, then the reason. */
  async #dropFiles(files: HeldFile[], state: 'failed' | 'cancelled', reason: string | null): Promise<void> {
    if (files.length === 0) return;
    const { ledger, vectors } = this.#place;
    const ids = files.map(({ id }) => id);
    await vectors.removeFrom(
      this.#index.vectors,
      ids.map((file) => ({ file, from: 0 })),
    );
    await ledger.dropPassages(this.#index.id, ids);
    const changes: FileChange[] = ids.map((id) => ({ id, state, reason, passages: 0, finished_at: Date.now() }));
    const events = files.map(({ id, name }) => ({
      kind: 'file',
      text: state === 'failed' ? `${name} failed: ${reason}` : `${name} was cancelled`,
      data: { file_id: id },
    }));
    await ledger.write(this.#index.id, { files: changes, events, always: true });
    for (const id of ids) this.#gone.add(id);
  }

  /** Files that somebody removed: until this is through nobody sees them. */
  async #removeFiles(): Promise<void> {
    const { ledger, vectors, blobs } = this.#place;
    const { id } = this.#index;
    this.#calls.remove = false;
    await this.#dropSpare();
    const files = await ledger.files(id, 'deleting');
    if (files.length === 0) return;
    const before = this.#index.vectors;
    await vectors.removeFrom(
      before,
      files.map((file) => ({ file: file.id, from: 0 })),
    );
    // Other servers sweep away what no record names.
    const fresh = newVectorsName();
    await this.#change({ vectors_spare: fresh });
    const left = await vectors.purge(before, fresh);
    await this.#change({ vectors: left, vectors_spare: left === before ? null : before });
    await this.#dropSpare();
    for (const { blob } of files) await blobs.remove(blob);
    await ledger.dropFiles(
      id,
      files.map((file) => file.id),
    );
    for (const file of files) this.#gone.add(file.id);
    const events = files.map(({ name }) => ({ kind: 'file', text: `${name} was removed` }));
    await ledger.write(id, { events, always: true });
  }

  /** A copy that was not completed, or what was copied. */
  async #dropSpare(): Promise<void> {
    if (this.#index.vectors_spare === null) return;
    await this.#place.vectors.drop(this.#index.vectors_spare);
    await this.#change({ vectors_spare: null });
  }

  async #change(index: Partial<Pick<HeldIndex, 'vectors' | 'vectors_spare'>>): Promise<void> {
    await this.#place.ledger.write(this.#index.id, { index, always: true });
    Object.assign(this.#index, index);
  }

  async #finish(cancelled = false): Promise<boolean> {
    const { ledger } = this.#place;
    const { id } = this.#index;
    const counts = await ledger.counts(id);
    const done = counts.get('done') ?? 0;
    const failed = counts.get('failed') ?? 0;
    const events: NewEvent[] = [];
    let measured = JSON.parse(this.#index.measured) as Measurements;
    if (done > 0 && !cancelled) {
      await this.#say({ status: 'SAVING MODEL' }, { kind: 'settling', text: 'Putting the index in order' });
    }
    if (done > 0) {
      const lostAlone = !this.#hasRead && !atWork.includes(this.#index.status);
      const settled = await settle(this.#place, this.#index, this.#asker, { cancelled, lostAlone });
      measured = settled.measured;
      events.push({ kind: 'measured', text: settled.told });
    }
    const first = failed > 0 ? (await ledger.files(id, 'failed'))[0] : undefined;
    const status = cancelled ? 'CANCELLED' : failed === 0 ? 'COMPLETED' : done === 0 ? 'FAILED' : 'PARTIALLY COMPLETED';
    const error = first
      ? `${failed === 1 ? '' : `${failed} files failed, the first of them: `}${first.name}: ${first.reason}`
      : null;
    const askable = status === 'COMPLETED' || status === 'PARTIALLY COMPLETED' || (cancelled && done > 0);
    events.push({ kind: 'status', text: status, data: { status } });
    return await ledger.finish(
      id,
      {
        status,
        error,
        measured: JSON.stringify(measured),
        ...(askable && { ready_at: this.#index.ready_at ?? Date.now() }),
      },
      events,
    );
  }

  async #say(index: Partial<HeldIndex>, event: NewEvent): Promise<void> {
    const data = index.status ? { status: index.status } : {};
    await this.#place.ledger.write(this.#index.id, { index, events: [{ ...event, data }] });
  }
}
