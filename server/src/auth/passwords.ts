// Passwords of accounts: verify and change.
import { Refusal } from '@lorekeep/contract';
import { record, recordAlone } from '../audit/record.ts';
import type { Store } from '../store/database.ts';
import { hashPassword, isPassword } from './password-hash.ts';

export class Passwords {
  readonly #store: Store;
  readonly #contact: string;

  constructor(store: Store, contact: string) {
    this.#store = store;
    this.#contact = contact;
  }

  async isSet(accountId: number): Promise<boolean> {
    return (await this.#of(accountId)) !== undefined;
  }

  /** Id of the account with this name and password. */
  async check(name: string, password: string): Promise<number> {
    const account = await this.#store.db
      .selectFrom('accounts')
      .leftJoin('passwords', 'passwords.account_id', 'accounts.id')
      .select(['accounts.id', 'accounts.disabled_at', 'passwords.hash'])
      .where('accounts.name', '=', name.trim())
      .executeTakeFirst();
    const right = await isPassword(password, account?.hash ?? undefined);
    // An unknown name is not recorded: it may be a password that was typed into the wrong field.
    if (account && !right)
      await recordAlone(this.#store, {
        ...{ action: 'session.refused', accountId: account.id, subject: account.id },
        details: { reason: 'wrong password' },
      });
    if (!account || !right) throw this.#wrong();
    if (account.disabled_at !== null) throw new Refusal('account_disabled', { name: name.trim() });
    return account.id;
  }

  async change(accountId: number, present: string, next: string): Promise<void> {
    const stored = await this.#of(accountId);
    if (!(await isPassword(present, stored?.hash))) throw this.#wrong();
    const hash = await hashPassword(next);
    await this.#store.db.transaction().execute(async (change) => {
      await change
        .updateTable('passwords')
        .set({ hash, changed_at: Date.now() })
        .where('account_id', '=', accountId)
        .execute();
      await record(change, { action: 'password.changed', accountId, subject: accountId });
    });
  }

  async #of(accountId: number) {
    return await this.#store.db
      .selectFrom('passwords')
      .select('hash')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
  }

  #wrong(): Refusal {
    return new Refusal('sign_in_wrong', { contact: this.#contact }) as Refusal;
  }
}
