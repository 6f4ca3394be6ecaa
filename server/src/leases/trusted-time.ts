// Trusted time: the clock for the removal of old data. A jump of the wall clock must not expire everything at once, so trusted time
// advances no faster than a monotonic clock, and accepts a jump only after the wall clock has agreed with it for a week of running. It
// is stored in the database, so that a restart does not hide a jump and several servers share it.
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';

/** Difference that does not count as a jump: a machine that was off or asleep, or a wrong time zone. */
const jumpToleranceMs = 86_400_000;
const minAgreementMs = 7 * 86_400_000;

export interface Clocks {
  wall(): number;
  /** Monotonic clock in milliseconds, from an arbitrary start. */
  steady(): number;
}

interface Trusted {
  at: number;
  /** Time for which the wall clock has been ahead by more than the tolerance. */
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

  /** The trusted time, never later than the wall clock of this machine. */
  async now(): Promise<number> {
    const wall = this.#clocks.wall();
    const steady = this.#clocks.steady();
    const stored = await this.#stored(wall);
    const moved = advance(stored, this.#since(stored, steady), wall);
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

  /** The last stored time plus the monotonic time since. After a restart the time while it was down is unknown. */
  #since(stored: Trusted, steady: number): Trusted {
    if (!this.#seen) return stored;
    const passed = steady - this.#seen.steady;
    // Another server may have accepted the jump.
    const ahead = stored.ahead < this.#seen.ahead ? stored.ahead : this.#seen.ahead + passed;
    return { at: this.#seen.at + passed, ahead };
  }
}

function advance(stored: Trusted, passed: Trusted, wall: number): Trusted {
  const at = Math.max(stored.at, Math.min(passed.at, wall));
  if (wall - at <= jumpToleranceMs) return { at: Math.max(at, wall), ahead: 0 };
  const ahead = Math.max(stored.ahead, passed.ahead);
  return ahead >= minAgreementMs ? { at: wall, ahead: 0 } : { at, ahead };
}
