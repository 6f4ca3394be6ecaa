// Records of an imported model: a job that has run elsewhere, its model, and its custom name, in one transaction.
import type { JobProgress } from '@lorekeep/contract';
import { lockAccount, remainingStorage } from '../../accounts/storage.ts';
import { record } from '../../audit/record.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Store } from '../../store/database.ts';
import { moveAlias, recordPublished } from '../aliases.ts';
import type { ModelCounts } from '../tuned-folders.ts';

interface Import {
  caller: Caller;
  name: string;
  /** Hash of the received files. */
  source: string;
  base: string;
  /** Its memory.json. */
  about: { arguments: Record<string, unknown>; gate: { budget: string } };
  counts: ModelCounts;
  alias: string | undefined;
  isPublic: boolean | undefined;
  contact: string;
}

export async function recordImport(
  store: Store,
  { caller, name, source, base, about, counts, alias, isPublic, contact }: Import,
): Promise<void> {
  const now = Date.now();
  const { facts, recalled, experts, bytes } = counts;
  const status = recalled === facts ? 'COMPLETED' : 'PARTIALLY COMPLETED';
  const shared = {
    ...{ account_id: caller.account.id, base_model: base },
    is_public: isPublic ? 1 : 0,
    dataset_id: null,
    facts,
    created_at: now,
  };
  await store.db.transaction().execute(async (change) => {
    await lockAccount(store, change, caller.account.id);
    const room = await remainingStorage(change, caller, contact);
    if (bytes > room.bytes) throw room.full();
    const { id } = await change
      .insertInto('tuning_jobs')
      .values({
        ...shared,
        name,
        status,
        model_name: name,
        custom_model_name: alias ?? null,
        // Stored like an uploaded dataset: forgetting trains with these rows.
        arguments: JSON.stringify(withoutNulls(about.arguments)),
        gate: about.gate.budget,
        use_cached_model: 1,
        gpus: 1,
        nodes: 1,
        slots: 1,
        sweep: null,
        priority: 0,
        round: 0,
        resume_count: 0,
        stumbles: 0,
        progress: JSON.stringify(progressOf(counts)),
        warnings: JSON.stringify(['It was not tuned here: its model was imported.']),
        events_read: 0,
        ran: 0,
        finished_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await change
      .insertInto('tuning_events')
      .values({ job_id: id, at: now, type: 'status', status, reason: 'imported' })
      .execute();
    await change
      .insertInto('tuned_models')
      .values({ ...shared, name, job_id: id, facts_recalled: recalled, experts, bytes, source })
      .execute();
    const accountId = shared.account_id;
    if (alias !== undefined) await moveAlias(change, { alias, accountId, model: name, jobId: id });
    await record(change, { action: 'model.imported', accountId, subject: name, details: { base, facts } });
    if (alias !== undefined) await recordPublished(change, accountId, name, alias);
  });
}

const withoutNulls = (all: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));

function progressOf({ facts, recalled, experts }: ModelCounts): JobProgress {
  return {
    facts_total: facts,
    facts_done: facts,
    facts_recalled: recalled,
    experts_total: experts,
    experts_done: experts,
    experts_reused: experts,
    move: null,
    eta_seconds: 0,
  };
}
