// The commit of an erasure, in one transaction: replaces the old models by the rebuilt ones in every version, removes ended
// versions and erased rows, and records what is to be removed outside of the database.

import type { Change, OwnChange } from '../memories/rows.ts';
import { pointAlias } from '../models/aliases.ts';
import type { Store } from '../store/database.ts';
import type { ErasedVersion, Work } from './dependencies.ts';
import { lockForErasure } from './lock-memory.ts';
import { removeOrphans } from './orphans.ts';
import type { ChosenFact } from './selection.ts';

export async function swap(store: Store, order: OwnChange, facts: ChosenFact[]): Promise<void> {
  await store.db.transaction().execute(async (change) => {
    const memory = await lockForErasure(store, change, order);
    const erasures = change
      .updateTable('erasures')
      .where('memory_id', '=', order.memory_id)
      .where('number', '=', order.number);
    // Writes before it reads, so that a second server sees the result of the first.
    const begun = await erasures
      .set({ step: 'removing', removing_since: Date.now() })
      .where('step', '=', 'rebuilding')
      .executeTakeFirstOrThrow();
    if (begun.numUpdatedRows === 0n) return;
    const versions = await change
      .selectFrom('erased_versions')
      .selectAll()
      .where('memory_id', '=', order.memory_id)
      .where('erasure', '=', order.number)
      .execute();
    const models: string[] = [];
    for (const row of versions) {
      await replace(change, memory.account_id, row);
      if (await isFree(change, row.model_before)) models.push(row.model_before);
    }
    if (models.length > 0) await change.deleteFrom('tuned_models').where('name', 'in', models).execute();
    // Jobs of dropped versions made a wrong model, or none.
    models.push(
      ...(await removeOrphans(
        change,
        versions.flatMap(({ job_id }) => job_id ?? []),
      )),
    );
    const ended = versions.some(({ outcome, version }) => outcome === 'ended' && version === memory.published);
    if (ended) await change.updateTable('memories').set({ published: null }).where('id', '=', memory.id).execute();
    const rows = facts.map(({ id }) => id);
    for (let at = 0; at < rows.length; at += 500)
      await change
        .deleteFrom('memory_facts')
        .where('id', 'in', rows.slice(at, at + 500))
        .execute();
    const work: Work = { models, facts: rows.length, published: memory.published };
    await erasures.set({ work: JSON.stringify(work) }).execute();
  });
}

async function replace(change: Change, accountId: number, row: ErasedVersion): Promise<void> {
  const { memory_id, version, model_before, model_after, after } = row;
  const now = after === null ? { facts: 0, recalled: 0 } : (JSON.parse(after) as { facts: number; recalled: number });
  const set = { facts: now.facts, recalled: now.recalled, ...(model_after !== null && { model_name: model_after }) };
  await change
    .updateTable('memory_versions')
    .set(set)
    .where('memory_id', '=', memory_id)
    .where('number', '=', version)
    .execute();
  // A model that other memories use is kept, together with their names.
  const others = change
    .selectFrom('memories')
    .select('name')
    .where('account_id', '=', accountId)
    .where('id', '!=', memory_id);
  const names = await change
    .selectFrom('model_aliases')
    .select('alias')
    .where('account_id', '=', accountId)
    .where('model_name', '=', model_before)
    .where('alias', 'not in', others)
    .execute();
  for (const { alias } of names)
    if (model_after !== null) await pointAlias(change, { alias, accountId, model: model_after, jobId: row.job_id! });
    else
      await change.deleteFrom('model_aliases').where('account_id', '=', accountId).where('alias', '=', alias).execute();
}

/** Whether no version of any memory uses this model. */
async function isFree(change: Change, model: string): Promise<boolean> {
  const other = await change
    .selectFrom('memory_versions as version')
    .select('number')
    .where('model_name', '=', model)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('erased_versions')
            .select('erasure')
            .whereRef('erased_versions.memory_id', '=', 'version.memory_id')
            .whereRef('erased_versions.version', '=', 'version.number')
            .where('outcome', '=', 'ended'),
        ),
      ),
    )
    .executeTakeFirst();
  return other === undefined;
}
