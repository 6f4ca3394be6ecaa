// Works on evaluations in the background: takes those that nobody works on and writes their answers a few times a second.
import { Chores } from '../servers/chores.ts';
import type { Presence } from '../servers/presence.ts';
import type { Store } from '../store/database.ts';
import { answerEvaluation } from './answering.ts';
import { EvaluationLedger, type HeldEvaluation, type NewAnswer } from './ledger.ts';
import type { Targets } from './targets.ts';

const writeEvery = 250;
const lookEvery = 1_000;
/** That one server works on at once. */
const atOnce = 4;

interface Running {
  evaluation: HeldEvaluation;
  stop: AbortController;
  /** What is not written yet. */
  fresh: NewAnswer[];
  ended: boolean;
}

export class EvaluationRunner {
  readonly #ledger: EvaluationLedger;
  readonly #targets: Targets;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<number, Running>();
  readonly #chores: Chores;

  constructor(store: Store, presence: Presence, targets: Targets, onError: (error: unknown) => void) {
    this.#ledger = new EvaluationLedger(store, presence);
    this.#targets = targets;
    this.#onError = onError;
    this.#chores = new Chores(onError);
  }

  start(): void {
    this.#chores.every(lookEvery, this.#look);
    this.#chores.every(writeEvery, this.#write);
  }

  /** There may be something to do, or to stop. */
  look(): void {
    this.#chores.do(this.#look);
  }

  readonly #look = async (): Promise<void> => {
    const kept = await this.#ledger.kept([...this.#running.keys()]);
    for (const [id, running] of this.#running) if (!kept.has(id)) this.#drop(running);
    const most = atOnce - this.#running.size;
    for (const evaluation of await this.#ledger.holding.take(most, this.#running.keys())) void this.#work(evaluation);
  };

  async #work(evaluation: HeldEvaluation): Promise<void> {
    const running: Running = { evaluation, stop: new AbortController(), fresh: [], ended: false };
    this.#running.set(evaluation.id, running);
    try {
      await answerEvaluation(evaluation, {
        ledger: this.#ledger,
        targets: this.#targets,
        signal: running.stop.signal,
        hand: (answer) => running.fresh.push(answer),
      });
      running.ended = true;
      this.#chores.do(() => this.#writeOne(running));
    } catch (error) {
      this.#running.delete(evaluation.id);
      if (running.stop.signal.aborted) return;
      this.#ledger.holding.letGoLater(evaluation.id, this.#onError);
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
      if (!(await this.#ledger.write(evaluation.id, fresh, ended))) this.#drop(running);
      else if (ended) this.#running.delete(evaluation.id);
    } catch (error) {
      // Kept, and written with the next ones.
      running.fresh.unshift(...fresh);
      if (ended) setTimeout(() => this.#chores.do(() => this.#writeOne(running)), lookEvery).unref();
      throw error;
    }
  }

  /** Cancelled, deleted, or taken over by a server that took this one for dead. */
  #drop(running: Running): void {
    this.#running.delete(running.evaluation.id);
    running.stop.abort(new Error('the evaluation is no longer worked on here'));
  }

  /** Writes what there is and lets go; another server, or this one when it is back, goes on from there. */
  async stop(): Promise<void> {
    this.#chores.do(this.#write);
    await this.#chores.stop();
    for (const running of [...this.#running.values()]) this.#drop(running);
    await this.#ledger.holding.release().catch(this.#onError);
  }
}
