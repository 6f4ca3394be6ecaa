// Tuned models and the custom names that point to them: found by either, by their account, and by others if they are public.
import { Refusal, type TunedModel } from '@lorekeep/contract';
import type { Selectable, Transaction } from 'kysely';
import { record, recordAlone } from '../audit/record.ts';
import type { Caller } from '../auth/caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/database.ts';
import { pageOf } from '../store/page.ts';
import type { Tables, TunedModelRow } from '../store/schema.ts';
import { accountOf, moveAlias, qualified, recordPublished } from './aliases.ts';
import { changedPolicy, type Policy, policyOf, shownPolicy } from './policy.ts';
import type { TunedFolders } from './tuned-folders.ts';

export type TunedModelRecord = Selectable<TunedModelRow> & { alias: string | null };

export class TunedModels {
  readonly #store: Store;
  readonly #folders: TunedFolders;

  constructor(store: Store, folders: TunedFolders) {
    this.#store = store;
    this.#folders = folders;
  }

  /** Fetches the model to this machine if another one has made it. */
  async folder(name: string): Promise<string> {
    return await this.#folders.model(name);
  }

  path(name: string): string {
    return this.#folders.path(name);
  }

  /** Finds a model by its name, by a custom name of the account, or by the custom name of another account with that account's number. */
  async find(name: string, accountId: number | undefined): Promise<TunedModelRecord | undefined> {
    const { alias, accountId: owner } = accountOf(name) ?? { alias: name, accountId };
    const pointer =
      owner === undefined
        ? undefined
        : await this.#store.db
            .selectFrom('model_aliases')
            .select('model_name')
            .where('account_id', '=', owner)
            .where('alias', '=', alias)
            .executeTakeFirst();
    return await this.#query(accountId)
      .where('tuned_models.name', '=', pointer?.model_name ?? name)
      .executeTakeFirst();
  }

  /** The refusal for an unknown name. If others have published a model of this name, it names theirs. */
  async notFound(name: string): Promise<Refusal> {
    const others = await this.#store.db
      .selectFrom('model_aliases')
      .innerJoin('tuned_models', 'tuned_models.name', 'model_aliases.model_name')
      .select(['model_aliases.alias', 'model_aliases.account_id'])
      .where('model_aliases.alias', '=', name)
      .where('tuned_models.is_public', '=', 1)
      .orderBy('model_aliases.account_id')
      .limit(3)
      .execute();
    const names = others.map(({ alias, account_id }) => `"${qualified(alias, account_id)}"`).join(' or ');
    const hint = `A custom name is of one account. Another one has a public model of this name: ask for ${names}.`;
    return new Refusal('model_not_found', { name: name.slice(0, 200) }, others.length > 0 ? { hint } : {});
  }

  /** Models of the account, and public ones of others. */
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

  async visible(accountId: number | undefined): Promise<TunedModelRecord[]> {
    return await this.#query(accountId).orderBy('job_id', 'desc').limit(1000).execute();
  }

  async list(caller: Caller, limit: number, after: number | undefined) {
    let query = this.#query(caller.account.id)
      .where('account_id', '=', caller.account.id)
      .orderBy('job_id', 'desc')
      .limit(limit + 1);
    if (after !== undefined) query = query.where('job_id', '<', after);
    const { rows, next } = pageOf(await query.execute(), limit, ({ job_id }) => job_id);
    return { models: rows.map((row) => toTunedModel(row, caller.account.id)), next };
  }

  async show(caller: Caller, name: string): Promise<TunedModel & { report: Record<string, unknown> | null }> {
    const row = await this.#visible(caller, name);
    return { ...toTunedModel(row, caller.account.id), report: await this.#folders.report(row.name) };
  }

  async #visible(caller: Caller, name: string): Promise<TunedModelRecord> {
    const row = await this.find(name, caller.account.id);
    if (!row) throw await this.notFound(name);
    return row;
  }

  /** The model, for actions that only its account may do. */
  async own(caller: Caller, name: string): Promise<TunedModelRecord> {
    const row = await this.#visible(caller, name);
    if (row.account_id !== caller.account.id) throw new Refusal('model_not_found', { name });
    return row;
  }

  async visibleTo(caller: Caller, name: string): Promise<TunedModelRecord> {
    return await this.#visible(caller, name);
  }

  async change(
    caller: Caller,
    name: string,
    { alias, isPublic, policy = {} }: { alias?: string | undefined; isPublic?: boolean | undefined; policy?: Policy },
  ): Promise<TunedModel> {
    const row = await this.own(caller, name);
    const set = Object.values(policy).some((value) => value !== undefined);
    await this.#store.db.transaction().execute(async (change) => {
      if (set) await setPolicy(change, row, policy);
      if (isPublic !== undefined)
        await change
          .updateTable('tuned_models')
          .set({ is_public: isPublic ? 1 : 0 })
          .where('name', '=', row.name)
          .execute();
      if (alias !== undefined)
        await moveAlias(change, { alias, accountId: row.account_id, model: row.name, jobId: row.job_id });
      if (isPublic !== undefined)
        await record(change, {
          ...{ action: 'model.changed', accountId: row.account_id, subject: row.name },
          details: { is_public: isPublic },
        });
      if (alias !== undefined) await recordPublished(change, row.account_id, row.name, alias);
    });
    return toTunedModel((await this.find(row.name, caller.account.id))!, caller.account.id);
  }

  /** An export is recorded in the audit log before its first byte is sent. */
  async recordExport({ account_id, name }: TunedModelRecord, format: string): Promise<void> {
    const entry = { accountId: account_id, subject: name, details: { format } };
    await recordAlone(this.#store, { action: 'model.exported', ...entry });
  }

  /** Deletes the record first, so that the model is not asked any more. A folder left by a crash is swept. */
  async delete(caller: Caller, name: string, engine: Pick<Engine, 'unready' | 'unload'>): Promise<string> {
    const row = await this.own(caller, name);
    await this.#store.db.transaction().execute(async (change) => {
      await refuseVersion(change, row.name);
      await change.deleteFrom('model_aliases').where('model_name', '=', row.name).execute();
      await change.deleteFrom('tuned_models').where('name', '=', row.name).execute();
      const entry = { accountId: row.account_id, subject: row.name, details: { name: row.alias, facts: row.facts } };
      await record(change, { action: 'model.deleted', ...entry });
    });
    if (engine.unready() === undefined) await engine.unload(this.path(row.name)).catch(() => {});
    await this.#folders.remove(row.name);
    return row.name;
  }

  /** The name of the model of an account that was imported from this file. */
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
  async newest(accountId: number, base: string, limit: number): Promise<string[]> {
    const rows = await this.#store.db
      .selectFrom('tuned_models')
      .select('name')
      .where('account_id', '=', accountId)
      .where('base_model', '=', base)
      .orderBy('job_id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ name }) => name);
  }
}

/** Keeps fields that others set concurrently: the row is read in the transaction that writes it. */
async function setPolicy(
  change: Transaction<Tables>,
  { name, account_id }: TunedModelRecord,
  policy: Policy,
): Promise<void> {
  const rows = change.updateTable('tuned_models').where('name', '=', name);
  // Writes before it reads, so that the row is locked.
  const row = await rows.set({ name }).returning('policy').executeTakeFirst();
  if (!row) throw new Refusal('model_not_found', { name });
  const now = changedPolicy(row, policy);
  await rows.set({ policy: now }).execute();
  const details = policyOf({ policy: now });
  await record(change, { action: 'model.changed', accountId: account_id, subject: name, details: { ...details } });
}

/** Versions of a memory are deleted only with the memory. */
async function refuseVersion(change: Transaction<Tables>, model: string): Promise<void> {
  const version = await change
    .selectFrom('memory_versions')
    .innerJoin('memories', 'memories.id', 'memory_versions.memory_id')
    .select(['memories.name', 'memory_versions.number'])
    .where('memory_versions.model_name', '=', model)
    .executeTakeFirst();
  if (version) throw new Refusal('model_of_memory', { name: version.name, version: version.number });
}

/** The name under which an account asks for this model. */
export function nameFor(accountId: number | undefined, { name, alias, account_id }: TunedModelRecord): string {
  if (alias === null) return name;
  return account_id === accountId ? alias : qualified(alias, account_id);
}

export function toTunedModel(row: TunedModelRecord, accountId: number): TunedModel {
  return {
    model_name: row.name,
    custom_model_name: row.alias === null ? null : nameFor(accountId, row),
    qualified_name: row.alias === null ? null : qualified(row.alias, row.account_id),
    base_model: row.base_model,
    job_id: row.job_id,
    dataset_id: row.dataset_id,
    is_public: row.is_public === 1,
    facts: row.facts,
    facts_recalled: row.facts_recalled,
    experts: row.experts,
    bytes: row.bytes,
    ...shownPolicy(row),
    created_at: new Date(row.created_at).toISOString(),
  };
}
