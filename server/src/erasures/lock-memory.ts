// Locks the memory of an erasure while the erasure is open.
import { type Change, lockMemory, type OwnChange, type OwnMemory } from '../memories/rows.ts';
import type { Store } from '../store/database.ts';

/** Another server has done this step. */
export class DoneError extends Error {}

export async function lockForErasure(store: Store, change: Change, order: OwnChange): Promise<OwnMemory> {
  const memory = await lockMemory(store, change, order.memory_id);
  const now = await change.selectFrom('memory_changes').select('state').where('id', '=', order.id).executeTakeFirst();
  if (!memory || now?.state !== 'running') throw new DoneError();
  return memory;
}
