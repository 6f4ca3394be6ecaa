/** A page of a list of which one row more than `limit` was looked for: whether there was one tells where the next page begins, if at all. */
export function pageOf<Row>(
  found: Row[],
  limit: number,
  placeOf: (row: Row) => number,
): { rows: Row[]; next: number | null } {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? placeOf(rows.at(-1)!) : null };
}
