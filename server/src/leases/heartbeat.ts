// Heartbeats: liveness of servers without comparing wall clocks. Each server increments a counter in its row. A server whose
// counter stands still for some seconds, measured by another server's monotonic clock, counts as dead, and its row is
// deleted. Work owned by a server without a row is free.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Capacity } from '../cluster/cluster.ts';
import type { Store } from '../store/database.ts';
import { hostOf, isRunning, newInstance } from './instance-id.ts';

/** Lease timeout: the age of a heartbeat at which its server counts as dead. */
export const timeoutMs = 15_000;
const intervalMs = 2_000;
/** Age of its own last written heartbeat at which a server stops its workers, before another server can count it as dead. */
const fenceMs = 10_000;
/** Maximum wait for the database, which may keep connections open without answering. Several attempts fit before the fence. */
const answerMs = 4_000;

/** Names of the servers in this process, since the process id alone does not identify one. */
const localServers = new Set<string>();

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

  /** True while this server has a row; only then it owns its work. */
  get isRegistered(): boolean {
    return this.#registered;
  }

  /** Renews the lease of this server. `lost`: another server may have claimed this server's rows. The next heartbeat registers it anew. */
  async beat(capacity: Capacity): Promise<'alive' | 'lost'> {
    const name = this.#name;
    // The time before sending: another server may see the heartbeat long before the answer arrives here.
    const sent = performance.now();
    if (this.#registered && sent - this.#lastBeat < intervalMs) return 'alive';
    const isWritten = await inTime(this.#registered ? this.#renew(name, capacity) : this.#register(name, capacity));
    // The server took another name while the database was silent.
    if (name !== this.#name) return 'lost';
    if (!isWritten) {
      this.forget();
      return 'lost';
    }
    this.#registered = true;
    this.#lastBeat = sent;
    return 'alive';
  }

  async #register(name: string, capacity: Capacity): Promise<boolean> {
    localServers.add(name);
    await this.#store.db
      .insertInto('servers')
      .values({ name, beat: 0, ...capacity, started_at: Date.now() })
      // The answer to an earlier attempt never arrived.
      .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ beat: eb('servers.beat', '+', 1) })))
      .execute();
    return true;
  }

  async #renew(name: string, capacity: Capacity): Promise<boolean> {
    const { numUpdatedRows } = await this.#store.db
      .updateTable('servers')
      .set((eb) => ({ beat: eb('beat', '+', 1), ...capacity }))
      .where('name', '=', name)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Whether the last written heartbeat is so old that another server may soon claim the rows of this one. */
  isSilent(): boolean {
    return this.#registered && performance.now() - this.#lastBeat > fenceMs;
  }

  /** Gives this process a new server name from now on. */
  forget(): void {
    localServers.delete(this.#name);
    this.#name = newInstance();
    this.#registered = false;
  }

  /** Servers that this one considers dead. */
  async deadServers(): Promise<{ name: string; beat: number }[]> {
    const rows = await this.#store.db.selectFrom('servers').select(['name', 'beat']).execute();
    const now = performance.now();
    for (const name of this.#seen.keys()) if (!rows.some((row) => row.name === name)) this.#seen.delete(name);
    return rows.filter(({ name, beat }) => {
      if (localServers.has(name)) return false;
      const seen = this.#seen.get(name);
      if (seen?.beat !== beat) this.#seen.set(name, { beat, since: now });
      else if (now - seen.since >= timeoutMs) return true;
      return isRunning(name) === false;
    });
  }

  /** Capacities of all servers. The largest one limits what a job can ask for. */
  async capacities(own: Capacity): Promise<Capacity[]> {
    const rows = await this.#store.db.selectFrom('servers').select(['nodes', 'slots']).execute();
    return [own, ...rows];
  }

  /** The other servers. */
  async others(): Promise<{ name: string; host: string; slots: number }[]> {
    const rows = this.#store.db.selectFrom('servers').select(['name', 'nodes', 'slots']).orderBy('started_at');
    const others = await rows.where('name', '!=', this.#name).execute();
    return others.map(({ name, nodes, slots }) => ({ name, host: hostOf(name), slots: nodes * slots }));
  }
}

async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const answered = new AbortController();
  const late = sleep(answerMs, undefined, { ref: false, signal: answered.signal }).then(() => {
    throw new Error(`the database has not answered a heartbeat for ${answerMs / 1000} s`);
  });
  return await Promise.race([answer, late]).finally(() => answered.abort());
}
