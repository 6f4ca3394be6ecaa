// What a server does in the background, one thing after the other, so that no two of them write the same row.
export class Chores {
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<() => Promise<void>>();
  #timers: NodeJS.Timeout[] = [];
  #busy: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Now, and again and again. */
  every(milliseconds: number, chore: () => Promise<void>): void {
    this.#timers.push(setInterval(() => this.do(chore), milliseconds).unref());
    this.do(chore);
  }

  /** When its turn comes; one that waits already is not asked for twice. */
  do(chore: () => Promise<void>): void {
    if (this.#stopped || this.#waiting.has(chore)) return;
    this.#waiting.add(chore);
    this.#busy = this.#busy
      .then(() => {
        this.#waiting.delete(chore);
        return chore();
      })
      .catch(this.#onError);
  }

  /** Nothing is begun any more; resolves when what was asked for before is done. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped = true;
    await this.#busy;
  }
}
