// Works on runs in the background: takes those that nobody works on, writes their answers a few times a second, removes old results.
import type { Asking } from '../completions/asking.ts';
import { Chores } from '../servers/chores.ts';
import type { Presence } from '../servers/presence.ts';
import type { Store } from '../store/database.ts';
import { answerRun } from './answering.ts';
import { type HeldRun, type NewAnswer, RunLedger } from './ledger.ts';
import type { RunKind } from './runs.ts';

const writeEvery = 250;
const lookEvery = 1_000;
const removeEvery = 3_600_000;
/** Runs that one server works on at once. Polled streams have somebody waiting. */
const atOnce: Record<RunKind, number> = { stream: 64, batch: 8, embeddings: 2 };

interface Running {
  run: HeldRun;
  stop: AbortController;
  /** What is not written yet, by place. */
  fresh: Map<number, NewAnswer>;
  errors: number;
  firstError: string | null;
  ended: boolean;
}

export class Runner {
  readonly #ledger: RunLedger;
  readonly #asking: Asking;
  readonly #daysKept: number | null;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<number, Running>();
  readonly #chores: Chores;

  constructor(
    store: Store,
    presence: Presence,
    asking: Asking,
    daysKept: number | null,
    onError: (error: unknown) => void,
  ) {
    this.#ledger = new RunLedger(store, presence);
    this.#asking = asking;
    this.#daysKept = daysKept;
    this.#onError = onError;
    this.#chores = new Chores(onError);
  }

  start(): void {
    this.#chores.every(lookEvery, this.#look);
    this.#chores.every(writeEvery, this.#write);
    this.#chores.every(removeEvery, this.#remove);
  }

  /** There may be something to do. */
  look(): void {
    this.#chores.do(this.#look);
  }

  readonly #look = async (): Promise<void> => {
    const kept = await this.#ledger.kept([...this.#running.keys()]);
    for (const [id, running] of this.#running) if (!kept.has(id)) this.#drop(running);
    for (const kind of Object.keys(atOnce) as RunKind[]) {
      const now = [...this.#running.values()].filter(({ run }) => run.kind === kind).length;
      for (const run of await this.#ledger.take(kind, atOnce[kind] - now, this.#running.keys())) void this.#work(run);
    }
  };

  async #work(run: HeldRun): Promise<void> {
    const running: Running = {
      run,
      stop: new AbortController(),
      fresh: new Map(),
      errors: 0,
      firstError: null,
      ended: false,
    };
    this.#running.set(run.id, running);
    try {
      await answerRun(run, {
        asking: this.#asking,
        signal: running.stop.signal,
        answered: await this.#ledger.answered(run.id),
        hand: (answer) => {
          running.fresh.set(answer.place, answer);
          if (answer.error === null) return;
          running.errors++;
          running.firstError ??= answer.error;
        },
      });
      running.ended = true;
      this.#chores.do(() => this.#writeOne(running));
    } catch (error) {
      this.#running.delete(run.id);
      if (running.stop.signal.aborted) return;
      this.#ledger.holding.letGoLater(run.id, this.#onError);
      this.#onError(error);
    }
  }

  readonly #write = async (): Promise<void> => {
    for (const running of [...this.#running.values()]) if (running.fresh.size > 0) await this.#writeOne(running);
  };

  async #writeOne(running: Running): Promise<void> {
    if (!this.#running.has(running.run.id)) return;
    const { run, fresh, ended, errors, firstError } = running;
    running.fresh = new Map();
    const allFailed = errors === run.prompts;
    const end = ended && { status: allFailed ? ('failed' as const) : ('completed' as const), error: firstError };
    try {
      const mine = await this.#ledger.write(run.id, [...fresh.values()], end || undefined);
      if (!mine) this.#drop(running);
      else if (ended) this.#running.delete(run.id);
    } catch (error) {
      // Kept, and written with the next ones.
      for (const [place, answer] of fresh) if (!running.fresh.has(place)) running.fresh.set(place, answer);
      if (ended) setTimeout(() => this.#chores.do(() => this.#writeOne(running)), lookEvery).unref();
      throw error;
    }
  }

  /** Deleted, or taken over by a server that took this one for dead. */
  #drop(running: Running): void {
    this.#running.delete(running.run.id);
    running.stop.abort(new Error('the run is no longer worked on here'));
  }

  readonly #remove = async (): Promise<void> => {
    if (this.#daysKept !== null) await this.#ledger.removeFinishedBefore(Date.now() - this.#daysKept * 86_400_000);
  };

  /** Writes what there is and lets go; another server, or this one when it is back, goes on from there. */
  async stop(): Promise<void> {
    this.#chores.do(this.#write);
    await this.#chores.stop();
    for (const running of [...this.#running.values()]) this.#drop(running);
    await this.#ledger.holding.release().catch(this.#onError);
  }
}
