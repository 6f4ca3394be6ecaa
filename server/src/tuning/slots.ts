// The slots of the cluster as an account may see them.
import type { ClusterState } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';
import type { Capacity } from '../cluster/cluster.ts';
import type { Store } from '../store/database.ts';
import { running, waiting } from './queue/states.ts';

/** The first capacity is this server's own; it counts only while no server has said what it has. */
export async function slotsFor(
  store: Store,
  capacity: () => Promise<Capacity[]>,
  caller: Caller,
): Promise<ClusterState> {
  const [own, ...servers] = await capacity();
  const total = (servers.length > 0 ? servers : [own!]).reduce((sum, { nodes, slots }) => sum + nodes * slots, 0);
  const jobs = await store.db
    .selectFrom('tuning_jobs')
    .innerJoin('accounts', 'accounts.id', 'tuning_jobs.account_id')
    .select(['tuning_jobs.id', 'tuning_jobs.account_id', 'tuning_jobs.slots', 'tuning_jobs.status', 'accounts.name'])
    .select('tuning_jobs.started_at')
    .where('tuning_jobs.status', 'in', running)
    .orderBy('tuning_jobs.id')
    .execute();
  const queue = await store.db
    .selectFrom('tuning_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('status', 'in', waiting)
    .executeTakeFirstOrThrow();
  const mayKnow = (accountId: number) => accountId === caller.account.id || (caller.isOperator && caller.may('admin'));
  return {
    slots_total: total,
    slots_free: Math.max(0, total - jobs.reduce((sum, { slots }) => sum + slots, 0)),
    waiting: Number(queue.count),
    held: jobs.map(({ id, account_id, slots, status, name, started_at }) => ({
      slots,
      status,
      started_at: started_at === null ? null : new Date(started_at).toISOString(),
      job_id: mayKnow(account_id) ? id : null,
      account: mayKnow(account_id) ? name : null,
    })),
  };
}
