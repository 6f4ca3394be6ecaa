// Page of tuning jobs: the queue and all jobs.
import { isOver, type TuningJob } from '@lorekeep/client';
import { ago, count, duration } from '../format.ts';
import { List } from '../parts/list.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Status } from '../parts/states.tsx';
import { usePages } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const pageSize = 100;

export function TuningPage() {
  const lorekeep = useLorekeep();
  const jobs = usePages(
    'jobs',
    async (after, signal) => {
      const items = await lorekeep.listJobs({ limit: pageSize, ...(after !== undefined && { after }) }, { signal });
      return { items, next: items.length === pageSize ? items.at(-1)!.job_id : null };
    },
    { every: (found) => (found.every(isOver) ? 10_000 : 2000) },
  );
  return (
    <Page
      title="Tuning"
      lead="A job teaches a base the facts of a dataset. It begins when a slot is free; until then it waits in the queue."
      actions={
        <a className="button main" href={routeAddress('tuning', 'new')}>
          Tune a model
        </a>
      }
    >
      <List<TuningJob>
        what="jobs"
        asked={jobs}
        id={({ job_id }) => job_id}
        text={({ job_id, custom_model_name, base_model, status }) =>
          `${job_id} ${custom_model_name ?? ''} ${base_model} ${status}`
        }
        empty={
          <Empty
            title="Nothing was tuned yet"
            action={
              <a className="button main" href={routeAddress('datasets')}>
                Begin with a dataset
              </a>
            }
          >
            Drop a file of questions and answers, look at the plan, and start.
          </Empty>
        }
        columns={[
          {
            name: 'Job',
            wide: true,
            cell: ({ job_id, custom_model_name, sweep }) => (
              <a className="row-link" href={routeAddress('tuning', job_id)}>
                {custom_model_name ?? (sweep ? `Comparison ${job_id}` : `Job ${job_id}`)}
              </a>
            ),
          },
          { name: 'State', cell: (job) => <State job={job} /> },
          { name: 'Base', cell: ({ base_model }) => base_model },
          { name: 'Facts', number: true, cell: ({ progress }) => count(progress.facts_total) },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
        ]}
      />
    </Page>
  );
}

function State({ job: { status, queue_position, progress } }: { job: TuningJob }) {
  return (
    <span className="stack tight">
      <span>
        <Status of={status} />
      </span>
      {queue_position !== null && <span className="hint">number {queue_position} in the queue</span>}
      {status === 'TRAINING MODEL' && progress.experts_total > 0 && (
        <span className="hint">
          {Math.floor((progress.experts_done / progress.experts_total) * 100)}%
          {progress.eta_seconds !== null && `, ${duration(progress.eta_seconds)} left`}
        </span>
      )}
    </span>
  );
}
