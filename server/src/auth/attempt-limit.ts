// Throttling of password attempts against brute force, by account and by address. Each server counts its own attempts.
import { Refusal } from '@lorekeep/contract';

const maxPerAccount = 10;
const maxPerAddress = 50;
const decayMs = 15 * 60_000;
const maxEntries = 20_000;

export class Attempts {
  readonly #used = new Map<string, { used: number; at: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts an attempt before the password is checked, so that concurrent attempts all count. A successful attempt is refunded. */
  async guard<T>(account: string | undefined, address: string, attempt: () => Promise<T>): Promise<T> {
    const counted: [name: string, limit: number][] = [[`address ${address}`, maxPerAddress]];
    if (account !== undefined) counted.push([`account ${account.trim().toLowerCase()}`, maxPerAccount]);
    for (const [name, limit] of counted) this.#refuseMore(name, limit);
    for (const [name, limit] of counted) this.#change(name, limit, 1);
    const result = await attempt();
    for (const [name, limit] of counted) this.#change(name, limit, -1);
    return result;
  }

  #refuseMore(name: string, limit: number): void {
    const used = this.#stillCounted(name, limit);
    if (used + 1 <= limit) return;
    const seconds = Math.max(1, Math.ceil(((used + 1 - limit) / limit) * (decayMs / 1000)));
    throw new Refusal('too_many_attempts', { seconds }, { headers: { 'Retry-After': String(seconds) } });
  }

  /** Number of attempts that still count. It decays linearly to 0 within a quarter of an hour. */
  #stillCounted(name: string, limit: number): number {
    const found = this.#used.get(name);
    return found ? Math.max(0, found.used - ((this.#now() - found.at) / decayMs) * limit) : 0;
  }

  #change(name: string, limit: number, by: number): void {
    const used = Math.max(0, this.#stillCounted(name, limit) + by);
    this.#used.delete(name);
    if (used > 0) this.#used.set(name, { used, at: this.#now() });
    // Drops the oldest entry first, since a map iterates in insertion order.
    if (this.#used.size > maxEntries) this.#used.delete(this.#used.keys().next().value!);
  }
}
