// The time by which old data is removed. A clock that jumps must not make everything old at once: trusted time moves no faster than a steady clock,
// and takes a jump for real only when the clock has stood by it for a week of running. It is kept in the database, so that a restart does not
// hide a jump, and several servers move it together.
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';

/** A difference up to this is no jump: a machine that was off or asleep, a time zone that was set wrong. */
const tolerance = 86_400_000;
const proof = 7 * 86_400_000;

export interface Clocks {
  wall(): number;
  /** Milliseconds from any beginning; never set. */
  steady(): number;
}

interface Trusted {
  at: number;
  /** For how long the clock has been ahead of it by more than the tolerance. */
  ahead: number;
}

export class TrustedTime {
  readonly #store: Store;
  readonly #clocks: Clocks;
  #seen: (Trusted & { steady: number }) | undefined;

  constructor(store: Store, clocks: Clocks = { wall: () => Date.now(), steady: () => performance.now() }) {
    this.#store = store;
    this.#clocks = clocks;
  }

  /** Never later than the clock of this machine. */
  async now(): Promise<number> {
    const wall = this.#clocks.wall();
    const steady = this.#clocks.steady();
    const stored = await this.#stored(wall);
    const moved = move(stored, this.#since(stored, steady), wall);
    if (moved.at !== stored.at || moved.ahead !== stored.ahead)
      await sql`update trusted_time set at = ${moved.at}, ahead = ${moved.ahead} where at <= ${moved.at}`.execute(
        this.#store.db,
      );
    this.#seen = { ...moved, steady };
    return Math.min(wall, moved.at);
  }

  async #stored(wall: number): Promise<Trusted> {
    const { rows } = await sql<Trusted>`select at, ahead from trusted_time`.execute(this.#store.db);
    if (rows[0]) return { at: Number(rows[0].at), ahead: Number(rows[0].ahead) };
    await sql`insert into trusted_time (id, at, ahead) values (1, ${wall}, 0) on conflict do nothing`.execute(
      this.#store.db,
    );
    return { at: wall, ahead: 0 };
  }

  /** The time that this server saw last, moved on by the time since. After a start nothing is known of the time before. */
  #since(stored: Trusted, steady: number): Trusted {
    if (!this.#seen) return stored;
    const passed = steady - this.#seen.steady;
    // Another server may have found that its clock agrees.
    const ahead = stored.ahead < this.#seen.ahead ? stored.ahead : this.#seen.ahead + passed;
    return { at: this.#seen.at + passed, ahead };
  }
}

function move(stored: Trusted, passed: Trusted, wall: number): Trusted {
  const at = Math.max(stored.at, Math.min(passed.at, wall));
  if (wall - at <= tolerance) return { at: Math.max(at, wall), ahead: 0 };
  const ahead = Math.max(stored.ahead, passed.ahead);
  return ahead >= proof ? { at: wall, ahead: 0 } : { at, ahead };
}
