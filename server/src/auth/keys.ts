// API keys: create, list, revoke, rotate.
import {
  type AnswerOf,
  type Key,
  type Limits,
  type listKeys,
  type NewKey,
  Refusal,
  type Scope,
} from '@lorekeep/contract';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { effectiveLimits } from '../accounts/limits.ts';
import { lockAccount } from '../accounts/storage.ts';
import { record } from '../audit/record.ts';
import { isoTime } from '../http/iso-time.ts';
import { isUniqueViolation, type Store } from '../store/database.ts';
import { newestPage } from '../store/page.ts';
import { prepared } from '../store/prepared.ts';
import type { KeyRow, Tables } from '../store/schema.ts';
import type { Caller } from './caller.ts';
import { hashOf, hintOf, newSecret, prefixOf } from './secret.ts';

type Row = Selectable<KeyRow>;

export const defaultScopes: Scope[] = ['read', 'infer', 'tune'];
/** Name of the key of the setting LOREKEEP_ADMIN_KEY. */
const settingKeyName = 'LOREKEEP_ADMIN_KEY';

const keyById = prepared<{ id: number }>()((db, hole) =>
  db.selectFrom('keys').selectAll().where('id', '=', hole('id')).where('kind', '=', 'key'),
);

/** The scope of key management: one account, or all of them (the operator, and commands on the host). */
export type Domain = number | 'all';

interface Wish {
  accountId: number;
  name: string;
  scopes: Scope[];
  expiresAt: number | null;
}

export class Keys {
  readonly #store: Store;
  readonly #defaults: Limits;

  constructor(store: Store, defaults: Limits) {
    this.#store = store;
    this.#defaults = defaults;
  }

  /** Newest first. */
  async list(accountId: number, limit: number, after?: number): Promise<AnswerOf<typeof listKeys>> {
    const query = this.#store.db
      .selectFrom('keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('kind', '=', 'key');
    const { rows, next } = await newestPage(query, limit, after);
    return { keys: rows.map(toKey), next };
  }

  async show(domain: Domain, id: number): Promise<Key> {
    return toKey(await this.#find(domain, id));
  }

  async create(wish: Wish, maker?: Caller): Promise<NewKey> {
    if (maker) refuseStronger(maker, wish);
    return await this.#store.db.transaction().execute(async (change) => {
      await lockAccount(this.#store, change, wish.accountId);
      await this.#refuseTooMany(change, wish.accountId, 1);
      return await insertNew(change, wish, newSecret());
    });
  }

  /** Enforces the limit of working keys. During a rotation old keys still work, so twice as many are allowed. */
  async #refuseTooMany(change: Transaction<Tables>, accountId: number, times: 1 | 2): Promise<void> {
    const account = await change
      .selectFrom('accounts')
      .select(['role', 'limits'])
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    const limit = effectiveLimits(account.role, JSON.parse(account.limits), this.#defaults).keys;
    if (limit === null) return;
    const { count } = await change
      .selectFrom('keys')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where('kind', '=', 'key')
      .where('revoked_at', 'is', null)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', Date.now())]))
      .executeTakeFirstOrThrow();
    if (Number(count) >= times * limit) throw new Refusal('keys_limit', { limit });
  }

  /** Revokes a key; idempotent. */
  async revoke(domain: Domain, id: number): Promise<Key> {
    const { account_id: accountId, name } = await this.#find(domain, id);
    await this.#store.db.transaction().execute(async (change) => {
      const { numUpdatedRows } = await change
        .updateTable('keys')
        .set({ revoked_at: Date.now() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n)
        await record(change, { action: 'key.revoked', accountId, subject: id, details: { name } });
    });
    await this.#store.watch.announce();
    return await this.show(domain, id);
  }

  /** Rotates a key: creates the new one and expires the old one in one transaction. */
  async rotate(
    domain: Domain,
    id: number,
    wish: { graceSeconds: number; expiresAt?: number | undefined },
    maker?: Caller,
  ): Promise<NewKey> {
    const { account_id } = await this.#find(domain, id);
    const created = await this.#store.db.transaction().execute(async (transaction) => {
      await lockAccount(this.#store, transaction, account_id);
      const old = await transaction.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const status = statusOf(old);
      if (status !== 'active') throw new Refusal('key_not_active', { name: old.name, status });
      const lifetime = old.expires_at === null ? null : old.expires_at - old.created_at;
      const next: Wish = {
        accountId: old.account_id,
        name: old.name,
        scopes: scopesOf(old),
        expiresAt: wish.expiresAt ?? (lifetime === null ? null : Date.now() + lifetime),
      };
      if (maker) refuseStronger(maker, next);
      await this.#refuseTooMany(transaction, account_id, 2);
      const created = await insert(transaction, next, newSecret());
      const end = Date.now() + wish.graceSeconds * 1000;
      await transaction
        .updateTable('keys')
        .set({ expires_at: old.expires_at === null ? end : Math.min(old.expires_at, end) })
        .where('id', '=', id)
        .execute();
      const details = {
        name: old.name,
        new_key: created.id,
        old_key_expires_at: isoTime(Math.min(old.expires_at ?? end, end)),
      };
      await record(transaction, { action: 'key.rotated', accountId: account_id, subject: id, details });
      return created;
    });
    await this.#store.watch.announce();
    return created;
  }

  /**
   * Creates the operator's key with the value of the setting at every start, and removes keys of earlier values. A revoked key
   * stays revoked.
   */
  async ensureSettingKey(operatorId: number, value: string): Promise<'there' | 'made' | 'revoked'> {
    const hash = hashOf(value);
    const keys = await this.#store.db
      .selectFrom('keys')
      .selectAll()
      .where('account_id', '=', operatorId)
      .where('name', '=', settingKeyName)
      .execute();
    for (const key of keys) if (key.hash !== hash && key.revoked_at === null) await this.revoke(operatorId, key.id);
    const same = keys.find((key) => key.hash === hash);
    if (same) return same.revoked_at === null ? 'there' : 'revoked';
    try {
      const wish: Wish = { accountId: operatorId, name: settingKeyName, scopes: ['admin'], expiresAt: null };
      await this.#store.db.transaction().execute(async (change) => await insertNew(change, wish, value));
    } catch (error) {
      // A server that starts at the same time has created it, or another key has this value.
      if (!isUniqueViolation(error)) throw error;
      return 'there';
    }
    return 'made';
  }

  async #find(domain: Domain, id: number): Promise<Row> {
    const [row] = await keyById(this.#store, { id });
    if (!row || (domain !== 'all' && row.account_id !== domain)) throw new Refusal('key_not_found', { id });
    return row;
  }
}

/** A new key that replaces no other one. */
async function insertNew(change: Transaction<Tables>, wish: Wish, secret: string): Promise<NewKey> {
  const created = await insert(change, wish, secret);
  const { id, name, scopes, expires_at } = created;
  const details = { name, scopes, expires_at };
  await record(change, { action: 'key.created', accountId: wish.accountId, subject: id, details });
  return created;
}

async function insert(db: Kysely<Tables>, wish: Wish, secret: string): Promise<NewKey> {
  const hash = hashOf(secret);
  const row = await db
    .insertInto('keys')
    .values({
      account_id: wish.accountId,
      name: wish.name,
      hash,
      hint: hintOf(hash),
      prefix: prefixOf(secret),
      scopes: wish.scopes.join(' '),
      created_at: Date.now(),
      expires_at: wish.expiresAt,
      revoked_at: null,
      last_used_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...toKey(row), key: secret };
}

/** Prevents privilege escalation: a new key has at most the scopes and the expiry of the key that creates it. */
function refuseStronger(maker: Caller, wish: Wish): void {
  const missing = wish.scopes.filter((scope) => !maker.may(scope));
  if (missing.length > 0) throw new Refusal('key_too_strong', { reason: `it has no scope ${missing.join(', ')}` });
  const end = maker.key.expiresAt;
  if (end !== null && (wish.expiresAt === null || wish.expiresAt > end)) {
    throw new Refusal('key_too_strong', { reason: `it expires at ${new Date(end).toISOString()} itself` });
  }
}

export const scopesOf = (row: Pick<Row, 'scopes'>): Scope[] => row.scopes.split(' ') as Scope[];

export function statusOf(row: Pick<Row, 'revoked_at' | 'expires_at'>): Key['status'] {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= Date.now() ? 'expired' : 'active';
}

function toKey(row: Row): Key {
  const isoTime = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: row.id,
    account_id: row.account_id,
    name: row.name,
    prefix: row.prefix,
    scopes: scopesOf(row),
    status: statusOf(row),
    created_at: new Date(row.created_at).toISOString(),
    expires_at: isoTime(row.expires_at),
    revoked_at: isoTime(row.revoked_at),
    last_used_at: isoTime(row.last_used_at),
  };
}
