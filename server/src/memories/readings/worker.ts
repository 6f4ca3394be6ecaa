// Background worker that reads documents for memories, one file per transaction: the proposals of a file and the position of the next file
// are stored together, so that a crash neither loses nor duplicates anything. Afterwards it handles deleted documents.
import { maxAskedPassages, maxReadFacts, maxReadPassages } from '@lorekeep/contract';
import type { FastifyBaseLogger } from 'fastify';
import { factsOfDocument, skippedCounts } from '../../documents/facts/facts.ts';
import type { FoundFact } from '../../documents/facts/found-fact.ts';
import type { StoredPassage } from '../../documents/stored-passages.ts';
import { BackgroundTasks } from '../../leases/background.ts';
import type { Store } from '../../store/database.ts';
import type { Change } from '../memory-store.ts';
import { recordCreated } from '../proposals/proposals.ts';
import { propose } from '../proposals/propose.ts';
import { lockForProposals } from '../texts-lock.ts';
import { skippedIn, unreadFiles } from './notices.ts';
import { proposalOf } from './proposal-of.ts';
import type { OwnReading } from './readings.ts';
import { markStale } from './stale.ts';
import { type Written, writtenFacts } from './written.ts';

const readIntervalMs = 1000;
const staleIntervalMs = 5000;
/** Delay until a base that could not be asked is retried. */
const retryDelayMs = 5000;

interface File {
  id: number;
  name: string;
}

interface Facts {
  found: FoundFact[];
  cut: boolean;
  askedCut: boolean;
  over: ReturnType<typeof skippedCounts>;
}

interface Asked {
  model: string;
  accountId: number;
  keyId: number;
}
/** Asks a base; returns its answer as text. */
export type AskModel = (asked: Asked, request: Written, signal: AbortSignal) => Promise<string>;

export class ReadingWorker {
  readonly #store: Store;
  readonly #log: FastifyBaseLogger;
  readonly #tasks: BackgroundTasks;
  readonly #ask: AskModel;
  readonly #stopped = new AbortController();
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, log: FastifyBaseLogger, ask: AskModel) {
    this.#store = store;
    this.#log = log;
    this.#ask = ask;
    this.#tasks = new BackgroundTasks((error) =>
      log.warn({ err: error }, 'reading documents for memories failed; retrying'),
    );
  }

  start(): void {
    this.#tasks.every(readIntervalMs, this.#read);
    this.#tasks.every(staleIntervalMs, this.#stale);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#tasks.stop();
  }

  wake(): void {
    this.#tasks.run(this.#read);
  }

  readonly #stale = async (): Promise<void> => {
    await markStale(this.#store, async (file) => await factsStatedIn(this.#store, file), this.#log);
  };

  readonly #read = async (): Promise<void> => {
    const readings = await this.#store.db
      .selectFrom('memory_readings')
      .selectAll()
      .where('state', '=', 'running')
      .orderBy('id')
      .execute();
    let isMore = false;
    let failure: { error: unknown } | undefined;
    // One file of each reading in turn, so that a reading that asks a base for hours, or waits for the engine, delays no other.
    for (const reading of readings) {
      const asksBase = reading.key_id !== null;
      if (asksBase && performance.now() - this.#failedAt < retryDelayMs) continue;
      try {
        isMore = (await this.#step(reading))?.state === 'running' || isMore;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        failure ??= { error };
        if (asksBase) this.#failedAt = performance.now();
      }
      if (this.#stopped.signal.aborted) return;
    }
    if (isMore) this.wake();
    if (failure) throw failure.error;
  };

  async #step(reading: OwnReading): Promise<OwnReading | undefined> {
    const file = await this.#nextFile(reading);
    const facts = file ? await this.#factsOf(reading, file) : undefined;
    return await this.#store.db
      .transaction()
      .execute(async (change) => {
        const memory = await lockForProposals(this.#store, change, reading.memory_id);
        const still = change.selectFrom('memory_readings').selectAll().where('id', '=', reading.id);
        const now = await still.executeTakeFirst();
        // Another server has done it already, or the memory is gone.
        if (!memory || now?.state !== 'running' || now.place !== reading.place) return now;
        if (!file || !facts) return await end(change, now, 'done', await unreadFiles(change, now));
        const room = maxReadFacts - now.proposed;
        const fit = facts.found.filter(({ confidence }) => confidence >= now.min_confidence);
        const proposals = fit.slice(0, room).map((fact) => proposalOf(now, file, fact));
        const outcomes = proposals.length === 0 ? [] : await propose(change, memory, proposals, now.actor);
        const created = outcomes.filter(({ outcome }) => outcome === 'created').length;
        const notices = [
          ...(JSON.parse(now.notices) as string[]),
          ...skippedIn(file.name, facts.over),
          ...(facts.cut ? [`Of ${file.name} the first ${maxReadPassages} passages were read.`] : []),
          ...(facts.askedCut
            ? [`Of ${file.name} the base was asked about the first ${maxAskedPassages} passages of prose.`]
            : []),
        ];
        const next = {
          ...{ place: file.id, files_done: now.files_done + 1, proposed: now.proposed + created },
          ...{ known: now.known + outcomes.length - created, notices: JSON.stringify(notices.slice(0, 100)) },
        };
        await change.updateTable('memory_readings').set(next).where('id', '=', now.id).execute();
        await recordCreated(change, memory, outcomes);
        if (next.proposed >= maxReadFacts)
          return await end(change, { ...now, ...next }, 'done', [`It stopped at ${maxReadFacts} proposals.`]);
        return { ...now, ...next };
      })
      .catch(async (error) => await this.#failed(reading, error));
  }

  async #factsOf(reading: OwnReading, file: File): Promise<Facts> {
    const { found, cut, passages } = await factsStatedIn(this.#store, file);
    const over = skippedCounts(passages, found);
    const memory = await this.#store.db
      .selectFrom('memories')
      .select(['account_id', 'base_model'])
      .where('id', '=', reading.memory_id)
      .executeTakeFirst();
    if (reading.key_id === null || !memory) return { found, cut, askedCut: false, over };
    const asked = { model: memory.base_model, accountId: memory.account_id, keyId: reading.key_id };
    const { signal } = this.#stopped;
    const written = await writtenFacts(
      async (request) => await this.#ask(asked, request, signal),
      passages,
      file.name,
      found,
    );
    return { found: [...found, ...written.found], cut, askedCut: written.cut, over };
  }

  /** Ends a reading if the memory's queue of proposals is full. Any other failure is retried. */
  async #failed(reading: OwnReading, error: unknown): Promise<OwnReading> {
    if ((error as { code?: string }).code !== 'proposals_full') throw error;
    return await this.#store.db
      .transaction()
      .execute(async (change) => await end(change, reading, 'failed', [(error as Error).message]));
  }

  async #nextFile({ index_id, place, only, files_done, files }: OwnReading): Promise<File | undefined> {
    if (files_done >= files) return undefined;
    const wanted = only === null ? undefined : (JSON.parse(only) as number[]).filter((id) => id > place);
    if (wanted?.length === 0) return undefined;
    let query = this.#store.db
      .selectFrom('index_files')
      .innerJoin('indexes', 'indexes.id', 'index_files.index_id')
      .select(['index_files.id', 'index_files.name'])
      .where('index_files.index_id', '=', index_id)
      .where('indexes.deleted_at', 'is', null)
      .where('index_files.state', '=', 'done')
      .where('index_files.id', '>', place);
    if (wanted) query = query.where('index_files.id', 'in', wanted);
    return await query.orderBy('index_files.id').limit(1).executeTakeFirst();
  }
}

async function end(change: Change, reading: OwnReading, state: 'done' | 'failed', more: string[]): Promise<OwnReading> {
  const notices = JSON.stringify([...(JSON.parse(reading.notices) as string[]), ...more].slice(-100));
  const over = { state, notices, finished_at: Date.now() };
  await change.updateTable('memory_readings').set(over).where('id', '=', reading.id).execute();
  return { ...reading, ...over };
}

/** Facts of a file, found without a model. */
async function factsStatedIn(
  store: Store,
  { id, name }: File,
): Promise<{ found: FoundFact[]; cut: boolean; passages: StoredPassage[] }> {
  const rows = await store.db
    .selectFrom('index_passages')
    .select('passage')
    .where('file_id', '=', id)
    .orderBy('number')
    .limit(maxReadPassages + 1)
    .execute();
  const passages = rows.slice(0, maxReadPassages).map(({ passage }) => JSON.parse(passage) as StoredPassage);
  return { found: await factsOfDocument(passages, name), cut: rows.length > maxReadPassages, passages };
}
