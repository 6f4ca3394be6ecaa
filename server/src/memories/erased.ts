// Versions of a memory that an erasure has ended, and the refusals because of erasures.
import { Refusal } from '@lorekeep/contract';
import type { Db, OwnMemory } from './memory-store.ts';

/** Versions that an erasure has ended, with the number of its receipt. */
export async function endedVersions(db: Db, memoryId: number): Promise<Map<number, number | null>> {
  const rows = await db
    .selectFrom('erased_versions')
    .innerJoin('erasures', (join) =>
      join
        .onRef('erasures.memory_id', '=', 'erased_versions.memory_id')
        .onRef('erasures.number', '=', 'erased_versions.erasure'),
    )
    .select(['erased_versions.version', 'erasures.receipt'])
    .where('erased_versions.memory_id', '=', memoryId)
    .where('erased_versions.outcome', '=', 'ended')
    .where('erasures.step', '!=', 'rebuilding')
    .execute();
  return new Map(rows.map(({ version, receipt }) => [version, receipt]));
}

/** Refuses to publish an ended version, and any publishing while an erasure of the memory runs. */
export async function refuseErased(db: Db, memory: OwnMemory, version?: number): Promise<void> {
  const { id, name } = memory;
  const busy = await db
    .selectFrom('memory_changes')
    .select(['number', 'actor'])
    .where('memory_id', '=', id)
    .where('kind', '=', 'erase')
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (busy) throw new Refusal('memory_busy', { name, number: busy.number, who: busy.actor });
  if (version !== undefined) await refuseEnded(db, memory, version);
}

/** Refuses a version that an erasure has ended. */
export async function refuseEnded(db: Db, { id, name }: OwnMemory, version: number): Promise<void> {
  const receipt = (await endedVersions(db, id)).get(version);
  if (receipt !== undefined)
    throw new Refusal('version_erased', { name, version, receipt: receipt ?? 'not written yet' });
}
