// Notices of a reading: the parts of a file that gave no proposal, and the files that were not read.
import type { Change } from '../memory-store.ts';
import { queryInBatches } from '../proposals/rows.ts';
import type { OwnReading } from './readings.ts';

const maxNamed = 20;

/** Lines and rows that state something, from which nothing was proposed. */
export function skippedIn(name: string, { lines, rows }: { lines: number; rows: number }): string[] {
  const parts = [counted(lines, 'key-value line'), counted(rows, 'row of a table', 'rows of tables')].filter(Boolean);
  return parts.length === 0 ? [] : [`Of ${name} ${parts.join(' and ')} gave no proposal.`];
}

const counted = (count: number, one: string, more = `${one}s`): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : more}`;

/** The selected files that have no text, each with the reason. */
export async function unreadFiles(change: Change, { index_id, only }: OwnReading): Promise<string[]> {
  if (only === null) return [];
  const rows = await queryInBatches(JSON.parse(only) as number[], async (some) =>
    change
      .selectFrom('index_files')
      .select(['name', 'state', 'reason'])
      .where('index_id', '=', index_id)
      .where('id', 'in', some)
      .where('state', '<>', 'done')
      .orderBy('id')
      .execute(),
  );
  const why = ({ state, reason }: (typeof rows)[number]) =>
    state === 'failed'
      ? (reason ?? 'it could not be read')
      : state === 'deleting'
        ? 'it is deleted'
        : 'it is not indexed yet';
  const told = rows.slice(0, maxNamed).map((row) => `${row.name} was not read: ${why(row)}.`);
  return rows.length > maxNamed ? [...told, `${rows.length - maxNamed} more files were not read.`] : told;
}
