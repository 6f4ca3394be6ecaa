// Slot time: how long a job has held its slots, counted on the key that made it while it goes on.
import type { Transaction } from 'kysely';
import type { Tables } from '../../store/schema.ts';
import { addUsage, noUsage } from '../../usage/usage.ts';
import type { Job } from './transition.ts';

/** `ran` is of all its runs together: what was counted already, by whichever run or server, does not count again. */
export async function countSlotTime(change: Transaction<Tables>, job: Job, ran: number): Promise<Job> {
  const more = ran - job.ran;
  if (more <= 0) return job;
  await change.updateTable('tuning_jobs').set({ ran }).where('id', '=', job.id).execute();
  const { account_id: accountId, key_id: keyId, base_model, slots } = job;
  if (keyId !== null)
    await addUsage(change, { ...noUsage({ accountId, keyId }, base_model), slot_milliseconds: more * slots });
  return { ...job, ran };
}
