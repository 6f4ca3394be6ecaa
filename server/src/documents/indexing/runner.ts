// Works on indexes in the background: takes those that need work and that nobody works on, says that it still does, and sweeps what is left over.
import { Refusal } from '@lorekeep/contract';
import { Chores } from '../../servers/chores.ts';
import { Indexing, type Workplace } from './indexing.ts';
import { type HeldIndex, NotHeld } from './ledger.ts';

const lookEvery = 1_000;
const sweepEvery = 60_000;
/** Each has a process that reads. The engine embeds for one after the other. */
const atOnce = 2;

export class IndexRunner {
  readonly #place: Workplace;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<number, { stop: AbortController; ended: Promise<void> }>();
  readonly #chores: Chores;

  constructor(place: Workplace, onError: (error: unknown) => void) {
    this.#place = place;
    this.#onError = onError;
    this.#chores = new Chores(onError);
  }

  start(): void {
    this.#chores.every(sweepEvery, this.#sweep);
    this.#chores.every(lookEvery, this.#look);
  }

  /** There may be something to do, or to stop. */
  look(): void {
    this.#chores.do(this.#look);
  }

  readonly #look = async (): Promise<void> => {
    const kept = await this.#place.ledger.kept([...this.#running.keys()]);
    for (const [id, { stop }] of this.#running) if (!kept.has(id)) stop.abort(new NotHeld());
    const most = atOnce - this.#running.size;
    for (const index of await this.#place.ledger.holding.take(most, this.#running.keys())) this.#begin(index);
  };

  #begin(index: HeldIndex): void {
    const stop = new AbortController();
    const ended = this.#work(index, stop.signal)
      .catch(this.#onError)
      .finally(() => this.#running.delete(index.id));
    this.#running.set(index.id, { stop, ended });
  }

  async #work(index: HeldIndex, signal: AbortSignal): Promise<void> {
    const { ledger } = this.#place;
    let failed = false;
    try {
      if (index.deleted_at !== null) await new Indexing(this.#place, index, signal).delete();
      else if (index.cancel) await new Indexing(this.#place, index, signal).cancel();
      else await new Indexing(this.#place, index, signal).work();
    } catch (error) {
      // Cancelled, deleted or taken over while it was worked on: what is to be done now is read anew.
      if (error instanceof NotHeld || signal.aborted) return;
      // Refused for good: the files that are left come to nothing, and say why.
      if (error instanceof Refusal) await new Indexing(this.#place, index, signal).fail(error.message);
      else {
        failed = true;
        throw error;
      }
    } finally {
      if (failed) ledger.holding.letGoLater(index.id, this.#onError);
      else {
        await ledger.holding.letGo(index.id).catch(this.#onError);
        setImmediate(() => this.look());
      }
    }
  }

  /** What servers that were killed left behind: vectors of indexes that are no more, files that no record knows. */
  readonly #sweep = async (): Promise<void> => {
    const { ledger, vectors, blobs } = this.#place;
    // The tables are listed first: one that is made meanwhile has its record already.
    const tables = await vectors.tables();
    const known = tables.length > 0 ? await ledger.vectorNames() : new Set<string>();
    const busy = this.#running.size > 0;
    for (const table of tables) if (!known.has(table) && !busy) await vectors.drop(table);
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
