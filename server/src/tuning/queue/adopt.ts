// Adoption of orphaned runs: jobs that a dead server left running on a cluster that outlives its servers.
import type { Store } from '../../store/database.ts';
import type { Job } from './transition.ts';

/** Owners of jobs that have no row in `servers`, so they are dead. */
export async function deadOwners({ db }: Store): Promise<string[]> {
  const rows = await db
    .selectFrom('tuning_jobs')
    .select('owner')
    .distinct()
    .where('owner', 'is not', null)
    .where('owner', 'not in', (from) => from.selectFrom('servers').select('name'))
    .execute();
  return rows.map(({ owner }) => owner!);
}

/** Takes over the jobs of dead servers in any state. If several servers try, exactly one gets each job. */
export async function adopt({ db }: Store, owner: string): Promise<Job[]> {
  return await db
    .updateTable('tuning_jobs')
    .set({ owner })
    .where('owner', 'is not', null)
    .where('owner', 'not in', (from) => from.selectFrom('servers').select('name'))
    .returningAll()
    .execute();
}
