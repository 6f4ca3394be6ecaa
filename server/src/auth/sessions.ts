// Sessions of signed-in browsers: stored as a hash, cached like keys, and revoked at once on every server.
import { csrfHeader, type Limits, Refusal, type Session } from '@lorekeep/contract';
import type { FastifyRequest } from 'fastify';
import { effectiveLimits } from '../accounts/limits.ts';
import type { Actor } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import { TrustedTime } from '../leases/trusted-time.ts';
import { isUniqueViolation, type Store } from '../store/database.ts';
import { prepared } from '../store/prepared.ts';
import { Caller } from './caller.ts';
import { sessionCookie } from './cookie.ts';
import { scopesOf } from './keys.ts';
import { hashOf, newSecret, prefixOf, sameHash } from './secret.ts';

/** Lifetime of a session and its cookie. */
export const sessionSeconds = 14 * 86_400;
const maxCached = 10_000;
const maxCachedMs = 5_000;

const sessionWithHash = prepared<{ hash: string }>()((db, hole) =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .innerJoin('keys', 'keys.id', 'sessions.key_id')
    .select(['sessions.id as session_id', 'sessions.created_at', 'sessions.expires_at', 'sessions.account_id'])
    .select(['keys.id', 'keys.name', 'keys.hash', 'keys.scopes'])
    .select(['accounts.name as account_name', 'accounts.role', 'accounts.limits', 'accounts.disabled_at'])
    .where('sessions.hash', '=', hole('hash')),
);

interface Held {
  caller: Caller;
  session: Session;
}

export class Sessions {
  readonly #store: Store;
  readonly #defaults: Limits;
  readonly #time: TrustedTime;
  readonly #cache = new Map<string, Held & { at: number }>();
  #version: number | undefined;

  constructor(store: Store, defaults: Limits, time = new TrustedTime(store)) {
    this.#store = store;
    this.#defaults = defaults;
    this.#time = time;
  }

  /** The caller of a request with a session cookie. Undefined without a cookie; throws if the session has ended. */
  authenticate(request: FastifyRequest): Caller | Promise<Caller> | undefined {
    const secret = sessionCookie(request);
    if (secret === undefined) return undefined;
    const found = this.#find(secret);
    return found instanceof Promise ? found.then((held) => admitted(held, request)) : admitted(found, request);
  }

  /** The session, for pages that ask whether the browser is signed in. */
  async show(request: FastifyRequest): Promise<Session | null> {
    const secret = sessionCookie(request);
    const held = secret === undefined ? undefined : await this.#find(secret);
    return held && !held.caller.account.disabled ? held.session : null;
  }

  /** Creates a session of the account; returns the secret for its cookie. */
  async begin(
    accountId: number,
    browser: string,
    address: string | null = null,
  ): Promise<{ secret: string; session: Session }> {
    const secret = newSecret().replace(/^lk/, 'ls');
    const shownBrowser = browser.slice(0, 300);
    const now = Date.now();
    await this.#store.db
      .deleteFrom('sessions')
      .where('expires_at', '<=', await this.#time.now())
      .execute();
    const keyId = await this.#consoleKey(accountId);
    await this.#store.db.transaction().execute(async (change) => {
      const { id } = await change
        .insertInto('sessions')
        .values({
          account_id: accountId,
          key_id: keyId,
          hash: hashOf(secret),
          browser: shownBrowser,
          created_at: now,
          expires_at: now + sessionSeconds * 1000,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const account = await change
        .selectFrom('accounts')
        .select('name')
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      const actor: Actor = { kind: 'session', account_id: accountId, name: account.name, key_id: keyId };
      const details = { browser: shownBrowser, address };
      await record(change, { action: 'session.began', accountId, subject: id, details, actor });
    });
    const held = await this.#read(secret, hashOf(secret), undefined);
    if (!held) throw new Refusal('session_over');
    return { secret, session: held.session };
  }

  async list(accountId: number) {
    return await this.#store.db
      .selectFrom('sessions')
      .select(['id', 'browser', 'created_at', 'expires_at'])
      .where('account_id', '=', accountId)
      .where('expires_at', '>', Date.now())
      .orderBy('id', 'desc')
      .execute();
  }

  /** Ends one session of an account, all but one, or all. Returns their number. */
  async end(accountId: number, which: { only?: number; but?: number } = {}): Promise<number> {
    const ended = await this.#store.db.transaction().execute(async (change) => {
      let query = change.deleteFrom('sessions').where('account_id', '=', accountId);
      if (which.only !== undefined) query = query.where('id', '=', which.only);
      if (which.but !== undefined) query = query.where('id', '!=', which.but);
      const gone = (await query.returning('id').execute()).map(({ id }) => id);
      if (gone.length > 0) await record(change, { action: 'session.ended', accountId, subject: gone.join(' ') });
      return gone.length;
    });
    await this.#store.watch.announce();
    return ended;
  }

  #find(secret: string): Held | undefined | Promise<Held | undefined> {
    const hash = hashOf(secret);
    const version = this.#store.watch.version();
    if (version === undefined || version !== this.#version) {
      this.#cache.clear();
      this.#version = version;
    }
    const found = this.#cache.get(hash);
    if (!found || performance.now() - found.at >= maxCachedMs) return this.#read(secret, hash, version);
    return Date.parse(found.session.expires_at) > Date.now() ? found : undefined;
  }

  async #read(secret: string, hash: string, version: number | undefined): Promise<Held | undefined> {
    const [row] = await sessionWithHash(this.#store, { hash });
    if (!row || row.expires_at <= Date.now()) return undefined;
    const { account_id, account_name, role } = row;
    const session: Session = {
      id: row.session_id,
      account: { id: account_id, name: account_name, role },
      scopes: scopesOf(row),
      csrf: csrfOf(secret),
      created_at: new Date(row.created_at).toISOString(),
      expires_at: new Date(row.expires_at).toISOString(),
    };
    const caller = new Caller(
      { id: row.id, name: row.name, hash: row.hash, scopes: scopesOf(row), expiresAt: null, revokedAt: null },
      {
        id: account_id,
        name: account_name,
        role,
        disabled: row.disabled_at !== null,
        limits: effectiveLimits(role, JSON.parse(row.limits), this.#defaults),
      },
      row.session_id,
    );
    const held = { caller, session };
    if (version !== undefined && version === this.#store.watch.version()) {
      if (this.#cache.size >= maxCached) this.#cache.clear();
      this.#cache.set(hash, { ...held, at: performance.now() });
    }
    return held;
  }

  /** The key that the usage of an account's sessions is counted on. Its secret was never stored. */
  async #consoleKey(accountId: number): Promise<number> {
    const find = async () =>
      await this.#store.db
        .selectFrom('keys')
        .select('id')
        .where('account_id', '=', accountId)
        .where('kind', '=', 'console')
        .orderBy('id')
        .executeTakeFirst();
    const found = await find();
    if (found) return found.id;
    // One row per account even with concurrent calls: the hash of its id is unique, and it is not the hash of any secret.
    const hash = `console ${accountId}`;
    try {
      const created = await this.#store.db
        .insertInto('keys')
        .values({
          account_id: accountId,
          name: 'console',
          kind: 'console',
          hash,
          hint: hash,
          prefix: prefixOf(hash),
          scopes: 'admin',
          created_at: Date.now(),
          expires_at: null,
          revoked_at: null,
          last_used_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return created.id;
    } catch (error) {
      const other = isUniqueViolation(error) ? await find() : undefined;
      if (!other) throw error;
      return other.id;
    }
  }
}

/** The CSRF token. Only the page knows it; it does not reveal the session's secret. */
const csrfOf = (secret: string) => hashOf(`csrf of ${secret}`);

function admitted(held: Held | undefined, request: FastifyRequest): Caller {
  if (!held) throw new Refusal('session_over');
  const { caller, session } = held;
  if (caller.account.disabled) throw new Refusal('account_disabled', { name: caller.account.name });
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const changes = !reads || request.routeOptions.config.contract?.makes;
  if (changes && !isToken(request.headers[csrfHeader], session.csrf)) throw new Refusal('csrf_missing');
  return caller;
}

const isToken = (given: unknown, token: string) =>
  typeof given === 'string' && /^[0-9a-f]{64}$/.test(given) && sameHash(given, token);
