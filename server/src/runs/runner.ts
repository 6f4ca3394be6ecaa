// Background worker of runs: claims them, writes their answers a few times a second, removes results after their retention time.
import type { ModelClient } from '../inference/model-client.ts';
import { BackgroundTasks } from '../leases/background.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { answerRun } from './answering.ts';
import { type HeldRun, type NewAnswer, RunStore } from './run-store.ts';
import type { RunKind } from './runs.ts';

const writeMs = 250;
const claimMs = 1_000;
const removeMs = 3_600_000;
/** Number of runs that one server works on concurrently. Polled streams have a caller waiting. */
const maxConcurrent: Record<RunKind, number> = { stream: 64, batch: 8, embeddings: 2 };

interface Running {
  run: HeldRun;
  stop: AbortController;
  /** Answers that are not written yet, by place. */
  fresh: Map<number, NewAnswer>;
  ended: boolean;
}

export class Runner {
  readonly #runStore: RunStore;
  readonly #modelClient: ModelClient;
  readonly #daysKept: number | null;
  readonly #time: TrustedTime;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<number, Running>();
  readonly #tasks: BackgroundTasks;

  constructor(
    store: Store,
    heartbeat: Heartbeat,
    modelClient: ModelClient,
    daysKept: number | null,
    time: TrustedTime,
    onError: (error: unknown) => void,
  ) {
    this.#runStore = new RunStore(store, heartbeat);
    this.#modelClient = modelClient;
    this.#daysKept = daysKept;
    this.#time = time;
    this.#onError = onError;
    this.#tasks = new BackgroundTasks(onError);
  }

  start(): void {
    this.#tasks.every(claimMs, this.#tick);
    this.#tasks.every(writeMs, this.#write);
    this.#tasks.every(removeMs, this.#remove);
  }

  /** Looks for new runs now instead of at the next interval. */
  wake(): void {
    this.#tasks.run(this.#tick);
  }

  readonly #tick = async (): Promise<void> => {
    const owned = await this.#runStore.stillOwned([...this.#running.keys()]);
    for (const [id, running] of this.#running) if (!owned.has(id)) this.#drop(running);
    for (const kind of Object.keys(maxConcurrent) as RunKind[]) {
      const now = [...this.#running.values()].filter(({ run }) => run.kind === kind).length;
      for (const run of await this.#runStore.take(kind, maxConcurrent[kind] - now, this.#running.keys()))
        void this.#work(run);
    }
  };

  async #work(run: HeldRun): Promise<void> {
    const running: Running = { run, stop: new AbortController(), fresh: new Map(), ended: false };
    this.#running.set(run.id, running);
    try {
      await answerRun(run, {
        modelClient: this.#modelClient,
        signal: running.stop.signal,
        answered: await this.#runStore.answered(run.id),
        hand: (answer) => running.fresh.set(answer.place, answer),
      });
      running.ended = true;
      this.#tasks.run(() => this.#writeOne(running));
    } catch (error) {
      // Dropped, and possibly claimed again since.
      if (running.stop.signal.aborted) return;
      this.#running.delete(run.id);
      this.#runStore.lease.releaseLater(run.id, this.#onError);
      this.#onError(error);
    }
  }

  readonly #write = async (): Promise<void> => {
    for (const running of [...this.#running.values()]) if (running.fresh.size > 0) await this.#writeOne(running);
  };

  async #writeOne(running: Running): Promise<void> {
    const { run, fresh, ended } = running;
    if (this.#running.get(run.id) !== running) return;
    running.fresh = new Map();
    try {
      if (!(await this.#runStore.write(run.id, [...fresh.values()], ended))) this.#drop(running);
      else if (ended) this.#running.delete(run.id);
    } catch (error) {
      // Unwritten answers are kept for the next write.
      for (const [place, answer] of fresh) if (!running.fresh.has(place)) running.fresh.set(place, answer);
      if (ended) setTimeout(() => this.#tasks.run(() => this.#writeOne(running)), claimMs).unref();
      throw error;
    }
  }

  /** Stops work on a run that was deleted, or claimed by a server that counted this one as dead. */
  #drop(running: Running): void {
    this.#running.delete(running.run.id);
    running.stop.abort(new Error('the run is no longer worked on here'));
  }

  readonly #remove = async (): Promise<void> => {
    const now = await this.#time.now();
    if (this.#daysKept !== null) await this.#runStore.removeFinishedBefore(now - this.#daysKept * 86_400_000);
  };

  /** Writes all answers and releases the runs. Another server, or this one after a restart, resumes them. */
  async stop(): Promise<void> {
    this.#tasks.run(this.#write);
    await this.#tasks.stop();
    for (const running of [...this.#running.values()]) this.#drop(running);
    await this.#runStore.lease.releaseAll().catch(this.#onError);
  }
}
