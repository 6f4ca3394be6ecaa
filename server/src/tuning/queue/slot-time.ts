// Accounting of slot time: the time that a job has held its slots, counted on the key that made it while it runs.
import type { Transaction } from 'kysely';
import type { Tables } from '../../store/schema.ts';
import { addUsage, noUsage } from '../../usage/usage.ts';
import type { Job } from './transition.ts';

/** `ran` is the total of all runs of the job. Time that any run or server has counted before is not counted again. */
export async function countSlotTime(change: Transaction<Tables>, job: Job, ran: number): Promise<Job> {
  const more = ran - job.ran;
  if (more <= 0) return job;
  await change.updateTable('tuning_jobs').set({ ran }).where('id', '=', job.id).execute();
  const { account_id: accountId, key_id: keyId, base_model, slots } = job;
  if (keyId !== null)
    await addUsage(change, { ...noUsage({ accountId, keyId }, base_model), slot_milliseconds: more * slots });
  return { ...job, ran };
}
