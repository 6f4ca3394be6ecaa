// Erases texts of facts in the sources of other facts of the memory, since a quote may state several facts.
import type { FactSource } from '@lorekeep/contract';
import type { Operation } from '../../memories/operations.ts';
import { isIn } from '../selection.ts';
import { maybe, type Place } from './kept-place.ts';

export interface ErasedSources {
  count: number;
  /** Versions that this erasure does not rebuild, although their models keep such a source in their facts file. */
  versions: number[];
}

export async function eraseSources(place: Place): Promise<ErasedSources> {
  const { change, text, memory, erasure } = place;
  const rows = await change
    .selectFrom('memory_facts')
    .select(['id', 'source', 'since', 'until'])
    .where('memory_id', '=', memory.id)
    .where('source', 'is not', null)
    .where(maybe(place, 'source'))
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
  for (const { id, source, ...interval } of rows) {
    const left = text.withoutIn(source!, false);
    if (left === undefined) continue;
    const { name } = JSON.parse(left) as FactSource;
    await change
      .updateTable('memory_facts')
      .set({ source: left, source_name: name ?? null })
      .where('id', '=', id)
      .execute();
    for (const { number } of versions) if (isIn(interval, number)) quoting.add(number);
    count++;
  }
  return { count, versions: [...quoting].sort((a, b) => a - b) };
}

/** Erases sources in changes that wait for the erasure. Their facts stay, since they were requested afterwards. */
export async function eraseOrdered(place: Place): Promise<number> {
  const { change, text, memory, erasure } = place;
  const rows = await change
    .selectFrom('memory_changes')
    .select(['id', 'operations'])
    .where('memory_id', '=', memory.id)
    .where('number', '<>', erasure)
    .where(maybe(place, 'operations'))
    .execute();
  let count = 0;
  for (const { id, operations } of rows) {
    let found = false;
    const left = (JSON.parse(operations) as Operation[]).map((operation) => {
      const source = text.without(operation.source ?? null, false) as FactSource | undefined;
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
