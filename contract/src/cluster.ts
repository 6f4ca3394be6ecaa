// The slots in which jobs run, their nodes, and the jobs that hold them.
import { z } from 'zod';
import { isoTimestamp } from './common.ts';
import { jobStatuses } from './job-states.ts';
import { route } from './route.ts';

/** Reasons for which jobs wait. */
export const waitReasons = ['cluster', 'size', 'stopping', 'slots'] as const;
export const nodeStates = ['alive', 'lost', 'unknown'] as const;
export const replicaStates = ['ready', 'starting', 'silent', 'draining', 'lost'] as const;

const holder = {
  slots: z.int(),
  job_id: z.int().nullable().describe("Null where it is another account's, or no job of this installation."),
  account: z.string().nullable(),
};

const node = z.object({
  name: z.string().describe('Its host name or address for the operator, else a number.'),
  address: z.string().nullable().describe('For the operator, where it is known.'),
  state: z
    .enum(nodeStates)
    .describe('`lost`: it went without being told to within the last day; `unknown`: the cluster does not answer now.'),
  slots_total: z.int(),
  slots_used: z.int().describe('Slots that runs have reserved there.'),
  held: z.array(z.object({ ...holder, serving: z.boolean().describe('True where a replica of the engine has them.') })),
});
export type ClusterNodeState = z.input<typeof node>;

const replica = z.object({
  number: z.int(),
  node: z
    .string()
    .nullable()
    .describe("For the operator: the machine that it runs on. Null where that is the server's."),
  state: z
    .enum(replicaStates)
    .describe(
      '`silent`: it does not answer, and is started again if that goes on; `draining`: it is not needed, and ends after the requests that it has; `lost`: the operator has to repair something.',
    ),
  reason: z.string().nullable().describe('Reason for which it cannot be asked, for the operator.'),
  models: z.int().describe('Models that it has loaded.'),
  requests: z.int().describe('Requests that it has in flight.'),
  answered: z.int(),
  failed: z.int().describe('Requests that ended with it.'),
});

export const showCluster = route({
  name: 'showCluster',
  method: 'GET',
  path: '/v1/cluster',
  tag: 'Tuning',
  summary:
    'The nodes and their slots, the jobs that hold them, the jobs that wait by reason, and replicas of the engine',
  description:
    'Of jobs of other accounts the slots alone are told; the operator sees whose they are, and the names of nodes.',
  access: 'read',
  answer: z.object({
    slots_total: z.int(),
    slots_free: z.int(),
    waiting: z.int().describe('Jobs in the queue, of all accounts.'),
    waiting_for: z
      .array(z.object({ reason: z.enum(waitReasons), jobs: z.int() }))
      .describe(
        'The same by reason. `cluster`: no run can be started now; `size`: it asks for more nodes or slots of a node than are there now; `stopping`: its last run is being stopped; `slots`: slots are taken, or others come first.',
      ),
    problem: z.string().nullable().describe('Reason for which no run can be started now.'),
    nodes: z.array(node),
    replicas: z.array(replica).describe('Replicas that answer for this server; none where one engine does.'),
    held: z.array(
      z.object({
        ...holder,
        status: z.enum(jobStatuses),
        started_at: isoTimestamp.nullable(),
      }),
    ),
  }),
});
export type ClusterState = z.input<typeof showCluster.answer>;
