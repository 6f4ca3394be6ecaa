// The cluster: the slots that jobs run in, who holds them, and what waits for one.
import type { ShowClusterAnswer, TuningJob } from '@lorekeep/client';
import { useAsked } from '../asked.ts';
import { List } from '../parts/list.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Empty, Problem, Status, Waiting } from '../parts/states.tsx';
import { at } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { ago, count } from '../words.ts';

type Held = ShowClusterAnswer['held'][number];

/** Those that wait are among the newest, unless an old one was resumed. */
const newest = 200;

export function ClusterPage() {
  const lorekeep = useLorekeep();
  const cluster = useAsked('cluster', async (signal) => await lorekeep.showCluster({ signal }), { every: () => 5000 });
  const queue = useAsked(
    'queue',
    async (signal) =>
      (await lorekeep.listJobs({ limit: newest }, { signal }))
        .filter(({ queue_position }) => queue_position !== null)
        .sort((a, b) => a.queue_position! - b.queue_position!),
    { every: () => 5000 },
  );
  const { value } = cluster;
  return (
    <Page
      title="Cluster"
      lead="What jobs run in: a slot is a GPU, or where there is none a process of its own, on any server of this installation."
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
      <h2>Who holds them</h2>
      <List<Held & { place: number }>
        what="held slots"
        asked={{ ...cluster, value: value?.held.map((held, place) => ({ ...held, place })) }}
        // Jobs of other accounts have nothing else to be told apart by.
        id={({ job_id, place }) => job_id ?? `other ${place}`}
        text={({ job_id, account, status }) => `job ${job_id ?? ''} ${account ?? 'another account'} ${status}`}
        empty={<Empty title="Nobody holds one">No job runs just now.</Empty>}
        columns={[
          {
            name: 'Job',
            cell: ({ job_id }) =>
              job_id === null ? '–' : <a className="row-link" href={at('tuning', job_id)}>{`Job ${job_id}`}</a>,
          },
          { name: 'Of', cell: ({ account }) => account ?? 'another account' },
          { name: 'State', cell: ({ status }) => <Status of={status} /> },
          { name: 'Slots', number: true, cell: ({ slots }) => count(slots) },
          { name: 'Since', short: true, cell: ({ started_at }) => (started_at === null ? '–' : ago(started_at)) },
        ]}
      />
      <h2>What waits</h2>
      <List<TuningJob>
        what="waiting jobs"
        asked={queue}
        id={({ job_id }) => job_id}
        text={({ job_id, custom_model_name, base_model }) => `job ${job_id} ${custom_model_name ?? ''} ${base_model}`}
        empty={<Empty title="None of yours">None of the newest {count(newest)} jobs of this account waits.</Empty>}
        columns={[
          { name: 'Number', number: true, cell: ({ queue_position }) => count(queue_position ?? 0) },
          {
            name: 'Job',
            cell: ({ job_id, custom_model_name }) => (
              <a className="row-link" href={at('tuning', job_id)}>
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
