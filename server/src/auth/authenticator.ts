// Authenticates a request: turns its header into a caller. Callers are cached, and the cache is invalidated when any key or account may
// have changed.
import { type Limits, Refusal } from '@lorekeep/contract';
import { effectiveLimits } from '../accounts/limits.ts';
import type { Store } from '../store/database.ts';
import { prepared } from '../store/prepared.ts';
import { Caller } from './caller.ts';
import { scopesOf } from './keys.ts';
import { hashOf, hintOf, sameHash } from './secret.ts';

/** Bounds of the cache: its memory, and the delay of a change if the network loses its announcement. */
const maxCached = 10_000;
const maxCachedMs = 5_000;

const keysWithHint = prepared<{ hint: string }>()((db, hole) =>
  db
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select([
      'keys.id',
      'keys.name',
      'keys.hash',
      'keys.scopes',
      'keys.expires_at',
      'keys.revoked_at',
      'keys.account_id',
    ])
    .select(['accounts.name as account_name', 'accounts.role', 'accounts.limits', 'accounts.disabled_at'])
    .where('keys.hint', '=', hole('hint')),
);

export class Authenticator {
  readonly #store: Store;
  readonly #defaults: Limits;
  readonly #cache = new Map<string, { caller: Caller; at: number }>();
  #version: number | undefined;

  constructor(store: Store, defaults: Limits) {
    this.#store = store;
    this.#defaults = defaults;
  }

  /** Returns a cached caller synchronously (nearly all are), or a promise. */
  authenticate(header: string | undefined): Caller | Promise<Caller> {
    const hash = hashOf(secretOf(header));
    const now = Date.now();
    const version = this.#store.watch.version();
    if (version === undefined || version !== this.#version) {
      this.#cache.clear();
      this.#version = version;
    }
    const found = this.#cache.get(hash);
    if (!found || now - found.at >= maxCachedMs) return this.#read(hash, version);
    refuseUnusable(found.caller, now);
    return found.caller;
  }

  async #read(hash: string, version: number | undefined): Promise<Caller> {
    const rows = await keysWithHint(this.#store, { hint: hintOf(hash) });
    const row = rows.find((candidate) => sameHash(candidate.hash, hash));
    if (!row) throw new Refusal('key_unknown');
    const caller = new Caller(
      { id: row.id, name: row.name, hash, scopes: scopesOf(row), expiresAt: row.expires_at, revokedAt: row.revoked_at },
      {
        id: row.account_id,
        name: row.account_name,
        role: row.role,
        disabled: row.disabled_at !== null,
        limits: effectiveLimits(row.role, JSON.parse(row.limits), this.#defaults),
      },
    );
    const now = Date.now();
    refuseUnusable(caller, now);
    // A row that was read while the version changed may be stale. It is used for this request and not cached.
    if (version !== undefined && version === this.#store.watch.version()) {
      if (this.#cache.size >= maxCached) this.#cache.clear();
      this.#cache.set(hash, { caller, at: now });
    }
    return caller;
  }
}

function secretOf(header: string | undefined): string {
  const secret = header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
  if (!secret) throw new Refusal('key_missing', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
  return secret;
}

function refuseUnusable({ key, account }: Caller, now: number): void {
  if (key.revokedAt !== null)
    throw new Refusal('key_revoked', { name: key.name, at: new Date(key.revokedAt).toISOString() });
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw new Refusal('key_expired', { name: key.name, at: new Date(key.expiresAt).toISOString() });
  }
  if (account.disabled) throw new Refusal('account_disabled', { name: account.name });
}
