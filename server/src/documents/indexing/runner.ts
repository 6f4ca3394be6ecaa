// Works on indexes in the background: takes those that need work and that nobody works on, says that it still does, and sweeps what is left over.
import { Refusal } from '@lorekeep/contract';
import { sql } from 'kysely';
import { Chores } from '../../servers/chores.ts';
import { sweepScratch } from '../reading/scratch.ts';
import { type Calls, Indexing, type Workplace } from './indexing.ts';
import { type HeldIndex, NotHeld, TurnOver } from './ledger.ts';

const lookEvery = 1_000;
const sweepEvery = 60_000;
/** Each has a process that reads. The engine embeds for one after the other. */
const atOnce = 2;
/** What takes away, and is waited for, has places of its own: it never stands behind what is built. */
const endingsAtOnce = 2;

interface Running {
  stop: AbortController;
  ended: Promise<void>;
  calls: Calls;
  isEnding: boolean;
}

export class IndexRunner {
  readonly #place: Workplace;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<number, Running>();
  /** Those that gave way to others, which come first. */
  readonly #had = new Set<number>();
  readonly #chores: Chores;

  constructor(place: Workplace, onError: (error: unknown) => void) {
    this.#place = place;
    this.#onError = onError;
    this.#chores = new Chores(onError);
  }

  start(): void {
    this.#chores.every(sweepEvery, this.sweep);
    this.#chores.every(lookEvery, this.#look);
  }

  /** There may be something to do, or to stop. */
  look(): void {
    this.#chores.do(this.#look);
  }

  readonly #look = async (): Promise<void> => {
    const { ledger } = this.#place;
    const ids = [...this.#running.keys()];
    const kept = await ledger.kept(ids);
    const removing = await ledger.removing(ids);
    for (const [id, { stop, calls }] of this.#running) {
      if (!kept.has(id)) stop.abort(new NotHeld());
      if (removing.has(id)) calls.remove = true;
    }
    const endings = endingsAtOnce - this.#count(true);
    for (const index of await ledger.takeEnding(endings, this.#running.keys())) this.#begin(index, true);
    await this.#build();
    const othersWait = this.#count(false) >= atOnce && (await ledger.holding.waits(this.#running.keys()));
    for (const { calls } of this.#running.values()) calls.othersWait = othersWait;
  };

  /** Those that have not had their turn come first; when all have, it begins anew. */
  async #build(): Promise<void> {
    const { holding } = this.#place.ledger;
    const most = () => atOnce - this.#count(false);
    const others = sql`id not in (${sql.join([0, ...this.#had])})`;
    for (const index of await holding.take(most(), this.#running.keys(), others)) this.#begin(index, false);
    if (most() <= 0) return;
    this.#had.clear();
    for (const index of await holding.take(most(), this.#running.keys())) this.#begin(index, false);
  }

  #count(endings: boolean): number {
    return [...this.#running.values()].filter(({ isEnding }) => isEnding === endings).length;
  }

  #begin(index: HeldIndex, isEnding: boolean): void {
    const stop = new AbortController();
    const calls: Calls = { remove: false, othersWait: false };
    const ended = this.#work(index, new Indexing(this.#place, index, stop.signal, calls), isEnding, stop.signal)
      .catch(this.#onError)
      .finally(() => this.#running.delete(index.id));
    this.#running.set(index.id, { stop, ended, calls, isEnding });
  }

  async #work(index: HeldIndex, indexing: Indexing, isEnding: boolean, signal: AbortSignal): Promise<void> {
    const { ledger } = this.#place;
    let failed = false;
    try {
      await this.#do(index, indexing, isEnding).catch(async (error) => {
        if (!(error instanceof Refusal) || signal.aborted) throw error;
        // Refused for good: the files that are left come to nothing, and say why.
        await indexing.fail(error.message);
      });
    } catch (error) {
      if (error instanceof TurnOver) this.#had.add(index.id);
      // Cancelled, deleted or taken over while it was worked on: what is to be done now is read anew.
      if (error instanceof NotHeld || signal.aborted) return;
      failed = true;
      throw error;
    } finally {
      if (failed) ledger.holding.letGoLater(index.id, this.#onError);
      else {
        await ledger.holding.letGo(index.id).catch(this.#onError);
        setImmediate(() => this.look());
      }
    }
  }

  async #do(index: HeldIndex, indexing: Indexing, isEnding: boolean): Promise<void> {
    if (index.deleted_at !== null) await indexing.delete();
    else if (index.cancel) await indexing.cancel();
    else if (isEnding) await indexing.remove();
    else await indexing.work();
  }

  /** What servers that were killed left behind: what they unpacked, vectors of indexes that are no more, files that no record knows. */
  readonly sweep = async (): Promise<void> => {
    const { ledger, vectors, blobs, scratch } = this.#place;
    await sweepScratch(scratch);
    // The tables are listed first: one that is made meanwhile, here or by another server, has its record already.
    const tables = await vectors.tables();
    const known = tables.length > 0 ? await ledger.vectorNames() : new Set<string>();
    for (const table of tables) if (!known.has(table)) await vectors.drop(table);
    await blobs.sweep('documents', (names) => ledger.knownBlobs(names));
  };

  async stop(): Promise<void> {
    await this.#chores.stop();
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort(new Error('the server stops'));
    await Promise.all(running.map(({ ended }) => ended));
    await this.#place.ledger.holding.release().catch(this.#onError);
  }
}
