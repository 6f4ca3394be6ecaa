// Erases texts of facts in the sources of other facts of the memory, since a quote may state several facts.
import type { FactSource } from '@lorekeep/contract';
import { searchOf } from '../../memories/fact-details.ts';
import type { Operation } from '../../memories/operations.ts';
import { isInVersion } from '../selection.ts';
import { type ErasureScope, preselects } from './kept-place.ts';

export interface ErasedSources {
  count: number;
  /** Versions that this erasure does not rebuild, although their models keep such a source in their facts file. */
  versions: number[];
}

export async function eraseSources(place: ErasureScope): Promise<ErasedSources> {
  const { change, text, memory, erasure } = place;
  const rows = await change
    .selectFrom('memory_facts')
    .select(['id', 'input', 'output', 'subject', 'source', 'since', 'until'])
    .where('memory_id', '=', memory.id)
    .where('source', 'is not', null)
    .where(preselects(place, 'source'))
    .execute();
  const versions = await change
    .selectFrom('memory_versions')
    .select('number')
    .where('memory_id', '=', memory.id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('erased_versions')
            .select('version')
            .whereRef('erased_versions.memory_id', '=', 'memory_versions.memory_id')
            .whereRef('erased_versions.version', '=', 'memory_versions.number')
            .where((eb) => eb.or([eb('erasure', '=', erasure), eb('outcome', '=', 'ended')])),
        ),
      ),
    )
    .orderBy('number')
    .execute();
  const quoting = new Set<number>();
  let count = 0;
  for (const { id, source, since, until, ...fact } of rows) {
    const said = text.withoutInSource(JSON.parse(source!) as FactSource);
    if (said === undefined) continue;
    await change
      .updateTable('memory_facts')
      .set({
        source: JSON.stringify(said),
        source_name: said.name ?? null,
        search: searchOf({ ...fact, source: said }),
      })
      .where('id', '=', id)
      .execute();
    for (const { number } of versions) if (isInVersion({ since, until }, number)) quoting.add(number);
    count++;
  }
  return { count, versions: [...quoting].sort((a, b) => a - b) };
}

/** Erases sources in changes that wait for the erasure. Their facts stay, since they were requested afterwards. */
export async function eraseOrdered(place: ErasureScope): Promise<number> {
  const { change, text, memory, erasure } = place;
  const rows = await change
    .selectFrom('memory_changes')
    .select(['id', 'operations'])
    .where('memory_id', '=', memory.id)
    .where('number', '<>', erasure)
    .where(preselects(place, 'operations'))
    .execute();
  let count = 0;
  for (const { id, operations } of rows) {
    let found = false;
    const left = (JSON.parse(operations) as Operation[]).map((operation) => {
      const source = text.withoutInSource(operation.source);
      found ||= source !== undefined;
      return source === undefined ? operation : { ...operation, source };
    });
    if (!found) continue;
    await change
      .updateTable('memory_changes')
      .set({ operations: JSON.stringify(left) })
      .where('id', '=', id)
      .execute();
    count++;
  }
  return count;
}
