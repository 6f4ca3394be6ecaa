// Page of the cluster: slots, nodes, running jobs, waiting jobs, and replicas of the engine.
import type { Lorekeep, ShowClusterAnswer, TuningJob } from '@lorekeep/client';
import { ago, count } from '../format.ts';
import { List } from '../parts/list.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Empty, Problem, Status, Waiting } from '../parts/states.tsx';
import { type Query, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

type HeldSlots = ShowClusterAnswer['held'][number];
type ClusterNode = ShowClusterAnswer['nodes'][number];
type Replica = ShowClusterAnswer['replicas'][number];

const waitReasons: Record<ShowClusterAnswer['waiting_for'][number]['reason'], string> = {
  cluster: 'no run can be started now',
  size: 'it asks for more than is there now',
  stopping: 'its last run is being stopped',
  slots: 'slots are taken, or others come first',
};

/** Maximum number of jobs, newest first, that are searched for waiting jobs. */
const maxJobs = 5000;
const pageSize = 200;

/** The head of the queue is the oldest job, so pages are read until all waiting jobs are found. */
async function waitingJobs(lorekeep: Lorekeep, signal: AbortSignal): Promise<TuningJob[]> {
  const { waiting } = await lorekeep.showCluster({ signal });
  const found: TuningJob[] = [];
  let read = 0;
  let after: number | undefined;
  while (found.length < waiting && read < maxJobs) {
    const jobs = await lorekeep.listJobs({ limit: pageSize, ...(after !== undefined && { after }) }, { signal });
    found.push(...jobs.filter(({ queue_position }) => queue_position !== null));
    read += jobs.length;
    after = jobs.at(-1)?.job_id;
    if (jobs.length < pageSize) break;
  }
  return found.sort((a, b) => a.queue_position! - b.queue_position!);
}

export function ClusterPage() {
  const lorekeep = useLorekeep();
  const cluster = useQuery('cluster', async (signal) => await lorekeep.showCluster({ signal }), { every: () => 5000 });
  const queue = useQuery('queue', async (signal) => await waitingJobs(lorekeep, signal), { every: () => 5000 });
  const { value } = cluster;
  return (
    <Page
      title="Cluster"
      lead="The slots in which jobs run: a slot is a GPU, or without GPUs a process, on any server of this installation."
    >
      <Card title="Slots">
        {value ? (
          <Facts
            big
            of={[
              ['Free', `${count(value.slots_free)} of ${count(value.slots_total)}`],
              ['Jobs that run', count(value.held.length)],
              ['Jobs that wait', count(value.waiting)],
            ]}
          />
        ) : cluster.error ? (
          <Problem error={cluster.error} again={cluster.again} />
        ) : (
          <Waiting what="slots" />
        )}
      </Card>
      {value?.problem && (
        <p className="note warm" role="status">
          No run can be started now: {value.problem}.
        </p>
      )}
      <Nodes cluster={cluster} />
      {value && value.replicas.length > 0 && <Replicas cluster={cluster} />}
      <h2>Who holds them</h2>
      <List<HeldSlots & { place: number }>
        what="held slots"
        asked={{ ...cluster, value: value?.held.map((held, place) => ({ ...held, place })) }}
        // Jobs of other accounts have no other distinguishing data.
        id={({ job_id, place }) => job_id ?? `other ${place}`}
        text={({ job_id, account, status }) => `job ${job_id ?? ''} ${account ?? 'another account'} ${status}`}
        empty={<Empty title="No slot is in use">No job runs just now.</Empty>}
        columns={[
          {
            name: 'Job',
            cell: ({ job_id }) =>
              job_id === null ? (
                '–'
              ) : (
                <a className="row-link" href={routeAddress('tuning', job_id)}>{`Job ${job_id}`}</a>
              ),
          },
          { name: 'Of', cell: ({ account }) => account ?? 'another account' },
          { name: 'State', cell: ({ status }) => <Status of={status} /> },
          { name: 'Slots', number: true, cell: ({ slots }) => count(slots) },
          { name: 'Since', short: true, cell: ({ started_at }) => (started_at === null ? '–' : ago(started_at)) },
        ]}
      />
      <h2>What waits</h2>
      {value && value.waiting_for.length > 0 && (
        <p className="hint">
          Of all accounts:{' '}
          {value.waiting_for.map(({ reason, jobs }) => `${count(jobs)} where ${waitReasons[reason]}`).join(', ')}.
        </p>
      )}
      <List<TuningJob>
        what="waiting jobs"
        asked={queue}
        id={({ job_id }) => job_id}
        text={({ job_id, custom_model_name, base_model }) => `job ${job_id} ${custom_model_name ?? ''} ${base_model}`}
        empty={<Empty title="None of yours">None of the newest {count(maxJobs)} jobs of this account waits.</Empty>}
        columns={[
          { name: 'Number', number: true, cell: ({ queue_position }) => count(queue_position ?? 0) },
          {
            name: 'Job',
            cell: ({ job_id, custom_model_name }) => (
              <a className="row-link" href={routeAddress('tuning', job_id)}>
                {custom_model_name ?? `Job ${job_id}`}
              </a>
            ),
          },
          { name: 'Base', cell: ({ base_model }) => base_model },
          { name: 'Facts', number: true, cell: ({ progress }) => count(progress.facts_total) },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
        ]}
      />
    </Page>
  );
}

function Nodes({ cluster }: { cluster: Query<ShowClusterAnswer> }) {
  return (
    <>
      <h2>Nodes</h2>
      <List<ClusterNode & { place: number }>
        what="nodes"
        asked={{ ...cluster, value: cluster.value?.nodes.map((node, place) => ({ ...node, place })) }}
        // Servers on one machine have the same name.
        id={({ place }) => place}
        text={({ name, address, state }) => `${name} ${address ?? ''} ${state}`}
        empty={<Empty title="No node is known">The cluster has not answered yet.</Empty>}
        columns={[
          { name: 'Node', cell: ({ name, address }) => (address && address !== name ? `${name} (${address})` : name) },
          { name: 'State', cell: ({ state }) => <Status of={state} /> },
          {
            name: 'Slots in use',
            number: true,
            cell: ({ slots_used, slots_total }) => `${count(slots_used)} of ${count(slots_total)}`,
          },
          { name: 'Held by', cell: ({ held }) => <Holders held={held} /> },
        ]}
      />
    </>
  );
}

/** Replicas of the serving engine; jobs are not affected by them. */
function Replicas({ cluster }: { cluster: Query<ShowClusterAnswer> }) {
  return (
    <>
      <h2>Replicas of the engine</h2>
      <List<Replica>
        what="replicas"
        asked={{ ...cluster, value: cluster.value?.replicas }}
        id={({ number }) => number}
        text={({ number, node, state, reason }) => `replica ${number} ${node ?? ''} ${state} ${reason ?? ''}`}
        empty={<Empty title="There is none">One engine answers all.</Empty>}
        columns={[
          { name: 'Replica', number: true, cell: ({ number }) => count(number) },
          {
            name: 'State',
            cell: ({ state, reason }) => (
              <div className="row">
                <Status of={state} />
                {reason}
              </div>
            ),
          },
          { name: 'On', cell: ({ node }) => node ?? 'the server' },
          { name: 'Models', number: true, cell: ({ models }) => count(models) },
          { name: 'Requests', number: true, cell: ({ requests }) => count(requests) },
          { name: 'Answered', number: true, cell: ({ answered }) => count(answered) },
          { name: 'Failed', number: true, cell: ({ failed }) => count(failed) },
        ]}
      />
    </>
  );
}

function Holders({ held }: { held: ClusterNode['held'] }) {
  if (held.length === 0) return '–';
  return (
    <div className="row">
      {held.map(({ job_id, account, slots, serving }, place) => (
        <span key={job_id ?? `other ${place}`}>
          {serving ? (
            'a replica'
          ) : job_id === null ? (
            'others'
          ) : (
            <a href={routeAddress('tuning', job_id)}>{`Job ${job_id}`}</a>
          )}
          {account === null ? '' : ` of ${account}`} ({count(slots)})
        </span>
      ))}
    </div>
  );
}
