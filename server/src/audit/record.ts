// Writes rows of the audit log: each in the transaction of the recorded change, so that neither exists without the other.
import type { AuditAction } from '@lorekeep/contract';
import type { Transaction } from 'kysely';
import type { Store } from '../store/database.ts';
import type { Tables } from '../store/schema.ts';
import { type Actor, currentActor } from './actor.ts';
import { canonical, hashOf, storable, storableDetails } from './chain.ts';

export interface Entry {
  action: AuditAction;
  /** The account concerned; null if there is none. */
  accountId: number | null;
  subject: string | number;
  /** Never a key, a password or the text of a fact: facts can be erased, rows cannot. */
  details?: Record<string, unknown>;
  /** Actor if not the caller of the request: a person who signs in. */
  actor?: Actor;
}

/**
 * Must be the last step of a transaction: it locks the row that all other writers wait for. A lock taken after it could
 * deadlock with an owner that waits for this row.
 */
export async function record(change: Transaction<Tables>, { action, accountId, ...entry }: Entry): Promise<void> {
  const { number, hash: previous } = await change
    .updateTable('audit_head')
    .set((eb) => ({ number: eb('number', '+', 1) }))
    .where('id', '=', 1)
    .returning(['number', 'hash'])
    .executeTakeFirstOrThrow();
  const actor = entry.actor ?? currentActor();
  const row = {
    ...{ number, at: Date.now(), account_id: accountId },
    ...{ actor_kind: actor.kind, actor_account: actor.account_id, actor_name: storable(actor.name) },
    ...{ actor_key: actor.key_id, action, subject: storable(String(entry.subject)) },
    ...{ details: canonical(storableDetails(entry.details ?? {})), previous },
  };
  const hash = hashOf(row);
  await change
    .insertInto('audit_rows')
    .values({ ...row, hash })
    .execute();
  await change.updateTable('audit_head').set({ hash }).where('id', '=', 1).execute();
}

/** Records an event that changes nothing else: an export, a refused sign-in. */
export async function recordAlone(store: Store, entry: Entry): Promise<void> {
  await store.db.transaction().execute(async (change) => await record(change, entry));
}
