// Liveness of servers without clocks. Each server counts up in its row. A server that sees another's number stand still
// for some seconds of its own steady clock takes that server for dead and deletes the row. Work owned by a server
// without a row is free.

import type { Capacity } from '../cluster/cluster.ts';
import type { Store } from '../store/database.ts';
import { hostOf, lives, newInstance } from './instance-id.ts';

/** A server whose heartbeat is this old is considered dead. */
export const timeoutMs = 15_000;
const intervalMs = 2_000;
/** Without a beat that was written, its workers are stopped before anybody can have taken it for dead. */
const fenceMs = 10_000;

/** Servers of this process: the process id alone does not tell them apart. */
const here = new Set<string>();

export class Heartbeat {
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
  get isRegistered(): boolean {
    return this.#registered;
  }

  /** `lost`: another server may have claimed this server's rows. The next heartbeat registers it anew. */
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
    if (performance.now() - this.#lastBeat < intervalMs) return 'alive';
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

  /** Age of a heartbeat after which another server may claim this one's rows. */
  isSilent(): boolean {
    return this.#registered && performance.now() - this.#lastBeat > fenceMs;
  }

  /** Makes this process another server from now on. */
  forget(): void {
    here.delete(this.#name);
    this.#name = newInstance();
    this.#registered = false;
  }

  /** Servers that are gone, as far as can be told from here. */
  async deadServers(): Promise<{ name: string; beat: number }[]> {
    const rows = await this.#store.db.selectFrom('servers').select(['name', 'beat']).execute();
    const now = performance.now();
    for (const name of this.#seen.keys()) if (!rows.some((row) => row.name === name)) this.#seen.delete(name);
    return rows.filter(({ name, beat }) => {
      if (here.has(name)) return false;
      const seen = this.#seen.get(name);
      if (seen?.beat !== beat) this.#seen.set(name, { beat, since: now });
      else if (now - seen.since >= timeoutMs) return true;
      return lives(name) === false;
    });
  }

  /** The largest that a job can ask for. */
  async capacities(own: Capacity): Promise<Capacity[]> {
    const rows = await this.#store.db.selectFrom('servers').select(['nodes', 'slots']).execute();
    return [own, ...rows];
  }

  /** Servers beside this one. */
  async others(): Promise<{ name: string; host: string; slots: number }[]> {
    const rows = this.#store.db.selectFrom('servers').select(['name', 'nodes', 'slots']).orderBy('started_at');
    const others = await rows.where('name', '!=', this.#name).execute();
    return others.map(({ name, nodes, slots }) => ({ name, host: hostOf(name), slots: nodes * slots }));
  }
}
