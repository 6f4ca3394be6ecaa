// Single-use links that set a password: for the first sign-in, an invitation, or a forgotten password. Stored as a hash.
import { Refusal } from '@lorekeep/contract';
import { record } from '../audit/record.ts';
import { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { hashPassword } from './password-hash.ts';
import { hashOf, newSecret } from './secret.ts';

const lifetimeMs = 3 * 86_400_000;

export class SignInLinks {
  readonly #store: Store;
  readonly #contact: string;
  readonly #time: TrustedTime;

  constructor(store: Store, contact: string, time = new TrustedTime(store)) {
    this.#store = store;
    this.#contact = contact;
    this.#time = time;
  }

  /** The secret is in the fragment (after the #) of the address, which browsers never send, so no log contains it. */
  async make(accountId: number): Promise<{ path: string; expires_at: string }> {
    const now = Date.now();
    const token = newSecret().replace(/^lk_/, '');
    await this.#store.db
      .deleteFrom('sign_in_links')
      .where('expires_at', '<=', await this.#time.now())
      .execute();
    const expires_at = new Date(now + lifetimeMs).toISOString();
    await this.#store.db.transaction().execute(async (change) => {
      await change
        .insertInto('sign_in_links')
        .values({ hash: hashOf(token), account_id: accountId, created_at: now, expires_at: now + lifetimeMs })
        .execute();
      await record(change, { action: 'link.created', accountId, subject: accountId, details: { expires_at } });
    });
    return { path: `/#/welcome/${token}`, expires_at };
  }

  async show(token: string): Promise<{ accountId: number; account: string; expiresAt: number }> {
    const found = await this.#store.db
      .selectFrom('sign_in_links')
      .innerJoin('accounts', 'accounts.id', 'sign_in_links.account_id')
      .select(['accounts.id as accountId', 'accounts.name as account', 'sign_in_links.expires_at as expiresAt'])
      .select('accounts.disabled_at')
      .where('sign_in_links.hash', '=', hashOf(token))
      .where('sign_in_links.expires_at', '>', Date.now())
      .executeTakeFirst();
    if (!found) throw new Refusal('link_unknown', { contact: this.#contact });
    if (found.disabled_at !== null) throw new Refusal('account_disabled', { name: found.account });
    return found;
  }

  /** Sets the password. Of two concurrent uses one fails. All other links of the account become invalid. */
  async use(token: string, password: string): Promise<number> {
    const { accountId } = await this.show(token);
    const hash = await hashPassword(password);
    await this.#store.db.transaction().execute(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('sign_in_links')
        .where('hash', '=', hashOf(token))
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) throw new Refusal('link_unknown', { contact: this.#contact });
      await transaction.deleteFrom('sign_in_links').where('account_id', '=', accountId).execute();
      const changed = { hash, changed_at: Date.now() };
      await transaction
        .insertInto('passwords')
        .values({ account_id: accountId, ...changed })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(changed))
        .execute();
      await record(transaction, { action: 'password.set', accountId, subject: accountId, details: { by: 'link' } });
    });
    return accountId;
  }
}
