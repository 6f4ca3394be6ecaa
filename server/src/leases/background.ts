// Background tasks of a server, run one after the other, so that no two of them write the same row.
export class BackgroundTasks {
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<() => Promise<void>>();
  #timers: NodeJS.Timeout[] = [];
  #busy: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Now, and again and again. */
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

  /** Starts no further task; resolves when queued tasks are done. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped = true;
    await this.#busy;
  }
}
