// Turns the header of a request into its caller. Callers are remembered, and forgotten the moment any key or account may have changed.
import { type Limits, Refusal } from '@lorekeep/contract';
import { effectiveLimits } from '../accounts/limits.ts';
import type { Store } from '../store/database.ts';
import { Caller } from './caller.ts';
import { scopesOf } from './keys.ts';
import { hashOf, hintOf, sameHash } from './secret.ts';

/** Bounds what is remembered: memory, and how long a change could go unheard if a network swallowed the announcement. */
const mostRemembered = 10_000;
const longestRemembered = 5_000;

export class Authenticator {
  readonly #store: Store;
  readonly #defaults: Limits;
  readonly #remembered = new Map<string, { caller: Caller; at: number }>();
  #version: number | undefined;

  constructor(store: Store, defaults: Limits) {
    this.#store = store;
    this.#defaults = defaults;
  }

  async authenticate(header: string | undefined): Promise<Caller> {
    const secret = secretOf(header);
    const now = Date.now();
    const version = this.#store.watch.version();
    if (version === undefined || version !== this.#version) {
      this.#remembered.clear();
      this.#version = version;
    }
    const hash = hashOf(secret);
    const found = this.#remembered.get(hash);
    const caller = found && now - found.at < longestRemembered ? found.caller : await this.#read(hash);
    refuseUnusable(caller, now);
    // What was read while the version changed may be old already: it serves this request and is not remembered.
    if (caller !== found?.caller && version !== undefined && version === this.#store.watch.version()) {
      if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
      this.#remembered.set(hash, { caller, at: now });
    }
    return caller;
  }

  async #read(hash: string): Promise<Caller> {
    const rows = await this.#store.db
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
      .where('keys.hint', '=', hintOf(hash))
      .execute();
    const row = rows.find((candidate) => sameHash(candidate.hash, hash));
    if (!row) throw new Refusal('key_unknown');
    return new Caller(
      { id: row.id, name: row.name, hash, scopes: scopesOf(row), expiresAt: row.expires_at, revokedAt: row.revoked_at },
      {
        id: row.account_id,
        name: row.account_name,
        role: row.role,
        disabled: row.disabled_at !== null,
        limits: effectiveLimits(row.role, JSON.parse(row.limits), this.#defaults),
      },
    );
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
