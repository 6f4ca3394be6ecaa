// Page of a job: curves, events, logs of its workers, and measurements of its model.
import { hasResult, historyOf, isOver, type TuningJob } from '@lorekeep/client';
import { useEffect, useRef, useState } from 'react';
import { clock, count, duration, formatDateTime } from '../format.ts';
import { Curve } from '../parts/curve.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Evaluated } from '../parts/evaluated.tsx';
import { nameOfDataset } from '../parts/names.ts';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Problem, Status, Waiting } from '../parts/states.tsx';
import { Trials } from '../parts/trials.tsx';
import { useAction, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const above = { name: 'Tuning', address: routeAddress('tuning') };

export function JobPage({ id }: { id: string }) {
  const lorekeep = useLorekeep();
  const job = useQuery(
    `job ${id}`,
    async (signal) => {
      const found = await lorekeep.showJob({ id }, { signal });
      return { ...found, dataset: found.dataset_id && (await nameOfDataset(lorekeep, found.dataset_id, signal)) };
    },
    { every: (found) => (isOver(found) ? undefined : 1000) },
  );
  const [cancelling, setCancelling] = useState(false);
  const resume = useAction(async () => {
    await lorekeep.resumeJob({ id });
    job.again();
  });
  const { value } = job;
  if (!value)
    return (
      <Page title={`Job ${id}`} above={above}>
        {job.error ? <Problem error={job.error} again={job.again} /> : <Waiting what="the job" />}
      </Page>
    );
  const over = isOver(value);
  const model = value.custom_model_name ?? value.model_name;
  return (
    <Page
      title={value.custom_model_name ?? (value.sweep ? `Comparison ${id}` : `Job ${id}`)}
      above={above}
      lead={
        <>
          <Status of={value.status} live /> Job {id}, on {value.base_model}
          {value.dataset_id && (
            <>
              {' '}
              and <a href={routeAddress('datasets', value.dataset_id)}>{value.dataset ?? 'its dataset'}</a>
            </>
          )}
        </>
      }
      actions={
        <>
          {!over && (
            <button type="button" onClick={() => setCancelling(true)}>
              Cancel
            </button>
          )}
          {over && !hasResult(value) && (
            <button type="button" className="main" disabled={resume.busy} onClick={() => resume.run()}>
              Resume
            </button>
          )}
          {hasResult(value) && model && (
            <a className="button main" href={`${routeAddress('playground')}?model=${encodeURIComponent(model)}`}>
              Ask it
            </a>
          )}
        </>
      }
    >
      {job.error && <Problem error={job.error} again={job.again} />}
      {resume.error && <Problem error={resume.error} />}
      {value.error && <p className="note bad">{value.error}</p>}
      <Progress job={value} />
      {value.sweep ? <Trials id={id} over={over} {...value.sweep} /> : <Curves job={value} />}
      {hasResult(value) && value.model_name && <Evaluated job={value} model={value.model_name} />}
      {value.warnings.length > 0 && (
        <Card title="Warnings">
          <ul>
            {value.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Card>
      )}
      <Log id={id} over={over} />
      <Events id={id} over={over} />
      {cancelling && (
        <Confirm
          title="Cancel this job?"
          yes="Cancel the job"
          onClose={() => setCancelling(false)}
          onYes={async () => {
            await lorekeep.cancelJob({ id });
            job.again();
          }}
        >
          What it has finished is kept: resumed, it goes on from there.
        </Confirm>
      )}
    </Page>
  );
}

function Progress({ job: { progress, queue_position, created_at, finished_at, resume_count } }: { job: TuningJob }) {
  const { facts_total, facts_done, facts_recalled, experts_total, experts_done, experts_reused, move, eta_seconds } =
    progress;
  return (
    <Card title="Progress">
      <progress value={experts_done} max={Math.max(1, experts_total)} aria-label="Experts that are done" />
      <Facts
        of={[
          ['Experts', `${count(experts_done)} of ${count(experts_total)}`],
          ['Facts', `${count(facts_done)} of ${count(facts_total)}`],
          [
            'Recalled word for word',
            facts_recalled === null ? '–' : `${count(facts_recalled)} of ${count(facts_total)}`,
          ],
          ['Taken over', count(experts_reused)],
          ...(move === null
            ? []
            : [
                [
                  'Facts that moved here',
                  `${count(move.facts_taken_over)} taken over, ${count(move.facts_taught_again)} taught again`,
                ] as [string, string],
              ]),
          [
            finished_at === null ? 'Left' : 'Finished',
            finished_at !== null
              ? formatDateTime(finished_at)
              : queue_position !== null
                ? `number ${queue_position} in the queue`
                : eta_seconds === null
                  ? '–'
                  : `about ${duration(eta_seconds)}`,
          ],
          ['Made', formatDateTime(created_at)],
          ...(resume_count > 0 ? [['Resumed', `${count(resume_count)} times`] as [string, string]] : []),
        ]}
      />
    </Card>
  );
}

/** Mean loss over all facts; untrained facts count with their initial loss. It falls with the waves; the share of facts grows. */
function Curves({ job }: { job: TuningJob }) {
  const points = historyOf(job);
  return (
    <div className="columns">
      <div className="card">
        <Curve
          title="Loss over all facts"
          across="wave"
          lines={[
            {
              name: 'loss',
              points: points.flatMap(({ step, loss }) => (loss === null ? [] : [[step, loss] as [number, number]])),
            },
          ]}
          from={0}
        />
      </div>
      <div className="card">
        <Curve
          title="Facts learned"
          across="wave"
          lines={[{ name: 'share of facts', points: points.map(({ step, epoch }) => [step, epoch]) }]}
          from={0}
          to={1}
          label={(share) => `${Math.floor(share * 100 + 1e-9)}%`}
        />
      </div>
    </div>
  );
}

function Events({ id, over }: { id: string; over: boolean }) {
  const lorekeep = useLorekeep();
  const events = useQuery(
    `events of ${id} ${over}`,
    async (signal) => await Array.fromAsync(lorekeep.allJobEvents({ id }, { signal })),
    { every: () => (over ? undefined : 2000) },
  );
  return (
    <Card title="What happened">
      {!events.value &&
        (events.error ? <Problem error={events.error} again={events.again} /> : <Waiting what="events" />)}
      {events.value && (
        <ol className="timeline">
          {events.value.map((event) => (
            <li key={event.id}>
              <time className="hint" dateTime={event.time} title={formatDateTime(event.time)}>
                {clock(event.time)}
              </time>
              <span>
                {event.status ? <Status of={event.status} /> : <span className="pill warm">Warning</span>}{' '}
                {event.reason}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Log({ id, over }: { id: string; over: boolean }) {
  const lorekeep = useLorekeep();
  const [open, setOpen] = useState(false);
  const log = useQuery(
    `log of ${id} ${open} ${over}`,
    async (signal) => (open ? await lorekeep.readJobLog({ id, lines: 500 }, { signal }) : []),
    { every: () => (open && !over ? 2000 : undefined) },
  );
  const end = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (log.value) end.current?.scrollTo(0, end.current.scrollHeight);
  }, [log.value]);
  return (
    <details className="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Output of the workers</summary>
      {log.error && <Problem error={log.error} again={log.again} />}
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard too
        <pre className="log" ref={end} tabIndex={0}>
          {log.value && log.value.length > 0 ? log.value.join('\n') : log.waiting ? '…' : 'There is no output.'}
        </pre>
      )}
    </details>
  );
}
