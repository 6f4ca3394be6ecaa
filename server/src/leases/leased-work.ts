// Background work on leased rows: claims rows, writes their answers a few times a second, and drops rows that this server has lost. A
// dropped row may be claimed again while its old work still ends, so each entry is compared by identity.
import { BackgroundTasks } from './background.ts';

const writeMs = 250;
const claimMs = 1_000;

interface LeasedStore<Answer> {
  lease: { releaseLater(id: number, onError: (error: unknown) => void): void; releaseAll(): Promise<void> };
  /** The given ids that this server still owns. */
  stillOwned(ids: number[]): Promise<Set<number>>;
  /** Writes answers, and with `ended` the end of the row. False if this server no longer owns it. */
  write(id: number, answers: Answer[], ended: boolean): Promise<boolean>;
}

interface Options<Row, Answer> {
  store: LeasedStore<Answer>;
  /** Claims free rows, besides those that are worked on. */
  claim(running: ReadonlyMap<number, Row>): Promise<Row[]>;
  work(row: Row, handle: WorkHandle<Answer>): Promise<void>;
  /** The key of an answer. A newer unwritten answer replaces an older one with its key. */
  keyOf(answer: Answer): unknown;
  onError(error: unknown): void;
}

export interface WorkHandle<Answer> {
  signal: AbortSignal;
  /** Hands over an answer, which is written soon. */
  hand(answer: Answer): void;
}

interface Entry<Row, Answer> {
  row: Row;
  stop: AbortController;
  /** Answers that are not written yet, by key. */
  fresh: Map<unknown, Answer>;
  ended: boolean;
}

export class LeasedWork<Row extends { id: number }, Answer> {
  readonly #options: Options<Row, Answer>;
  readonly #entries = new Map<number, Entry<Row, Answer>>();
  readonly #tasks: BackgroundTasks;

  constructor(options: Options<Row, Answer>) {
    this.#options = options;
    this.#tasks = new BackgroundTasks(options.onError);
  }

  start(): void {
    this.#tasks.every(claimMs, this.#tick);
    this.#tasks.every(writeMs, this.#write);
  }

  /** Runs another task now and at an interval, never at the same time as a write. */
  every(milliseconds: number, task: () => Promise<void>): void {
    this.#tasks.every(milliseconds, task);
  }

  /** Called when there may be rows to claim or to drop. */
  wake(): void {
    this.#tasks.run(this.#tick);
  }

  readonly #tick = async (): Promise<void> => {
    const owned = await this.#options.store.stillOwned([...this.#entries.keys()]);
    for (const [id, entry] of this.#entries) if (!owned.has(id)) this.#drop(entry);
    const running = new Map([...this.#entries].map(([id, { row }]) => [id, row]));
    for (const row of await this.#options.claim(running)) void this.#work(row);
  };

  async #work(row: Row): Promise<void> {
    const entry: Entry<Row, Answer> = { row, stop: new AbortController(), fresh: new Map(), ended: false };
    this.#entries.set(row.id, entry);
    const { store, work, keyOf, onError } = this.#options;
    try {
      await work(row, {
        signal: entry.stop.signal,
        hand: (answer) => entry.fresh.set(keyOf(answer), answer),
      });
      entry.ended = true;
      this.#tasks.run(() => this.#writeOne(entry));
    } catch (error) {
      // Dropped, and possibly claimed again since.
      if (entry.stop.signal.aborted) return;
      this.#entries.delete(row.id);
      store.lease.releaseLater(row.id, onError);
      onError(error);
    }
  }

  readonly #write = async (): Promise<void> => {
    for (const entry of [...this.#entries.values()]) if (entry.fresh.size > 0) await this.#writeOne(entry);
  };

  async #writeOne(entry: Entry<Row, Answer>): Promise<void> {
    const { row, fresh, ended } = entry;
    if (this.#entries.get(row.id) !== entry) return;
    entry.fresh = new Map();
    try {
      if (!(await this.#options.store.write(row.id, [...fresh.values()], ended))) this.#drop(entry);
      else if (ended) this.#entries.delete(row.id);
    } catch (error) {
      // Kept for the next write, unless there are newer ones.
      entry.fresh = new Map([...fresh, ...entry.fresh]);
      if (ended) setTimeout(() => this.#tasks.run(() => this.#writeOne(entry)), claimMs).unref();
      throw error;
    }
  }

  /** Stops work on a row that was cancelled, deleted, or claimed by a server that counted this one as dead. */
  #drop(entry: Entry<Row, Answer>): void {
    this.#entries.delete(entry.row.id);
    entry.stop.abort(new Error('it is no longer worked on here'));
  }

  /** Writes all answers and releases the rows. Another server, or this one after a restart, goes on with them. */
  async stop(): Promise<void> {
    this.#tasks.run(this.#write);
    await this.#tasks.stop();
    for (const entry of [...this.#entries.values()]) this.#drop(entry);
    const { store, onError } = this.#options;
    await store.lease.releaseAll().catch(onError);
  }
}
