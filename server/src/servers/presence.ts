// Which servers there are, told without clocks: each counts up in its row while it lives, and whoever sees a number stand still for some seconds
// of its own steady clock takes that server for dead, and its row away. What has the name of a server without a row is nobody's.
import { lives, newInstance } from '../blobs/instance.ts';
import type { Capacity } from '../cluster/cluster.ts';
import type { Store } from '../store/database.ts';

/** A server that stands still for so long is taken for dead. */
export const leaseMs = 15_000;
const beatEvery = 2_000;
/** Without a beat that was written, its workers are stopped before anybody can have taken it for dead. */
const fenceMs = 10_000;

/** Servers of this very process: their number in the system says nothing of them. */
const here = new Set<string>();

export class Presence {
  readonly #store: Store;
  #name = newInstance();
  #registered = false;
  #lastBeat = Number.NEGATIVE_INFINITY;
  readonly #seen = new Map<string, { beat: number; since: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  get name(): string {
    return this.#name;
  }

  /** Only what a server with a row has is its own. */
  get isKnown(): boolean {
    return this.#registered;
  }

  /** `lost`: what this server had is somebody else's now, or may be. Its next beat makes it a new one. */
  async beat(capacity: Capacity): Promise<'alive' | 'lost'> {
    if (!this.#registered) {
      await this.#store.db
        .insertInto('servers')
        .values({ name: this.#name, beat: 0, ...capacity, started_at: Date.now() })
        .execute();
      here.add(this.#name);
      this.#registered = true;
      this.#lastBeat = performance.now();
      return 'alive';
    }
    if (performance.now() - this.#lastBeat < beatEvery) return 'alive';
    const { numUpdatedRows } = await this.#store.db
      .updateTable('servers')
      .set((eb) => ({ beat: eb('beat', '+', 1), ...capacity }))
      .where('name', '=', this.#name)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      this.forget();
      return 'lost';
    }
    this.#lastBeat = performance.now();
    return 'alive';
  }

  /** So long without a beat that another server may take this one for dead. */
  isSilent(): boolean {
    return this.#registered && performance.now() - this.#lastBeat > fenceMs;
  }

  /** From now on it is another server. */
  forget(): void {
    here.delete(this.#name);
    this.#name = newInstance();
    this.#registered = false;
  }

  /** Servers that are gone, as far as can be told from here. */
  async gone(): Promise<{ name: string; beat: number }[]> {
    const rows = await this.#store.db.selectFrom('servers').select(['name', 'beat']).execute();
    const now = performance.now();
    for (const name of this.#seen.keys()) if (!rows.some((row) => row.name === name)) this.#seen.delete(name);
    return rows.filter(({ name, beat }) => {
      if (here.has(name)) return false;
      const seen = this.#seen.get(name);
      if (seen?.beat !== beat) this.#seen.set(name, { beat, since: now });
      else if (now - seen.since >= leaseMs) return true;
      return lives(name) === false;
    });
  }

  /** The largest that a job can ask for. */
  async largest(own: Capacity): Promise<Capacity[]> {
    const rows = await this.#store.db.selectFrom('servers').select(['nodes', 'slots']).execute();
    return [own, ...rows];
  }
}
