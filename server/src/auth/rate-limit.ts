// Rate limit of an account: a token bucket with the capacity of one minute's requests that refills continuously. Servers on one
// PostgreSQL share it: each takes some tokens at a time (shared-rate.ts) and counts them down locally.
import { Refusal } from '@lorekeep/contract';
import type { Caller } from './caller.ts';

export interface Bucket {
  left: number;
  at: number;
}

/** The shared bucket of an account. `take` returns the number of tokens granted and the number left. */
export interface SharedBucket {
  take(accountId: number, limit: number, wanted: number): Promise<{ given: number; left: number }>;
}

interface Taken {
  limit: number;
  left: number;
  /** Time by this server's monotonic clock. */
  emptyUntil: number;
  taking: Promise<void> | undefined;
}

/** Share of a minute's tokens that a server takes at a time. Each server may exceed the limit by up to this share. */
const share = 1 / 20;

export class RequestRate {
  readonly #buckets = new Map<number, Bucket>();
  readonly #taken = new Map<number, Taken>();
  readonly #contact: string;
  readonly #shared: SharedBucket | undefined;
  readonly #now: () => number;

  constructor(contact: string, shared?: SharedBucket, now: () => number = () => performance.now()) {
    this.#contact = contact;
    this.#shared = shared;
    this.#now = now;
  }

  /** Takes one token, or refuses with the time until there is one. Returns a promise if the database is queried. */
  take({ account }: Caller): void | Promise<void> {
    const limit = account.limits.requests_per_minute;
    if (limit === null) return;
    return this.#shared && limit > 0
      ? this.#takeShared(this.#shared, account.id, limit)
      : this.#takeOwn(account.id, limit);
  }

  #takeOwn(account: number, limit: number): void {
    const now = this.#now();
    const bucket = this.#buckets.get(account) ?? { left: limit, at: now };
    bucket.left = Math.min(limit, bucket.left + ((now - bucket.at) / 60_000) * limit);
    bucket.at = now;
    this.#buckets.set(account, bucket);
    if (bucket.left < 1) throw this.#refusal(limit, limit === 0 ? 3600 : ((1 - bucket.left) / limit) * 60);
    bucket.left -= 1;
  }

  #takeShared(shared: SharedBucket, account: number, limit: number): void | Promise<void> {
    let taken = this.#taken.get(account);
    // If the limit was changed, the old bucket is discarded.
    if (taken?.limit !== limit) {
      taken = { limit, left: 0, emptyUntil: Number.NEGATIVE_INFINITY, taking: undefined };
      this.#taken.set(account, taken);
    }
    const now = this.#now();
    if (taken.left >= 1) {
      taken.left -= 1;
      return;
    }
    // While requests are refused, the database is queried only once per token that becomes available.
    if (now < taken.emptyUntil) throw this.#refusal(limit, (taken.emptyUntil - now) / 1000);
    const own = taken;
    own.taking ??= shared
      .take(account, limit, Math.ceil(limit * share))
      .then(({ given, left }) => {
        own.left += given;
        if (given === 0) own.emptyUntil = this.#now() + ((1 - left) / limit) * 60_000;
      })
      .finally(() => {
        own.taking = undefined;
      });
    return own.taking.then(() => this.#takeShared(shared, account, limit));
  }

  #refusal(limit: number, wait: number): Refusal {
    const seconds = Math.max(1, Math.ceil(wait));
    return new Refusal(
      'rate_limited',
      { limit, seconds, contact: this.#contact },
      { headers: { 'Retry-After': String(seconds) } },
    );
  }
}
