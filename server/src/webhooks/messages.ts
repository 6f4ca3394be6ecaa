// Transactional outbox of webhooks: the messages about the end of a job are written in the transaction that ends it, and sent later by
// sender.ts.
import type { Selectable, Transaction } from 'kysely';
import type { Tables, TuningJobRow } from '../store/schema.ts';

export async function queueEndMessages(change: Transaction<Tables>, job: Selectable<TuningJobRow>): Promise<void> {
  const hooks = await change.selectFrom('webhooks').select('id').where('account_id', '=', job.account_id).execute();
  if (hooks.length === 0) return;
  const now = Date.now();
  const body = JSON.stringify({
    type: 'job.ended',
    time: new Date(now).toISOString(),
    job: {
      job_id: job.id,
      status: job.status,
      base_model: job.base_model,
      model_name: job.model_name,
      custom_model_name: job.custom_model_name,
      dataset_id: job.dataset_id,
      error: job.error,
    },
  });
  await change
    .insertInto('webhook_deliveries')
    .values(
      hooks.map(({ id }) => ({
        webhook_id: id,
        job_id: job.id,
        body,
        status: 'waiting' as const,
        attempts: 0,
        next_at: now,
        created_at: now,
      })),
    )
    .execute();
}
