// Indexing of one index: reads its files one by one, embeds and stores their passages, and finally optimizes and calibrates the search.
// Stored passages are never computed again: after a kill the positions of the files (their checkpoints) tell where to resume.
import { hasResult, Refusal } from '@lorekeep/contract';
import { DocumentReader, defaultPassageLimits, type ReadEvent, Unreadable } from '@lorekeep/reader';
import type { LocalFile } from '../../blobs/blobs.ts';
import { checkedFile } from '../../blobs/checked.ts';
import { childEnvironment } from '../../engine/child-environment.ts';
import type { CallContext } from '../../inference/model-client.ts';
import type { VectorRow } from '../../vectors/vectors.ts';
import { Batch } from './batch.ts';
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
import { newScratch } from './scratch.ts';
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
  /** The file being read. */
  #current: HeldFile | undefined;
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
      if (this.#current) await this.#showWaiting([this.#current]).catch(() => {});
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
    const { scratch, tokenizer, limits, log } = this.#dependencies;
    const { embedder, account_id: accountId } = this.#index;
    const reader = new DocumentReader({
      scratch: newScratch(scratch),
      environment: childEnvironment('read'),
      passages: { tokenizer: await tokenizer(embedder, accountId, this.#signal), limits: defaultPassageLimits },
      ...(limits && { limits }),
      onCrash: (output) => {
        const facts = { index: this.#index.id, file: this.#current?.name, output };
        log.warn(facts, 'the process that reads documents ended unexpectedly; these are its last words');
      },
    });
    let batch = new Batch();
    const flush = async () => {
      const full = batch;
      batch = new Batch();
      if (!full.empty) await this.#store(full);
    };
    try {
      for (const file of files) {
        if (this.#removed.has(file.id)) continue;
        await this.#reportWhileReading(file, async (since) => {
          batch.change(file.id, { state: 'reading', started_at: since });
          await this.#read(reader, file, () => batch, flush);
        });
        this.#stored++;
        if (batch.files.size >= maxFilesPerBatch) await flush();
        await this.#checkpoint(flush);
      }
      await flush();
      await this.#writing;
    } finally {
      await this.#writing.catch(() => {});
      await reader.close();
    }
  }

  /** Checkpoint between files and between batches: processes removals, and yields to other indexes. */
  async #checkpoint(flush: () => Promise<void>): Promise<void> {
    const isOver = this.#interruptions.giveWay;
    if (!isOver && !this.#interruptions.remove) return;
    await flush();
    await this.#writing;
    if (this.#interruptions.remove) await this.#removeFiles();
    if (isOver) throw new TurnEnded();
  }

  async #read(reader: DocumentReader, file: HeldFile, batch: () => Batch, flush: () => Promise<void>): Promise<void> {
    const notices: string[] = [];
    let pages = 0;
    for await (const found of this.#contents(reader, file)) {
      const named = (text: string) => (found.part ? `${found.part}: ${text}` : text);
      if (found.type === 'unreadable') {
        batch().forget(file.id);
        await this.#writing;
        await this.#dropFiles([file], 'failed', found.reason);
        return;
      }
      if (found.type === 'passage') {
        // Passages before the position are stored already.
        if (found.number >= file.passages) batch().add(file.id, found);
        else this.#rereadPassages++;
        if (!batch().full) continue;
        await flush();
        await this.#checkpoint(flush);
        // The file was removed, or refused by the engine.
        if (this.#removed.has(file.id)) return;
      } else if (found.type === 'kind' && !found.part) batch().change(file.id, { kind: found.kind });
      else if (found.type === 'title' && !found.part) batch().change(file.id, { title: found.title.slice(0, 500) });
      else if (found.type === 'notice' && notices.length < maxNotices) notices.push(named(found.text));
      else if (found.type === 'page') {
        batch().change(file.id, { pages_done: ++pages, ...(found.pages && !found.part && { pages: found.pages }) });
        await this.#logProgress(batch(), file, pages);
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

  /** Reads a file. If that takes a while, its state "reading" is shown, even before any passage. */
  async #reportWhileReading(file: HeldFile, read: (since: number) => Promise<void>): Promise<void> {
    const since = Date.now();
    this.#current = file;
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
      this.#current = undefined;
    } finally {
      await this.#settleShown();
    }
  }

  async #showWaiting(files: HeldFile[]): Promise<void> {
    if (files.length === 0) return;
    const changes: FileChange[] = files.map(({ id }) => ({ id, state: 'waiting', started_at: null }));
    await this.#dependencies.indexStore.write(this.#index.id, { files: changes });
  }

  /**
   * The contents of a file, and at the end the reason if it cannot be read. A failure in the consumer, the engine or a
   * write is no fault of the file.
   */
  async *#contents(
    reader: DocumentReader,
    file: HeldFile,
  ): AsyncGenerator<ReadEvent | { type: 'unreadable'; part?: never; reason: string }> {
    const { blobs, log } = this.#dependencies;
    let stored: LocalFile | undefined;
    try {
      stored = await checkedFile(blobs, { what: 'document', ...file });
      yield* reader.read({ path: stored.path, name: file.name }, this.#signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      // Not the file's fault; it is read when the storage is back.
      if (error instanceof Refusal && error.code === 'storage_unavailable') throw error;
      if (error instanceof Refusal && error.code === 'data_damaged') {
        log.warn({ err: error }, error.message);
        yield { type: 'unreadable', reason: `${error.message} Send it again.` };
        return;
      }
      if (!(error instanceof Unreadable)) log.warn({ err: error }, 'a document could not be read');
      const reason =
        error instanceof Unreadable ? error.message : 'it could not be read on this server; the log shows the reason';
      yield { type: 'unreadable', reason };
    } finally {
      await stored?.release();
    }
  }

  /** Stores the progress of a long file at intervals. */
  async #logProgress(batch: Batch, { id, name }: HeldFile, pages: number): Promise<void> {
    if (performance.now() - this.#lastEventAt < eventMs) return;
    this.#lastEventAt = performance.now();
    // The position advances only together with its passages.
    const files = [...batch.files.values()].map(({ passages, state, ...change }) => change);
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
