// Throttling of password attempts against brute force, by account and by network. Each server counts its own attempts.
import { Refusal } from '@lorekeep/contract';
import { networkOf } from './client-network.ts';

const maxPerAccount = 10;
const maxPerNetwork = 50;
const decayMs = 15 * 60_000;
const maxEntries = 20_000;

export class Attempts {
  // Invented accounts evict no network.
  readonly #accounts: Counters;
  readonly #networks: Counters;

  constructor(now: () => number = Date.now) {
    this.#accounts = new Counters(maxPerAccount, now);
    this.#networks = new Counters(maxPerNetwork, now);
  }

  /** Counts an attempt before the password is checked, so that concurrent attempts all count. A successful attempt is refunded. */
  async guard<T>(account: string | undefined, address: string, attempt: () => Promise<T>): Promise<T> {
    const counted: [counters: Counters, name: string][] = [[this.#networks, networkOf(address)]];
    if (account !== undefined) counted.push([this.#accounts, account.trim().toLowerCase()]);
    for (const [counters, name] of counted) counters.refuseMore(name);
    for (const [counters, name] of counted) counters.change(name, 1);
    const result = await attempt();
    for (const [counters, name] of counted) counters.change(name, -1);
    return result;
  }
}

class Counters {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #used = new Map<string, { used: number; at: number }>();

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  refuseMore(name: string): void {
    const used = this.#stillCounted(name);
    if (used + 1 <= this.#limit) return;
    const seconds = Math.max(1, Math.ceil(((used + 1 - this.#limit) / this.#limit) * (decayMs / 1000)));
    throw new Refusal('too_many_attempts', { seconds }, { headers: { 'Retry-After': String(seconds) } });
  }

  /** Number of attempts that still count. It decays linearly to 0 within a quarter of an hour. */
  #stillCounted(name: string): number {
    const found = this.#used.get(name);
    return found ? Math.max(0, found.used - ((this.#now() - found.at) / decayMs) * this.#limit) : 0;
  }

  change(name: string, by: number): void {
    const used = Math.max(0, this.#stillCounted(name) + by);
    this.#used.delete(name);
    if (used > 0) this.#used.set(name, { used, at: this.#now() });
    // Drops the oldest entry first, since a map iterates in insertion order.
    if (this.#used.size > maxEntries) this.#used.delete(this.#used.keys().next().value!);
  }
}
