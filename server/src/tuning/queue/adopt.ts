// Jobs of servers that are gone and left them running, on a cluster that outlives its servers.
import type { Store } from '../../store/database.ts';
import type { Job } from './transition.ts';

/** Servers without a row that own jobs. */
export async function goneOwners({ db }: Store): Promise<string[]> {
  const rows = await db
    .selectFrom('tuning_jobs')
    .select('owner')
    .distinct()
    .where('owner', 'is not', null)
    .where('owner', 'not in', (from) => from.selectFrom('servers').select('name'))
    .execute();
  return rows.map(({ owner }) => owner!);
}

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
