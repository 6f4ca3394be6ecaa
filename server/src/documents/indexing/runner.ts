// Works on indexes in the background: takes those that need work and that nobody works on, says that it still does, and sweeps what is left over.
import { Refusal } from '@lorekeep/contract';
import { leaseMs } from '../../runs/ledger.ts';
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
  #timers: NodeJS.Timeout[] = [];
  #busy: Promise<void> = Promise.resolve();
  #waiting = false;
  #stopped = false;
  #heldAt = 0;

  constructor(place: Workplace, onError: (error: unknown) => void) {
    this.#place = place;
    this.#onError = onError;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.look(), lookEvery),
      setInterval(() => this.#then(() => this.#sweep()), sweepEvery),
    ];
    for (const timer of this.#timers) timer.unref();
    this.#then(() => this.#sweep());
    this.look(true);
  }

  /** There may be something to do; `now` when somebody waits for it, as for a cancel. */
  look(now = false): void {
    if (now) this.#heldAt = 0;
    if (this.#waiting || this.#stopped) return;
    this.#waiting = true;
    this.#then(async () => {
      this.#waiting = false;
      await this.#hold();
      for (const index of await this.#place.ledger.take(atOnce - this.#running.size)) this.#begin(index);
    });
  }

  #then(work: () => Promise<void>): void {
    if (this.#stopped) return;
    this.#busy = this.#busy.then(work).catch(this.#onError);
  }

  async #hold(): Promise<void> {
    if (this.#running.size === 0 || Date.now() - this.#heldAt < leaseMs / 10) return;
    this.#heldAt = Date.now();
    const held = await this.#place.ledger.hold([...this.#running.keys()]);
    for (const [id, { stop }] of this.#running) if (!held.has(id)) stop.abort(new NotHeld());
  }

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
      // What failed is left until the lease ends, so that it is not tried again and again at once.
      if (!failed) {
        await ledger.letGo(index.id).catch(this.#onError);
        setImmediate(() => this.look());
      }
    }
  }

  /** What servers that were killed left behind: vectors of indexes that are no more, files that no record knows. */
  async #sweep(): Promise<void> {
    const { ledger, vectors, blobs } = this.#place;
    // The tables are listed first: one that is made meanwhile has its record already.
    const tables = await vectors.tables();
    const known = tables.length > 0 ? await ledger.vectorNames() : new Set<string>();
    const busy = this.#running.size > 0;
    for (const table of tables) if (!known.has(table) && !busy) await vectors.drop(table);
    await blobs.sweep('documents', (names) => ledger.knownBlobs(names));
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped = true;
    await this.#busy;
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort(new Error('the server stops'));
    await Promise.all(running.map(({ ended }) => ended));
    await this.#place.ledger.release().catch(this.#onError);
  }
}
