// Reads stored passages by file and number.

import type { Passage } from '@lorekeep/reader';
import type { Store } from '../store/database.ts';
import { type PassageId, passageKey } from '../vectors/vectors.ts';

export type StoredPassage = Passage & { part?: string };

/** Databases limit the number of parameters of a query. */
const rowsAtOnce = 200;

/**
 * Passages of an index by file and number. The index is compared afterwards: as a condition, it would make the database scan all
 * passages of the index instead of looking up each one.
 */
export async function passagesAt(
  store: Store,
  indexId: number,
  places: PassageId[],
): Promise<Map<string, StoredPassage>> {
  const parts = Array.from({ length: Math.ceil(places.length / rowsAtOnce) }, (_, at) =>
    places.slice(at * rowsAtOnce, (at + 1) * rowsAtOnce),
  );
  const rows = await Promise.all(
    parts.map((part) =>
      store.db
        .selectFrom('index_passages')
        .select(['index_id', 'file_id', 'number', 'passage'])
        .where((eb) => eb.or(part.map(({ file, number }) => eb.and({ file_id: file, number }))))
        .execute(),
    ),
  );
  return new Map(
    rows
      .flat()
      .filter((row) => row.index_id === indexId)
      .map((row) => [passageKey({ file: row.file_id, number: row.number }), JSON.parse(row.passage) as StoredPassage]),
  );
}
