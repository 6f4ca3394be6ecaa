// How often somebody may try a password: so often for each account, so often from each address. Each server counts for itself.
import { Refusal } from '@lorekeep/contract';

const perAccount = 10;
const perAddress = 50;
const refill = 15 * 60_000;
const mostCounted = 20_000;

export class Attempts {
  readonly #used = new Map<string, { used: number; at: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts before the password is looked at, so that many at once count as many; what was right is given back. */
  async guard<T>(account: string | undefined, address: string, attempt: () => Promise<T>): Promise<T> {
    const counted: [name: string, most: number][] = [[`address ${address}`, perAddress]];
    if (account !== undefined) counted.push([`account ${account.trim().toLowerCase()}`, perAccount]);
    for (const [name, most] of counted) this.#refuseMore(name, most);
    for (const [name, most] of counted) this.#change(name, most, 1);
    const result = await attempt();
    for (const [name, most] of counted) this.#change(name, most, -1);
    return result;
  }

  #refuseMore(name: string, most: number): void {
    const used = this.#left(name, most);
    if (used + 1 <= most) return;
    const seconds = Math.max(1, Math.ceil(((used + 1 - most) / most) * (refill / 1000)));
    throw new Refusal('too_many_attempts', { seconds }, { headers: { 'Retry-After': String(seconds) } });
  }

  /** What was used fades steadily: all of it in a quarter of an hour. */
  #left(name: string, most: number): number {
    const found = this.#used.get(name);
    return found ? Math.max(0, found.used - ((this.#now() - found.at) / refill) * most) : 0;
  }

  #change(name: string, most: number, by: number): void {
    const used = Math.max(0, this.#left(name, most) + by);
    this.#used.delete(name);
    if (used > 0) this.#used.set(name, { used, at: this.#now() });
    // The oldest goes first: a map keeps the order in which things came.
    if (this.#used.size > mostCounted) this.#used.delete(this.#used.keys().next().value!);
  }
}
