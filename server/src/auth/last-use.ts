// Time of each key's last use: collected in memory, written in one batch every few seconds and at shutdown.
import type { Store } from '../store/database.ts';

const writeIntervalMs = 15_000;

export class LastUse {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  #used = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.write(), writeIntervalMs).unref();
  }

  note(keyId: number): void {
    this.#used.set(keyId, Date.now());
  }

  async write(): Promise<void> {
    const used = this.#used;
    if (used.size === 0) return;
    this.#used = new Map();
    try {
      await this.#store.db.transaction().execute(async (transaction) => {
        for (const [id, at] of [...used].sort(([a], [b]) => a - b)) {
          await transaction.updateTable('keys').set({ last_used_at: at }).where('id', '=', id).execute();
        }
      });
    } catch (error) {
      // The next round retries; a later use takes precedence.
      for (const [id, at] of used) if (!this.#used.has(id)) this.#used.set(id, at);
      this.#onError(error);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
