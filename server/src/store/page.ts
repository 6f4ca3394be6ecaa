/** Cursor pagination: a page of rows queried with `limit + 1`. The additional row shows whether there is a next page. */
export function pageOf<Row>(
  found: Row[],
  limit: number,
  placeOf: (row: Row) => number,
): { rows: Row[]; next: number | null } {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? placeOf(rows.at(-1)!) : null };
}

/** A query whose rows have an id. */
interface ById<Row> {
  orderBy(column: 'id', direction: 'desc'): ById<Row>;
  limit(count: number): ById<Row>;
  where(column: 'id', is: '<', id: number): ById<Row>;
  execute(): Promise<Row[]>;
}

/** The newest rows of a query, or those older than the cursor `after`. */
export async function newestPage<Row extends { id: number }>(query: ById<Row>, limit: number, after?: number) {
  const newest = query.orderBy('id', 'desc').limit(limit + 1);
  const found = await (after === undefined ? newest : newest.where('id', '<', after)).execute();
  return pageOf(found, limit, ({ id }) => id);
}
