// Indexing of one index: reads its files, small ones first, embeds and stores their passages, and finally optimizes and calibrates the
// search. Small files that are added while a large one is read overtake it between its batches. Stored passages are never
// computed again: after a kill the positions of the files (their checkpoints) tell where to resume.
import { hasResult } from '@lorekeep/contract';
import type { DocumentReader } from '@lorekeep/reader';
import type { CallContext } from '../../inference/model-client.ts';
import type { VectorRow } from '../../vectors/vectors.ts';
import { Batch } from './batch.ts';
import { contentsOf, newReader } from './contents.ts';
import type { IndexingDependencies, Interruptions } from './dependencies.ts';
import { vectorsOf } from './embedding.ts';
import {
  activeStatuses,
  type FileChange,
  type HeldFile,
  type LeasedIndex,
  type Measurements,
  type NewEvent,
  TurnEnded,
} from './index-store.ts';
import { deleteIndex, removeFiles } from './removal.ts';
import { count, settle } from './settle.ts';

const eventMs = 1000;
const maxNotices = 100;
/** Number of small files written in one batch. */
const maxFilesPerBatch = 64;
/** Time after which a file is shown as being read. Most files are done earlier. */
const showReadingAfterMs = 300;

export class Indexing {
  readonly #dependencies: IndexingDependencies;
  readonly #index: LeasedIndex;
  readonly #signal: AbortSignal;
  readonly #interruptions: Interruptions;
  readonly #callContext: CallContext;
  /** Files that failed or were removed in this turn. */
  readonly #removed = new Set<number>();
  #hasRead = false;
  /** The files being read: a large one, and a small one that overtakes it. */
  readonly #current: HeldFile[] = [];
  /** Files that may be shown as being read, since their outcome is not written yet. */
  readonly #begun = new Map<number, HeldFile>();
  #batch = new Batch();
  /** Reads the files that overtake another one. */
  #overtaking: DocumentReader | undefined;
  /** The last file that was added so far, which later ones may overtake. */
  #lastKnown = 0;
  /** Stops the delayed write of the state "reading", so that only the outcome is written afterwards. */
  #settleShown: () => Promise<void> = async () => {};
  /** Counts of this turn: newly stored passages, and passages read again that were stored before. */
  #stored = 0;
  #rereadPassages = 0;
  /** The write in flight, while the next passages are read and embedded. */
  #writing: Promise<void> = Promise.resolve();
  #lastEventAt = Number.NEGATIVE_INFINITY;

  constructor(place: IndexingDependencies, index: LeasedIndex, signal: AbortSignal, calls: Interruptions) {
    this.#dependencies = place;
    this.#index = index;
    this.#signal = signal;
    this.#interruptions = calls;
    this.#callContext = { accountId: index.account_id, keyId: index.key_id, signal, queue: 'later' };
  }

  /** Whether this turn made progress: it stored more passages than it had to read again. */
  get gained(): boolean {
    return this.#stored > this.#rereadPassages;
  }

  /** Runs until no work is left. Throws IndexingStoppedError if the index was claimed by another server or cancelled. */
  async work(): Promise<void> {
    try {
      await this.#build();
    } catch (error) {
      // The index is no longer this server's, or the database is down. The next turn will tell.
      await this.#showWaiting([...this.#begun.values()]).catch(() => {});
      throw error;
    }
  }

  async #build(): Promise<void> {
    for (;;) {
      await this.#removeFiles();
      const files = await this.#dependencies.indexStore.unfinished(this.#index.id);
      if (files.length > 0) {
        this.#hasRead = true;
        await this.#setStatus(
          { status: 'LOADING DATA' },
          { kind: 'started', text: `Reading ${count(files.length, 'file')}` },
        );
        await this.#showWaiting(files.filter(({ state }) => state === 'reading'));
        await this.#removeUnrecordedVectors(files);
        await this.#readAll(files);
        // Files that were replaced are removed before the index is at rest.
        continue;
      }
      if (await this.#finish()) return;
    }
  }

  /** Processes removed files only; files to read wait for a slot. */
  async remove(): Promise<void> {
    await this.#removeFiles();
    if ((await this.#dependencies.indexStore.unfinished(this.#index.id)).length === 0) await this.#finish();
  }

  /** Cancels unfinished files. Finished files stay searchable. */
  async cancel(): Promise<void> {
    await this.#dropFiles(await this.#dependencies.indexStore.unfinished(this.#index.id), 'cancelled', null);
    await this.#removeFiles();
    await this.#finish(true);
  }

  /** Fails the index if nothing can be embedded, for example because its model is gone. */
  async fail(reason: string): Promise<void> {
    await this.#dropFiles(await this.#dependencies.indexStore.unfinished(this.#index.id), 'failed', reason);
    await this.#finish();
  }

  async delete(): Promise<void> {
    await deleteIndex(this.#dependencies, this.#index);
  }

  /** Removes vectors that were written just before a server died and have no record. */
  async #removeUnrecordedVectors(files: HeldFile[]): Promise<void> {
    await this.#dependencies.vectors.removeFrom(
      this.#index.vectors,
      files.map(({ id, passages }) => ({ file: id, from: passages })),
    );
  }

  async #readAll(files: HeldFile[]): Promise<void> {
    this.#lastKnown = Math.max(...files.map(({ id }) => id));
    const reader = await this.#newReader();
    try {
      await this.#readEach(reader, files);
      await this.#flush();
      await this.#writing;
    } finally {
      await this.#writing.catch(() => {});
      await reader.close();
      await this.#overtaking?.close();
      this.#overtaking = undefined;
    }
  }

  async #newReader(): Promise<DocumentReader> {
    return await newReader(this.#dependencies, this.#index, () => this.#current.at(-1), this.#signal);
  }

  async #readEach(reader: DocumentReader, files: HeldFile[]): Promise<void> {
    for (const file of files.toSorted((one, other) => one.bytes - other.bytes)) {
      if (this.#removed.has(file.id)) continue;
      await this.#reportWhileReading(file, async (since) => {
        this.#batch.change(file.id, { state: 'reading', started_at: since });
        await this.#read(reader, file);
      });
      this.#stored++;
      if (this.#batch.files.size >= maxFilesPerBatch) await this.#flush();
      await this.#checkpoint();
    }
  }

  async #flush(): Promise<void> {
    const full = this.#batch;
    this.#batch = new Batch();
    if (!full.empty) await this.#store(full);
  }

  /** Between two batches of a file: reads the smaller ones that were added meanwhile. */
  async #letOvertake(file: HeldFile): Promise<void> {
    if (this.#current.length > 1) return;
    const files = await this.#dependencies.indexStore.addedSince(this.#index.id, this.#lastKnown, file.bytes);
    if (files.length === 0) return;
    this.#lastKnown = Math.max(...files.map(({ id }) => id));
    this.#overtaking ??= await this.#newReader();
    await this.#readEach(this.#overtaking, files);
    await this.#flush();
  }

  /** Checkpoint between files and between batches: processes removals, and yields to other indexes. */
  async #checkpoint(): Promise<void> {
    const isOver = this.#interruptions.giveWay;
    if (!isOver && !this.#interruptions.remove) return;
    await this.#flush();
    await this.#writing;
    if (this.#interruptions.remove) await this.#removeFiles();
    if (isOver) throw new TurnEnded();
  }

  async #read(reader: DocumentReader, file: HeldFile): Promise<void> {
    const notices: string[] = [];
    let pages = 0;
    for await (const found of contentsOf(this.#dependencies, reader, file, this.#signal)) {
      const named = (text: string) => (found.part ? `${found.part}: ${text}` : text);
      if (found.type === 'unreadable') {
        this.#batch.forget(file.id);
        await this.#writing;
        await this.#dropFiles([file], 'failed', found.reason);
        return;
      }
      if (found.type === 'passage') {
        // Passages before the position are stored already.
        if (found.number >= file.passages) this.#batch.add(file.id, found);
        else this.#rereadPassages++;
        if (!this.#batch.full) continue;
        await this.#flush();
        await this.#checkpoint();
        await this.#letOvertake(file);
        // The file was removed, or refused by the engine.
        if (this.#removed.has(file.id)) return;
      } else if (found.type === 'kind' && !found.part) this.#batch.change(file.id, { kind: found.kind });
      else if (found.type === 'title' && !found.part) this.#batch.change(file.id, { title: found.title.slice(0, 500) });
      else if (found.type === 'notice' && notices.length < maxNotices) notices.push(named(found.text));
      else if (found.type === 'read') {
        if (!found.part) this.#batch.change(file.id, { bytes_read: found.bytes });
      } else if (found.type === 'page') {
        const share = found.pages && !found.part ? Math.min(1, found.page / found.pages) : undefined;
        this.#batch.change(file.id, {
          pages_done: ++pages,
          ...(share !== undefined && { pages: found.pages, bytes_read: Math.floor(share * file.bytes) }),
        });
        await this.#logProgress(file, pages);
      }
    }
    this.#batch.change(file.id, {
      state: 'done',
      finished_at: Date.now(),
      notices: JSON.stringify(notices),
      ...(pages > 0 && { pages }),
    });
    this.#batch.events.push({ kind: 'file', text: `Read ${file.name}`, data: { file_id: file.id } });
  }

  /** Reads a file. If that takes a while, its state "reading" is shown, even before any passage. */
  async #reportWhileReading(file: HeldFile, read: (since: number) => Promise<void>): Promise<void> {
    const since = Date.now();
    this.#current.push(file);
    this.#begun.set(file.id, file);
    const settleOuter = this.#settleShown;
    let showing: Promise<void> = Promise.resolve();
    const timer = setTimeout(() => {
      const files: FileChange[] = [{ id: file.id, state: 'reading', started_at: since }];
      const events = [{ kind: 'file', text: `Reading ${file.name}`, data: { file_id: file.id } }];
      // If the index was lost to another server, the next step reports it.
      showing = this.#dependencies.indexStore.write(this.#index.id, { files, events }).catch(() => {});
    }, showReadingAfterMs);
    this.#settleShown = async () => {
      clearTimeout(timer);
      await showing;
    };
    try {
      await read(since);
      this.#current.pop();
    } finally {
      await this.#settleShown();
      this.#settleShown = settleOuter;
    }
  }

  async #showWaiting(files: HeldFile[]): Promise<void> {
    if (files.length === 0) return;
    const changes: FileChange[] = files.map(({ id }) => ({ id, state: 'waiting', started_at: null }));
    await this.#dependencies.indexStore.write(this.#index.id, { files: changes });
  }

  /** Stores the progress of a long file at intervals. */
  async #logProgress({ id, name }: HeldFile, pages: number): Promise<void> {
    if (performance.now() - this.#lastEventAt < eventMs) return;
    this.#lastEventAt = performance.now();
    // The position advances only together with its passages.
    const files = [...this.#batch.files.values()].map(({ passages, state, ...change }) => change);
    const text = `${count(pages, 'page')} of ${name} read`;
    await this.#dependencies.indexStore.write(this.#index.id, {
      files,
      events: [{ kind: 'pages', text, data: { file_id: id } }],
    });
  }

  /** Embeds new texts, then writes: vectors first, so that a position never covers missing vectors. */
  async #store(batch: Batch): Promise<void> {
    const { vectors, refused } = await vectorsOf(this.#dependencies, this.#index, batch.passages, this.#callContext);
    await this.#writing;
    this.#signal.throwIfAborted();
    for (const { file, embedded } of [...batch.passages]) {
      const reason = refused.get(embedded);
      if (reason === undefined || !batch.files.has(file)) continue;
      batch.forget(file);
      await this.#dropFiles(
        [await this.#dependencies.indexStore.file(file)],
        'failed',
        `a part of it cannot be embedded: ${reason}`,
      );
    }
    this.#stored += batch.passages.length;
    this.#writing = this.#write(batch, vectors);
    // The next awaiter sees the rejection; this only silences unhandledRejection.
    this.#writing.catch(() => {});
  }

  async #write(batch: Batch, vectors: Map<string, Float32Array>): Promise<void> {
    const rows: VectorRow[] = batch.passages.map(({ file, number, hash, text, embedded }) => ({
      ...{ file, number, hash, text },
      vector: vectors.get(embedded)!,
    }));
    await this.#dependencies.vectors.add(this.#index.vectors, rows);
    const stored = batch.passages.length;
    const events = stored > 0 ? [{ kind: 'passages', text: `${count(stored, 'passage')} embedded` }] : [];
    await this.#dependencies.indexStore.write(this.#index.id, {
      passages: batch.passages.map(({ file, number, embedded, passage }) => {
        const { type, number: _, ...content } = passage as typeof passage & { type?: string };
        return { file_id: file, number, embedded, passage: JSON.stringify(content) };
      }),
      files: [...batch.files.values()],
      events: [...events, ...batch.events],
    });
    for (const { id, state } of batch.files.values()) if (state === 'done') this.#begun.delete(id);
  }

  /** Marks files as failed: removes their vectors, then their passages, then stores the reason. */
  async #dropFiles(files: HeldFile[], state: 'failed' | 'cancelled', reason: string | null): Promise<void> {
    if (files.length === 0) return;
    await this.#settleShown();
    const { indexStore, vectors } = this.#dependencies;
    const ids = files.map(({ id }) => id);
    await vectors.removeFrom(
      this.#index.vectors,
      ids.map((file) => ({ file, from: 0 })),
    );
    await indexStore.dropPassages(this.#index.id, ids);
    const changes: FileChange[] = ids.map((id) => ({ id, state, reason, passages: 0, finished_at: Date.now() }));
    const events = files.map(({ id, name }) => ({
      kind: 'file',
      text: state === 'failed' ? `${name} failed: ${reason}` : `${name} was cancelled`,
      data: { file_id: id },
    }));
    await indexStore.write(this.#index.id, { files: changes, events, always: true });
    for (const id of ids) this.#removed.add(id);
    for (const id of ids) this.#begun.delete(id);
  }

  async #removeFiles(): Promise<void> {
    this.#interruptions.remove = false;
    for (const { id } of await removeFiles(this.#dependencies, this.#index)) this.#removed.add(id);
  }

  async #finish(cancelled = false): Promise<boolean> {
    const { indexStore } = this.#dependencies;
    const { id } = this.#index;
    const counts = await indexStore.counts(id);
    const done = counts.get('done') ?? 0;
    const failed = counts.get('failed') ?? 0;
    const events: NewEvent[] = [];
    let measured = JSON.parse(this.#index.measured) as Measurements;
    if (done > 0 && !cancelled) {
      await this.#setStatus({ status: 'SAVING MODEL' }, { kind: 'settling', text: 'Putting the index in order' });
    }
    if (done > 0) {
      const lostAlone = !this.#hasRead && !activeStatuses.includes(this.#index.status);
      const settled = await settle(this.#dependencies, this.#index, this.#callContext, { cancelled, lostAlone });
      measured = settled.measured;
      events.push({ kind: 'measured', text: settled.message });
    }
    const first = failed > 0 ? (await indexStore.files(id, 'failed'))[0] : undefined;
    const status = cancelled ? 'CANCELLED' : failed === 0 ? 'COMPLETED' : done === 0 ? 'FAILED' : 'PARTIALLY COMPLETED';
    const error = first
      ? `${failed === 1 ? '' : `${failed} files failed, the first of them: `}${first.name}: ${first.reason}`
      : null;
    const askable = hasResult(status) || (cancelled && done > 0);
    events.push({ kind: 'status', text: status, data: { status } });
    return await indexStore.finish(
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

  async #setStatus(index: Partial<LeasedIndex>, event: NewEvent): Promise<void> {
    const data = index.status ? { status: index.status } : {};
    await this.#dependencies.indexStore.write(this.#index.id, { index, events: [{ ...event, data }] });
  }
}
