// Serial queue of a server's background tasks. They run one at a time, so that no two of them write the same row.
export class BackgroundTasks {
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<() => Promise<void>>();
  #timers: NodeJS.Timeout[] = [];
  #busy: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs the task now and then at an interval. */
  every(milliseconds: number, task: () => Promise<void>): void {
    this.#timers.push(setInterval(() => this.run(task), milliseconds).unref());
    this.run(task);
  }

  /** Queues a task. A task that is queued already is not added again. */
  run(task: () => Promise<void>): void {
    if (this.#stopped || this.#waiting.has(task)) return;
    this.#waiting.add(task);
    this.#busy = this.#busy
      .then(() => {
        this.#waiting.delete(task);
        return task();
      })
      .catch(this.#onError);
  }

  /** Accepts and repeats no further task; resolves when the queued tasks are done. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped = true;
    await this.#busy;
  }
}
