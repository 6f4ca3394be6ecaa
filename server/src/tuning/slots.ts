// Slots and nodes of the cluster, as far as an account may see them.
import type { ClusterState } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';
import type { Capacity, Cluster, ClusterNode } from '../cluster/cluster.ts';
import type { ReplicaState } from '../engine/replicas/replica.ts';
import type { Store } from '../store/database.ts';
import { running, waiting } from './queue/states.ts';

interface Dependencies {
  store: Store;
  cluster: Pick<Cluster, 'nodes' | 'unready' | 'heldByOthers'>;
  /** The first is this server's own. It counts only while no server has reported its capacity. */
  capacity(): Promise<Capacity[]>;
  /** Other servers with slots of their own. */
  others(): Promise<{ name: string; host: string; slots: number }[]>;
  replicas: { states(): ReplicaState[] };
}

export async function slotsFor(dependencies: Dependencies, caller: Caller): Promise<ClusterState> {
  const { store, cluster, capacity } = dependencies;
  const [own, ...servers] = await capacity();
  const total = (servers.length > 0 ? servers : [own!]).reduce((sum, { nodes, slots }) => sum + nodes * slots, 0);
  const jobs = await runningJobs(store);
  const held = await cluster.heldByOthers();
  const others = await dependencies.others();
  // Other servers may start runs while this one cannot.
  const problem = others.length > 0 ? undefined : cluster.unready();
  const waitingFor = await waitingBy(store, problem !== undefined, [own!, ...servers]);
  const sees = (accountId: number) => accountId === caller.account.id || seesAll(caller);
  const holderOf = (job: RunningJob | undefined) =>
    job && sees(job.account_id) ? { job_id: job.id, account: job.account } : { job_id: null, account: null };
  const nodes = [...(await cluster.nodes(jobs.map(({ name }) => name))), ...others.map((one) => serverNode(one, jobs))];
  return {
    slots_total: total,
    slots_free: Math.max(0, total - held - jobs.reduce((sum, { slots }) => sum + slots, 0)),
    waiting: waitingFor.reduce((sum, { jobs: count }) => sum + count, 0),
    waiting_for: waitingFor,
    problem: problem ?? null,
    replicas: dependencies.replicas.states().map(({ node, reason, inFlight, ...replica }) => ({
      ...replica,
      ...(seesAll(caller) ? { node, reason } : { node: null, reason: null }),
      requests: inFlight,
    })),
    held: jobs.map((job) => ({
      slots: job.slots,
      status: job.status,
      started_at: job.started_at === null ? null : new Date(job.started_at).toISOString(),
      ...holderOf(job),
    })),
    nodes: nodes.map(({ name, address, state, slots, held }, at) => ({
      ...(seesAll(caller) ? { name, address } : { name: `node ${at + 1}`, address: null }),
      state,
      slots_total: slots,
      slots_used: held.reduce((sum, one) => sum + one.slots, 0),
      held: held.map(({ job, slots: count, serving = false }) => ({
        ...{ slots: count, serving },
        ...holderOf(jobs.find(({ name: own }) => own === job)),
      })),
    })),
  };
}

const seesAll = (caller: Caller) => caller.isOperator && caller.may('admin');

async function runningJobs({ db }: Store) {
  return await db
    .selectFrom('tuning_jobs')
    .innerJoin('accounts', 'accounts.id', 'tuning_jobs.account_id')
    .select([
      'tuning_jobs.id',
      'tuning_jobs.name',
      'account_id',
      'slots',
      'status',
      'owner',
      'accounts.name as account',
    ])
    .select('tuning_jobs.started_at')
    .where('tuning_jobs.status', 'in', running)
    .orderBy('tuning_jobs.id')
    .execute();
}
type RunningJob = Awaited<ReturnType<typeof runningJobs>>[number];

/** Each other server with slots of its own counts as a node. A dead server has no row. */
function serverNode(
  { name, host, slots }: { name: string; host: string; slots: number },
  jobs: RunningJob[],
): ClusterNode {
  const held = jobs.filter(({ owner }) => owner === name).map((job) => ({ job: job.name, slots: job.slots }));
  return { name: host, address: null, state: 'alive', slots, held };
}

async function waitingBy(
  { db }: Store,
  isUnready: boolean,
  capacities: readonly Capacity[],
): Promise<ClusterState['waiting_for']> {
  const rows = await db
    .selectFrom('tuning_jobs')
    .select((eb) => ['nodes', 'gpus', eb('owner', 'is not', null).as('stopping'), eb.fn.countAll<number>().as('count')])
    .where('status', 'in', waiting)
    .groupBy((eb) => ['nodes', 'gpus', eb('owner', 'is not', null)])
    .execute();
  const fits = (nodes: number, gpus: number) => capacities.some((one) => nodes <= one.nodes && gpus <= one.slots);
  const counts = { cluster: 0, size: 0, stopping: 0, slots: 0 };
  for (const { nodes, gpus, stopping, count } of rows) {
    const reason = isUnready ? 'cluster' : stopping ? 'stopping' : fits(nodes, gpus) ? 'slots' : 'size';
    counts[reason] += Number(count);
  }
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason: reason as keyof typeof counts, jobs: count }));
}
