// Storage quota of an account: the bytes of documents that it may still store.
import type { Transaction } from 'kysely';
import { type RemainingStorage as Left, lockAccount, remainingStorage } from '../accounts/storage.ts';
import type { Caller } from '../auth/caller.ts';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';

export class StorageQuota {
  readonly #store: Store;
  readonly #contact: string;

  constructor(store: Store, contact: string) {
    this.#store = store;
    this.#contact = contact;
  }

  async left(caller: Caller): Promise<Left> {
    return await remainingStorage(this.#store.db, caller, this.#contact);
  }

  /** Checks the quota in the transaction that stores the files, so that concurrent uploads count. */
  async refuseFull(change: Transaction<Tables>, caller: Caller, files: { bytes: number }[]): Promise<void> {
    if (caller.account.limits.storage_bytes === null || files.length === 0) return;
    await lockAccount(this.#store, change, caller.account.id);
    const { bytes, full } = await remainingStorage(change, caller, this.#contact);
    if (files.reduce((sum, file) => sum + file.bytes, 0) > bytes) throw full();
  }
}
