// Jobs whose runs go on without their server, on a cluster that outlives it.
import type { Store } from '../../store/database.ts';
import type { Job } from './transition.ts';

/** Jobs of servers without a row become this server's, in whatever state they are. Of several servers one gets each. */
export async function adopt({ db }: Store, owner: string): Promise<Job[]> {
  return await db
    .updateTable('tuning_jobs')
    .set({ owner })
    .where('owner', 'is not', null)
    .where('owner', 'not in', (from) => from.selectFrom('servers').select('name'))
    .returningAll()
    .execute();
}
