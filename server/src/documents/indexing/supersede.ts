// Marks earlier files of the same name for removal, in the transaction that stores the outcome of a later one: one that is read replaces
// all earlier ones, one that failed or was cancelled only those that ended like it.
import type { FileState } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '../../store/schema.ts';

export async function supersede(
  transaction: Transaction<Tables>,
  indexId: number,
  changes: { id: number; state?: FileState }[],
): Promise<void> {
  const ended = changes.filter(({ state }) => state && ['done', 'failed', 'cancelled'].includes(state));
  if (ended.length === 0) return;
  const rows = transaction
    .selectFrom('index_files')
    .select(['id', 'name', 'state', 'created_at'])
    .where('index_id', '=', indexId);
  // The stored state counts: a file that is being deleted replaces nothing.
  const later = (
    await rows
      .where(
        'id',
        'in',
        ended.map(({ id }) => id),
      )
      .execute()
  ).filter(({ state }) => state !== 'deleting');
  if (later.length === 0) return;
  const all = await rows
    .where('name', 'in', [...new Set(later.map(({ name }) => name))])
    .where('state', '<>', 'deleting')
    .execute();
  const replaced = all.filter((file) =>
    later.some(
      ({ id, name, state, created_at }) =>
        // Files of one request have one time, and stay beside each other.
        name === file.name &&
        id > file.id &&
        created_at !== file.created_at &&
        (state === 'done' || ['failed', 'cancelled'].includes(file.state)),
    ),
  );
  if (replaced.length === 0) return;
  await transaction
    .updateTable('index_files')
    .set({ state: 'deleting' })
    .where(
      'id',
      'in',
      replaced.map(({ id }) => id),
    )
    .execute();
}
