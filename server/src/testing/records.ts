// Records that tests write into the store directly, since creating them through the API would need the engine.
import { defaultGate } from '@lorekeep/contract';
import type { Insertable } from 'kysely';
import type { Store } from '../store/database.ts';
import type { TuningJobRow } from '../store/schema.ts';
import type { NewJob } from '../tuning/job-commands.ts';

/** Stores an account of this name with a key. */
export async function accountRecord({ db }: Store, name: string): Promise<{ account: number; key: number }> {
  const { id: account } = await db
    .insertInto('accounts')
    .values({ name, role: 'member', limits: '{}', created_at: 1, disabled_at: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: key } = await db
    .insertInto('keys')
    .values({ account_id: account, name, hash: name, hint: name, prefix: name, scopes: '[]', created_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { account, key };
}

/** Stores a job of an account; returns its id. */
export async function jobRecord(
  store: Store,
  account_id: number,
  values: Pick<TuningJobRow, 'status'> & Partial<Insertable<TuningJobRow>>,
): Promise<number> {
  const { id } = await store.db
    .insertInto('tuning_jobs')
    .values({
      name: `job of ${account_id}`,
      account_id,
      base_model: 'lorekeep/quill',
      is_public: 0,
      arguments: '{}',
      gate: defaultGate,
      use_cached_model: 1,
      gpus: 1,
      nodes: 1,
      slots: 1,
      facts: 1,
      priority: 0,
      round: 0,
      resume_count: 0,
      stumbles: 0,
      progress: '{}',
      warnings: '[]',
      events_read: 0,
      ran: 0,
      created_at: Date.now(),
      ...values,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A job as an account submits it with a key: one fact on one slot, unless `values` override it. */
export function newJob(values: Pick<NewJob, 'name' | 'accountId' | 'keyId'> & Partial<NewJob>): NewJob {
  return {
    jobsLimit: null,
    contact: '',
    base_model: 'lorekeep/quill',
    custom_model_name: null,
    is_public: 0,
    dataset_id: null,
    arguments: '{}',
    gate: defaultGate,
    use_cached_model: 1,
    gpus: 1,
    nodes: 1,
    facts: 1,
    sweep: null,
    priority: 0,
    warnings: '[]',
    ...values,
  };
}
