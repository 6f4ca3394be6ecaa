// Background worker of runs: claims them, writes their answers a few times a second, removes results after their retention time.
import type { ModelClient } from '../inference/model-client.ts';
import type { Heartbeat } from '../leases/heartbeat.ts';
import { LeasedWork } from '../leases/leased-work.ts';
import type { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { answerRun } from './answering.ts';
import { type HeldRun, type NewAnswer, RunStore } from './run-store.ts';
import type { RunKind } from './runs.ts';

const removeMs = 3_600_000;
/** Number of runs that one server works on concurrently. Polled streams have a caller waiting. */
const maxConcurrent: Record<RunKind, number> = { stream: 64, batch: 8, embeddings: 2 };

export class Runner {
  readonly #runStore: RunStore;
  readonly #daysKept: number | null;
  readonly #time: TrustedTime;
  readonly #work: LeasedWork<HeldRun, NewAnswer>;

  constructor(
    store: Store,
    heartbeat: Heartbeat,
    modelClient: ModelClient,
    daysKept: number | null,
    time: TrustedTime,
    onError: (error: unknown) => void,
  ) {
    const runStore = new RunStore(store, heartbeat);
    this.#runStore = runStore;
    this.#daysKept = daysKept;
    this.#time = time;
    this.#work = new LeasedWork({
      store: runStore,
      claim: async (running) => await this.#claim(running),
      work: async (run, handle) =>
        await answerRun(run, { modelClient, answered: await runStore.answered(run.id), ...handle }),
      keyOf: ({ place }) => place,
      onError,
    });
  }

  start(): void {
    this.#work.start();
    this.#work.every(removeMs, this.#remove);
  }

  /** Looks for new runs now instead of at the next interval. */
  wake(): void {
    this.#work.wake();
  }

  async #claim(running: ReadonlyMap<number, HeldRun>): Promise<HeldRun[]> {
    const claimed: HeldRun[] = [];
    for (const kind of Object.keys(maxConcurrent) as RunKind[]) {
      const now = [...running.values()].filter((run) => run.kind === kind).length;
      claimed.push(...(await this.#runStore.take(kind, maxConcurrent[kind] - now, running.keys())));
    }
    return claimed;
  }

  readonly #remove = async (): Promise<void> => {
    const now = await this.#time.now();
    if (this.#daysKept !== null) await this.#runStore.removeFinishedBefore(now - this.#daysKept * 86_400_000);
  };

  async stop(): Promise<void> {
    await this.#work.stop();
  }
}
