// Stray models: models of an erasure's jobs that no version uses, because the erasure failed or the model was not the one
// ordered. Their records are deleted in the transaction that decides it; the next start removes orphaned folders.
import { isOver } from '@lorekeep/contract';
import type { Change } from '../memories/rows.ts';
import type { Store } from '../store/database.ts';
import { type Job, lockJob, transitionJob } from '../tuning/queue/transition.ts';

/** Removes stray models and returns their names. A model with an alias or in a version of a memory is kept. */
export async function removeOrphans(change: Change, jobs: number[]): Promise<string[]> {
  if (jobs.length === 0) return [];
  const rows = await change
    .deleteFrom('tuned_models')
    .where('job_id', 'in', jobs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('model_aliases').select('alias').whereRef('model_name', '=', 'tuned_models.name'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memory_versions').select('number').whereRef('model_name', '=', 'tuned_models.name'))),
    )
    .returning('name')
    .execute();
  return rows.map(({ name }) => name);
}

/** Locks the open jobs, which would make further models. */
export async function openJobs(store: Store, change: Change, jobs: number[]): Promise<Job[]> {
  const open: Job[] = [];
  for (const id of [...jobs].sort((a, b) => a - b)) {
    const job = await lockJob(store, change, id);
    if (job && !isOver(job.status)) open.push(job);
  }
  return open;
}

/** Cancels the jobs. Writes audit rows, after which no lock may be taken. */
export async function cancelJobs(change: Change, jobs: Job[], reason: string): Promise<void> {
  for (const job of jobs) await transitionJob(change, job, 'CANCELLED', reason, { finished_at: Date.now() });
}
