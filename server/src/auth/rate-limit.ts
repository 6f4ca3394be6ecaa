// Rate limit of an account: a token bucket that holds a minute's requests and refills steadily. Each server counts its own.
import { Refusal } from '@lorekeep/contract';
import type { Caller } from './caller.ts';

interface Bucket {
  left: number;
  at: number;
}

export class RequestRate {
  readonly #buckets = new Map<number, Bucket>();
  readonly #contact: string;
  readonly #now: () => number;

  constructor(contact: string, now: () => number = () => performance.now()) {
    this.#contact = contact;
    this.#now = now;
  }

  /** Takes one request from the account's bucket or refuses with the time until there is one. */
  take({ account }: Caller): void {
    const limit = account.limits.requests_per_minute;
    if (limit === null) return;
    const now = this.#now();
    const bucket = this.#buckets.get(account.id) ?? { left: limit, at: now };
    bucket.left = Math.min(limit, bucket.left + ((now - bucket.at) / 60_000) * limit);
    bucket.at = now;
    this.#buckets.set(account.id, bucket);
    if (bucket.left < 1) {
      const seconds = limit === 0 ? 3600 : Math.max(1, Math.ceil(((1 - bucket.left) / limit) * 60));
      throw new Refusal(
        'rate_limited',
        { limit, seconds, contact: this.#contact },
        { headers: { 'Retry-After': String(seconds) } },
      );
    }
    bucket.left -= 1;
  }
}
