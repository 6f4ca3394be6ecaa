// Tuned models and the custom names that point to them: found by either, for the account that has them and where they are public.
import { Refusal, type TunedModel } from '@lorekeep/contract';
import type { Selectable } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Caller } from '../keys/caller.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { TunedModelRow } from '../store/schema.ts';
import { reserveAlias } from '../tuning/aliases.ts';
import type { JobFolders } from '../tuning/job-folders.ts';

export type Tuned = Selectable<TunedModelRow> & { alias: string | null };

export class TunedModels {
  readonly #store: Store;
  readonly #folders: JobFolders;

  constructor(store: Store, folders: JobFolders) {
    this.#store = store;
    this.#folders = folders;
  }

  folder(name: string): string {
    return this.#folders.model(name);
  }

  /** By its name or by a custom name. */
  async find(name: string, accountId: number | undefined): Promise<Tuned | undefined> {
    const alias = await this.#store.db
      .selectFrom('model_aliases')
      .select('model_name')
      .where('alias', '=', name)
      .executeTakeFirst();
    const row = await this.#query(accountId)
      .where('tuned_models.name', '=', alias?.model_name ?? name)
      .executeTakeFirst();
    return row;
  }

  /** Its own, and those of others that are public. */
  #query(accountId: number | undefined) {
    return this.#store.db
      .selectFrom('tuned_models')
      .selectAll('tuned_models')
      .select((eb) =>
        eb
          .selectFrom('model_aliases')
          .select((inner) => inner.fn.min<string | null>('alias').as('alias'))
          .whereRef('model_aliases.model_name', '=', 'tuned_models.name')
          .as('alias'),
      )
      .where((eb) =>
        eb.or([eb('is_public', '=', 1), ...(accountId === undefined ? [] : [eb('account_id', '=', accountId)])]),
      );
  }

  async visible(accountId: number | undefined): Promise<Tuned[]> {
    return await this.#query(accountId).orderBy('job_id', 'desc').limit(1000).execute();
  }

  async list(caller: Caller, limit: number, after: number | undefined) {
    let query = this.#query(caller.account.id)
      .where('account_id', '=', caller.account.id)
      .orderBy('job_id', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('job_id', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ job_id }) => job_id);
    return { models: rows.map(shown), next };
  }

  async show(caller: Caller, name: string): Promise<TunedModel & { report: Record<string, unknown> | null }> {
    const row = await this.#visible(caller, name);
    return { ...shown(row), report: await this.#folders.report(row.name) };
  }

  async #visible(caller: Caller, name: string): Promise<Tuned> {
    const row = await this.find(name, caller.account.id);
    if (!row) throw new Refusal('model_not_found', { name });
    return row;
  }

  /** What only the account that has it may do. */
  async own(caller: Caller, name: string): Promise<Tuned> {
    const row = await this.#visible(caller, name);
    if (row.account_id !== caller.account.id) throw new Refusal('model_not_found', { name });
    return row;
  }

  async visibleTo(caller: Caller, name: string): Promise<Tuned> {
    return await this.#visible(caller, name);
  }

  async change(
    caller: Caller,
    name: string,
    { alias, isPublic }: { alias?: string | undefined; isPublic?: boolean | undefined },
  ): Promise<TunedModel> {
    const row = await this.own(caller, name);
    await this.#store.db.transaction().execute(async (change) => {
      if (isPublic !== undefined)
        await change
          .updateTable('tuned_models')
          .set({ is_public: isPublic ? 1 : 0 })
          .where('name', '=', row.name)
          .execute();
      if (alias === undefined) return;
      await reserveAlias(change, alias, caller.account.id, row.job_id);
      await change
        .updateTable('model_aliases')
        .set({ model_name: row.name, job_id: row.job_id })
        .where('alias', '=', alias)
        .execute();
    });
    return shown((await this.find(row.name, caller.account.id))!);
  }

  /** The record first: what is not listed is not asked. A folder that a crash leaves is swept. */
  async delete(caller: Caller, name: string, engine: Pick<Engine, 'unready' | 'unload'>): Promise<string> {
    const row = await this.own(caller, name);
    await this.#store.db.transaction().execute(async (change) => {
      await change.deleteFrom('model_aliases').where('model_name', '=', row.name).execute();
      await change.deleteFrom('tuned_models').where('name', '=', row.name).execute();
    });
    if (engine.unready() === undefined) await engine.unload(this.folder(row.name)).catch(() => {});
    await this.#folders.removeModel(row.name);
    return row.name;
  }

  /** The name of the model of an account that was imported from this very file. */
  async imported(caller: Caller, source: string): Promise<string | undefined> {
    const row = await this.#store.db
      .selectFrom('tuned_models')
      .select('name')
      .where('account_id', '=', caller.account.id)
      .where('source', '=', source)
      .executeTakeFirst();
    return row?.name;
  }

  /** Models of an account on one base, the newest first. */
  async newest(accountId: number, base: string, most: number): Promise<string[]> {
    const rows = await this.#store.db
      .selectFrom('tuned_models')
      .select('name')
      .where('account_id', '=', accountId)
      .where('base_model', '=', base)
      .orderBy('job_id', 'desc')
      .limit(most)
      .execute();
    return rows.map(({ name }) => name);
  }
}

export function shown(row: Tuned): TunedModel {
  return {
    model_name: row.name,
    custom_model_name: row.alias,
    base_model: row.base_model,
    job_id: row.job_id,
    dataset_id: row.dataset_id,
    is_public: row.is_public === 1,
    facts: row.facts,
    facts_recalled: row.facts_recalled,
    experts: row.experts,
    bytes: row.bytes,
    created_at: new Date(row.created_at).toISOString(),
  };
}
