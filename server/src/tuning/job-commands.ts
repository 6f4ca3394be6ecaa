// Commands of accounts on their jobs: submit, cancel, resume. Each is one transaction with its event and all
// consequences, or a refusal.
import { isOver, Refusal, resumeLimit } from '@lorekeep/contract';
import type { Insertable } from 'kysely';
import { lockAccount } from '../accounts/storage.ts';
import { record } from '../audit/record.ts';
import { reserveAlias } from '../models/aliases.ts';
import type { Store } from '../store/database.ts';
import type { TuningJobRow } from '../store/schema.ts';
import { nextRound, refuseTooMany } from './queue/rounds.ts';
import { finalStatuses, isLegal } from './queue/states.ts';
import { addStatusEvent, type Change, initialProgress, lockJob, transitionJob } from './queue/transition.ts';

export interface NewJob
  extends Pick<
    Insertable<TuningJobRow>,
    | 'name'
    | 'base_model'
    | 'custom_model_name'
    | 'is_public'
    | 'dataset_id'
    | 'arguments'
    | 'gate'
    | 'policy'
    | 'use_cached_model'
    | 'gpus'
    | 'nodes'
    | 'facts'
    | 'sweep'
    | 'priority'
    | 'warnings'
  > {
  accountId: number;
  /** The key that its slot time is counted on. */
  keyId: number;
  jobsLimit: number | null;
  contact: string;
}

export class JobCommands {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Creates a job, or refuses it if a concurrent job has reached a limit first. */
  async create(job: NewJob): Promise<number> {
    return await this.#store.db.transaction().execute(async (change) => await this.add(change, job));
  }

  /** Adds the job in the caller's transaction. `made` runs before the audit row, after which no lock may be taken. */
  async add(
    change: Change,
    { accountId, keyId, jobsLimit, contact, ...values }: NewJob,
    made?: (id: number) => Promise<void>,
  ): Promise<number> {
    await lockAccount(this.#store, change, accountId);
    await refuseTooMany(change, accountId, jobsLimit, contact);
    const { id } = await change
      .insertInto('tuning_jobs')
      .values({
        ...values,
        account_id: accountId,
        key_id: keyId,
        status: 'CREATED',
        slots: values.gpus * values.nodes,
        round: await nextRound(change, accountId),
        resume_count: 0,
        stumbles: 0,
        progress: JSON.stringify(initialProgress(values.facts)),
        events_read: 0,
        ran: 0,
        created_at: Date.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (values.custom_model_name) await reserveAlias(change, values.custom_model_name, accountId, id);
    await addStatusEvent(change, id, 'CREATED', null);
    await made?.(id);
    const { base_model, custom_model_name, dataset_id, facts } = values;
    const details = { base_model, custom_model_name, dataset_id, facts, sweep: values.sweep !== null };
    await record(change, { action: 'job.created', accountId, subject: id, details });
    return id;
  }

  async cancel(accountId: number, id: number): Promise<void> {
    await this.#store.db.transaction().execute(async (change) => {
      const job = await lockJob(this.#store, change, id);
      if (job?.account_id !== accountId) throw new Refusal('job_not_found', { id });
      if (!isLegal(job.status, 'CANCELLED')) throw new Refusal('job_not_cancellable', { id, status: job.status });
      await transitionJob(change, job, 'CANCELLED', 'cancelled on request', { finished_at: Date.now() });
    });
  }

  /** Cancels all waiting and running jobs of an account. */
  async cancelAll(accountId: number): Promise<number[]> {
    const open = await this.#store.db
      .selectFrom('tuning_jobs')
      .select('id')
      .where('account_id', '=', accountId)
      .where('status', 'not in', finalStatuses)
      .orderBy('id')
      .execute();
    const cancelled: number[] = [];
    for (const { id } of open) {
      try {
        await this.cancel(accountId, id);
        cancelled.push(id);
      } catch (error) {
        // The job ended meanwhile.
        if (!(error instanceof Refusal && error.code === 'job_not_cancellable')) throw error;
      }
    }
    return cancelled;
  }

  async resume(accountId: number, id: number, limit: number | null, contact: string): Promise<void> {
    await this.#store.db.transaction().execute(async (change) => {
      await lockAccount(this.#store, change, accountId);
      const job = await lockJob(this.#store, change, id);
      if (job?.account_id !== accountId) throw new Refusal('job_not_found', { id });
      if (!isLegal(job.status, 'QUEUED') || !isOver(job.status))
        throw new Refusal('job_not_resumable', { id, status: job.status });
      await refuseOrderOver(change, id);
      if (job.resume_count >= resumeLimit) throw new Refusal('resume_limit', { id, limit: resumeLimit });
      await refuseTooMany(change, accountId, limit, contact);
      if (job.custom_model_name) await reserveAlias(change, job.custom_model_name, accountId, id);
      await transitionJob(change, job, 'QUEUED', 'resumed on request', {
        error: null,
        finished_at: null,
        stumbles: 0,
        resume_count: job.resume_count + 1,
        round: await nextRound(change, accountId),
      });
      await record(change, { action: 'job.resumed', accountId, subject: id });
    });
  }
}

/** Refuses to resume a job whose change or erasure is over, since no version would get its model. Other jobs of memories may be resumed. */
async function refuseOrderOver(change: Change, id: number): Promise<void> {
  const order = await change
    .selectFrom('memory_changes as ordered')
    .innerJoin('memories', 'memories.id', 'ordered.memory_id')
    .select(['ordered.number', 'memories.name'])
    .where('ordered.finished_at', 'is not', null)
    .where('ordered.kind', '!=', 'create')
    .where((eb) =>
      eb.or([
        eb('ordered.job_id', '=', id),
        eb.exists(
          eb
            .selectFrom('erased_versions')
            .select('erased_versions.version')
            .whereRef('erased_versions.memory_id', '=', 'ordered.memory_id')
            .whereRef('erased_versions.erasure', '=', 'ordered.number')
            .where('erased_versions.job_id', '=', id),
        ),
      ]),
    )
    .executeTakeFirst();
  if (order) throw new Refusal('job_order_over', { id, ...order });
}
