// Withdraws the open proposal of a vote that another vote on the same answer replaces.
import type { Selectable } from 'kysely';
import { record } from '../../audit/record.ts';
import type { Store } from '../../store/database.ts';
import type { FeedbackRow } from '../../store/tables/feedback.ts';
import { type Change, lockMemory } from '../memory-store.ts';

type Vote = Selectable<FeedbackRow>;

/** `now` is the proposal of the new vote, which may be the same. A proposal that another vote shares stays open. */
export async function withdrawReplaced(
  store: Store,
  change: Change,
  { id, account_id, answer_id, memory: name, proposal: number }: Vote,
  { actor, now }: { actor: string; now: number | null },
): Promise<void> {
  if (number === null || name === null || number === now) return;
  const found = await change
    .selectFrom('memories')
    .select('id')
    .where('account_id', '=', account_id)
    .where('name', '=', name)
    .executeTakeFirst();
  const memory = found && (await lockMemory(store, change, found.id));
  if (!memory) return;
  const shared = await change
    .selectFrom('feedback')
    .select('id')
    .where('account_id', '=', account_id)
    .where('memory', '=', name)
    .where('proposal', '=', number)
    .where('id', '<>', id)
    .executeTakeFirst();
  if (shared) return;
  const { numUpdatedRows } = await change
    .updateTable('memory_proposals')
    .set({ state: 'withdrawn', reason: 'The vote was changed.', decided_by: actor, decided_at: Date.now() })
    .where('memory_id', '=', memory.id)
    .where('number', '=', number)
    .where('state', '=', 'open')
    .where('kind', '=', 'feedback')
    .where('conversation', '=', answer_id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const details = { count: 1, numbers: [number] };
  await record(change, { action: 'proposals.withdrawn', accountId: account_id, subject: name, details });
}
