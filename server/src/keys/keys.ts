// API keys and their rules: made, listed, revoked, rotated.
import { type Key, type NewKey, Refusal, type Scope } from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import { isUniqueViolation, type Store } from '../store/database.ts';
import { prepared } from '../store/prepared.ts';
import type { KeyRow } from '../store/schema.ts';
import type { Caller } from './caller.ts';
import { hashOf, hintOf, newSecret, prefixOf } from './secret.ts';

type Row = Selectable<KeyRow>;

export const usualScopes: Scope[] = ['read', 'infer', 'tune'];
/** The name of the key that the setting LOREKEEP_ADMIN_KEY makes. */
const settingKeyName = 'LOREKEEP_ADMIN_KEY';

const keyById = prepared<{ id: number }>()((db, hole) =>
  db.selectFrom('keys').selectAll().where('id', '=', hole('id')).where('kind', '=', 'key'),
);

/** Whose keys somebody may manage: those of one account, or of all (the operator, and commands on the host). */
export type Domain = number | 'all';

interface Wish {
  accountId: number;
  name: string;
  scopes: Scope[];
  expiresAt: number | null;
}

export class Keys {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async list(accountId: number): Promise<Key[]> {
    const rows = await this.#store.db
      .selectFrom('keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('kind', '=', 'key')
      .orderBy('id')
      .execute();
    return rows.map(shown);
  }

  async show(domain: Domain, id: number): Promise<Key> {
    return shown(await this.#find(domain, id));
  }

  async create(wish: Wish, maker?: Caller): Promise<NewKey> {
    if (maker) refuseStronger(maker, wish);
    return await this.#insert(wish, newSecret());
  }

  async #insert(wish: Wish, secret: string): Promise<NewKey> {
    const hash = hashOf(secret);
    const row = await this.#store.db
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
    return { ...shown(row), key: secret };
  }

  /** Revoking a revoked key changes nothing. */
  async revoke(domain: Domain, id: number): Promise<Key> {
    await this.#find(domain, id);
    await this.#store.db
      .updateTable('keys')
      .set({ revoked_at: Date.now() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    await this.#store.watch.announce();
    return await this.show(domain, id);
  }

  /** A new key in place of an old one, in one transaction: there is never neither. */
  async rotate(
    domain: Domain,
    id: number,
    wish: { graceSeconds: number; expiresAt?: number | undefined },
    maker?: Caller,
  ): Promise<NewKey> {
    const made = await this.#store.db.transaction().execute(async (transaction) => {
      const inside = new Keys({
        engine: this.#store.engine,
        watch: this.#store.watch,
        close: this.#store.close,
        db: transaction,
      });
      const old = await inside.#find(domain, id);
      const status = statusOf(old);
      if (status !== 'active') throw new Refusal('key_not_active', { name: old.name, status });
      const lifetime = old.expires_at === null ? null : old.expires_at - old.created_at;
      const next: Wish = {
        accountId: old.account_id,
        name: old.name,
        scopes: scopesOf(old),
        expiresAt: wish.expiresAt ?? (lifetime === null ? null : Date.now() + lifetime),
      };
      const made = await inside.create(next, maker);
      const end = Date.now() + wish.graceSeconds * 1000;
      await transaction
        .updateTable('keys')
        .set({ expires_at: old.expires_at === null ? end : Math.min(old.expires_at, end) })
        .where('id', '=', id)
        .execute();
      return made;
    });
    await this.#store.watch.announce();
    return made;
  }

  /** At every start: a key of the operator with the value of the setting exists, and none of an earlier value. A revoked one stays so. */
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
      await this.#insert({ accountId: operatorId, name: settingKeyName, scopes: ['admin'], expiresAt: null }, value);
    } catch (error) {
      // Another server that starts at the same time made it, or some other key has this very value.
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

/** A key makes keys up to its own strength: scopes it has, an end no later than its own. */
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

function shown(row: Row): Key {
  const moment = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: row.id,
    account_id: row.account_id,
    name: row.name,
    prefix: row.prefix,
    scopes: scopesOf(row),
    status: statusOf(row),
    created_at: new Date(row.created_at).toISOString(),
    expires_at: moment(row.expires_at),
    revoked_at: moment(row.revoked_at),
    last_used_at: moment(row.last_used_at),
  };
}
