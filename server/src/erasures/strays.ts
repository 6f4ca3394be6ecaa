// Models that the jobs of an erasure make and that no version gets: those of an erasure that fails, and others than were
// asked for. Their records go in the transaction that decides it; a start removes folders whose record is gone.
import { isOver } from '@lorekeep/contract';
import type { Change } from '../memories/rows.ts';
import type { Store } from '../store/database.ts';
import { type Job, lockJob, move } from '../tuning/queue/transition.ts';

/** The names of the removed. A model that somebody has named, or made a memory of, is no stray. */
export async function removeStrays(change: Change, jobs: number[]): Promise<string[]> {
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

/** The jobs that would make another model later, held. */
export async function openJobs(store: Store, change: Change, jobs: number[]): Promise<Job[]> {
  const open: Job[] = [];
  for (const id of [...jobs].sort((a, b) => a - b)) {
    const job = await lockJob(store, change, id);
    if (job && !isOver(job.status)) open.push(job);
  }
  return open;
}

/** Writes audit rows, after which no lock may be taken. */
export async function cancelJobs(change: Change, jobs: Job[], reason: string): Promise<void> {
  for (const job of jobs) await move(change, job, 'CANCELLED', reason, { finished_at: Date.now() });
}
