// How many bytes an account may still store.
import { Refusal } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import { storedBytes } from '../accounts/storage.ts';
import type { Caller } from '../keys/caller.ts';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';

export class Room {
  readonly #store: Store;
  readonly #contact: string;

  constructor(store: Store, contact: string) {
    this.#store = store;
    this.#contact = contact;
  }

  async left(caller: Caller): Promise<{ bytes: number; full(): Refusal }> {
    const limit = caller.account.limits.storage_bytes;
    const full = () => new Refusal('storage_limit', { limit: limit ?? 0, contact: this.#contact }) as Refusal;
    if (limit === null) return { bytes: Number.POSITIVE_INFINITY, full };
    return { bytes: limit - (await storedBytes(this.#store.db, caller.account.id)), full };
  }

  /** In the step that stores them: what others store meanwhile counts as well. */
  async refuseFull(transaction: Transaction<Tables>, caller: Caller, files: { bytes: number }[]): Promise<void> {
    const limit = caller.account.limits.storage_bytes;
    if (limit === null || files.length === 0) return;
    const account = transaction.selectFrom('accounts').select('id').where('id', '=', caller.account.id);
    await (this.#store.engine === 'postgres' ? account.forUpdate() : account).execute();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if ((await storedBytes(transaction, caller.account.id)) + bytes > limit) throw (await this.left(caller)).full();
  }
}
