// Bases of the versions of a memory: a memory may have moved, and each version stays on the base on which it was made.
import type { OwnMemory } from '../memories/rows.ts';
import type { Models } from '../models/models.ts';
import type { Store } from '../store/database.ts';

/** Folders of the bases that still exist. */
export async function basesOf(
  { db }: Store,
  models: Models,
  { id, account_id, base_model }: OwnMemory,
): Promise<string[]> {
  const rows = await db
    .selectFrom('memory_changes')
    .innerJoin('tuning_jobs', 'tuning_jobs.id', 'memory_changes.job_id')
    .select('tuning_jobs.base_model')
    .distinct()
    .where('memory_changes.memory_id', '=', id)
    .execute();
  const names = new Set([base_model, ...rows.map((row) => row.base_model)]);
  const found = [...names].map(async (name) => await models.find(name, account_id).catch(() => undefined));
  return (await Promise.all(found)).flatMap((base) => base?.folder ?? []);
}
