// Background worker of evaluations: claims them and writes their answers a few times a second.
import { BackgroundTasks } from '../leases/background.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import type { Store } from '../store/database.ts';
import { answerEvaluation } from './answering.ts';
import { EvaluationStore, type HeldEvaluation, type NewAnswer } from './evaluation-store.ts';
import type { Targets } from './targets.ts';

const writeMs = 250;
const claimMs = 1_000;
/** Maximum number of evaluations that one server works on at once. */
const maxConcurrent = 4;

interface Running {
  evaluation: HeldEvaluation;
  stop: AbortController;
  /** Answers that are not written yet. */
  fresh: NewAnswer[];
  ended: boolean;
}

export class EvaluationRunner {
  readonly #evaluationStore: EvaluationStore;
  readonly #targets: Targets;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<number, Running>();
  readonly #tasks: BackgroundTasks;

  constructor(store: Store, heartbeat: Heartbeat, targets: Targets, onError: (error: unknown) => void) {
    this.#evaluationStore = new EvaluationStore(store, heartbeat);
    this.#targets = targets;
    this.#onError = onError;
    this.#tasks = new BackgroundTasks(onError);
  }

  start(): void {
    this.#tasks.every(claimMs, this.#tick);
    this.#tasks.every(writeMs, this.#write);
  }

  /** Called when there may be work to start or to stop. */
  wake(): void {
    this.#tasks.run(this.#tick);
  }

  readonly #tick = async (): Promise<void> => {
    const owned = await this.#evaluationStore.stillOwned([...this.#running.keys()]);
    for (const [id, running] of this.#running) if (!owned.has(id)) this.#drop(running);
    const free = maxConcurrent - this.#running.size;
    for (const evaluation of await this.#evaluationStore.lease.claim(free, this.#running.keys()))
      void this.#work(evaluation);
  };

  async #work(evaluation: HeldEvaluation): Promise<void> {
    const running: Running = { evaluation, stop: new AbortController(), fresh: [], ended: false };
    this.#running.set(evaluation.id, running);
    try {
      await answerEvaluation(evaluation, {
        evaluationStore: this.#evaluationStore,
        targets: this.#targets,
        signal: running.stop.signal,
        hand: (answer) => running.fresh.push(answer),
      });
      running.ended = true;
      this.#tasks.run(() => this.#writeOne(running));
    } catch (error) {
      // Dropped, and possibly claimed again since.
      if (running.stop.signal.aborted) return;
      this.#running.delete(evaluation.id);
      this.#evaluationStore.lease.releaseLater(evaluation.id, this.#onError);
      this.#onError(error);
    }
  }

  readonly #write = async (): Promise<void> => {
    for (const running of [...this.#running.values()]) if (running.fresh.length > 0) await this.#writeOne(running);
  };

  async #writeOne(running: Running): Promise<void> {
    const { evaluation, fresh, ended } = running;
    if (this.#running.get(evaluation.id) !== running) return;
    running.fresh = [];
    try {
      if (!(await this.#evaluationStore.write(evaluation.id, fresh, ended))) this.#drop(running);
      else if (ended) this.#running.delete(evaluation.id);
    } catch (error) {
      // Kept, and written with the next answers.
      running.fresh.unshift(...fresh);
      if (ended) setTimeout(() => this.#tasks.run(() => this.#writeOne(running)), claimMs).unref();
      throw error;
    }
  }

  /** Drops an evaluation that was cancelled, deleted, or taken over by a server that considered this one dead. */
  #drop(running: Running): void {
    this.#running.delete(running.evaluation.id);
    running.stop.abort(new Error('the evaluation is no longer worked on here'));
  }

  /** Writes pending answers and releases the leases. Another server, or this one after its restart, continues from there. */
  async stop(): Promise<void> {
    this.#tasks.run(this.#write);
    await this.#tasks.stop();
    for (const running of [...this.#running.values()]) this.#drop(running);
    await this.#evaluationStore.lease.releaseAll().catch(this.#onError);
  }
}
