// The slots that jobs run in, and who holds them.
import { z } from 'zod';
import { isoTimestamp } from './common.ts';
import { jobStatuses } from './job-states.ts';
import { route } from './route.ts';

export const showCluster = route({
  name: 'showCluster',
  method: 'GET',
  path: '/v1/cluster',
  tag: 'Tuning',
  summary: 'The slots, the jobs that hold them, and the number of jobs that wait',
  description: 'Of jobs of other accounts the slots alone are told; the operator sees whose they are.',
  access: 'read',
  answer: z.object({
    slots_total: z.int(),
    slots_free: z.int(),
    waiting: z.int().describe('Jobs in the queue, of all accounts.'),
    held: z.array(
      z.object({
        slots: z.int(),
        status: z.enum(jobStatuses),
        started_at: isoTimestamp.nullable(),
        job_id: z.int().nullable().describe("Null where it is another account's."),
        account: z.string().nullable(),
      }),
    ),
  }),
});
export type ClusterState = z.input<typeof showCluster.answer>;
