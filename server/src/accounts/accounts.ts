// Accounts and their rules. All stored data belongs to an account.
import { type Account, type LimitChanges, type Limits, Refusal } from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import { record } from '../audit/record.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { isUniqueViolation, type Store } from '../store/database.ts';
import { withRowLock } from '../store/lock.ts';
import type { AccountRow } from '../store/schema.ts';
import { changedLimits, effectiveLimits, type OwnLimits } from './limits.ts';
import { storedByAccount, storedBytes } from './storage.ts';

type Row = Selectable<AccountRow>;

export class Accounts {
  readonly #store: Store;
  readonly #blobs: Blobs;
  readonly #defaults: Limits;

  constructor(store: Store, blobs: Blobs, defaults: Limits) {
    this.#store = store;
    this.#blobs = blobs;
    this.#defaults = defaults;
  }

  /** The operator's account, created at the very first start. Servers that start at once agree on one. */
  async ensureOperator(): Promise<number> {
    const found = await this.#operatorId();
    if (found !== undefined) return found;
    try {
      return await this.#insert('operator', 'operator', {});
    } catch (error) {
      const other = isUniqueViolation(error) ? await this.#operatorId() : undefined;
      if (other === undefined) throw error;
      return other;
    }
  }

  async #operatorId(): Promise<number | undefined> {
    const row = await this.#store.db
      .selectFrom('accounts')
      .select('id')
      .where('role', '=', 'operator')
      .executeTakeFirst();
    return row?.id;
  }

  async list(): Promise<Account[]> {
    const rows = await this.#store.db.selectFrom('accounts').selectAll().orderBy('id').execute();
    const bytes = await storedByAccount(this.#store.db);
    return rows.map((row) => this.#toAccount(row, bytes.get(row.id) ?? 0));
  }

  async show(id: number): Promise<Account> {
    const row = await this.#store.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) throw new Refusal('account_not_found', { id });
    return this.#toAccount(row, await storedBytes(this.#store.db, id));
  }

  async create(name: string, limits?: LimitChanges): Promise<Account> {
    try {
      return await this.show(await this.#insert(name, 'member', changedLimits({}, limits)));
    } catch (error) {
      if (isUniqueViolation(error)) throw new Refusal('name_taken', { name });
      throw error;
    }
  }

  async #insert(name: string, role: Row['role'], limits: OwnLimits): Promise<number> {
    return await this.#store.db.transaction().execute(async (change) => {
      const { id } = await change
        .insertInto('accounts')
        .values({ name, role, limits: JSON.stringify(limits), created_at: Date.now(), disabled_at: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      await record(change, { action: 'account.created', accountId: id, subject: id, details: { name, role, limits } });
      return id;
    });
  }

  async change(
    id: number,
    changes: { name?: string | undefined; limits?: LimitChanges | undefined; disabled?: boolean | undefined },
  ): Promise<Account> {
    try {
      await this.#store.db.transaction().execute(async (transaction) => {
        const select = transaction.selectFrom('accounts').selectAll().where('id', '=', id);
        const row = await withRowLock(this.#store, select).executeTakeFirst();
        if (!row) throw new Refusal('account_not_found', { id });
        if (row.role === 'operator' && changes.disabled) throw new Refusal('operator_account', { action: 'disabled' });
        await transaction
          .updateTable('accounts')
          .set({
            name: changes.name ?? row.name,
            limits: JSON.stringify(changedLimits(JSON.parse(row.limits), changes.limits)),
            disabled_at:
              changes.disabled === undefined
                ? row.disabled_at
                : changes.disabled
                  ? (row.disabled_at ?? Date.now())
                  : null,
          })
          .where('id', '=', id)
          .execute();
        if (changes.disabled) await transaction.deleteFrom('sessions').where('account_id', '=', id).execute();
        await record(transaction, { action: 'account.changed', accountId: id, subject: id, details: { ...changes } });
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new Refusal('name_taken', { name: changes.name ?? '' });
      throw error;
    }
    await this.#store.watch.announce();
    return await this.show(id);
  }

  /** Deletes its keys and records too, then its files. Files left by a crash are swept at a later start. */
  async delete(id: number): Promise<void> {
    const files = await this.#store.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('accounts')
        .select(['role', 'name'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) throw new Refusal('account_not_found', { id });
      if (row.role === 'operator') throw new Refusal('operator_account', { action: 'deleted' });
      const datasets = await transaction.selectFrom('datasets').select('blob').where('account_id', '=', id).execute();
      const documents = await transaction
        .selectFrom('index_files')
        .innerJoin('indexes', 'indexes.id', 'index_files.index_id')
        .select('index_files.blob')
        .where('indexes.account_id', '=', id)
        .execute();
      await transaction.deleteFrom('accounts').where('id', '=', id).execute();
      const details = { name: row.name };
      await record(transaction, { action: 'account.deleted', accountId: id, subject: id, details });
      return [...datasets, ...documents].map(({ blob }) => blob);
    });
    await this.#store.watch.announce();
    for (const file of files) await this.#blobs.remove(file);
  }

  #toAccount(row: Row, storageUsed: number): Account {
    return {
      id: row.id,
      name: row.name,
      role: row.role,
      limits: effectiveLimits(row.role, JSON.parse(row.limits), this.#defaults),
      storage_used_bytes: storageUsed,
      created_at: new Date(row.created_at).toISOString(),
      disabled_at: row.disabled_at === null ? null : new Date(row.disabled_at).toISOString(),
    };
  }
}
