// Measurements of a tuned model: figures of its report, failed facts, and its answers beside those of the base.
import type { Evaluation, EvaluationRow, TuningJob } from '@lorekeep/client';
import { useState } from 'react';
import { count, percent, pluralize } from '../format.ts';
import { useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { Answers } from './answers.tsx';
import { Card, Facts } from './page.tsx';
import { Empty, Problem, Status, Waiting } from './states.tsx';
import { tunedModel } from './tuned.ts';
import { useMore } from './use-more.tsx';

interface Report {
  job?: Record<string, { asked?: number } & Record<string, unknown>>;
  recall?: { facts: number; recalled: number; failed: { row: number; input: string }[] };
}

const shares = ['right', 'left to the base', 'same as the base'] as const;

export function Evaluated({ job, model }: { job: TuningJob; model: string }) {
  const lorekeep = useLorekeep();
  const found = useQuery(`model ${model}`, async (signal) => await tunedModel(lorekeep, model, signal));
  if (!found.value)
    return (
      <Card title="Measurements">
        {found.error ? <Problem error={found.error} again={found.again} /> : <Waiting what="the report" />}
      </Card>
    );
  const report = found.value.report as Report | null;
  const measured = Object.entries(report?.job ?? {}).flatMap(([name, figures]) => {
    const share = shares.find((one) => typeof figures[one] === 'number');
    return share
      ? [{ name, asked: figures.asked ?? 0, share, value: learnedShare(name, figures[share] as number, report!) }]
      : [];
  });
  const failed = report?.recall?.failed ?? [];
  return (
    <Card title="Measurements">
      {measured.length > 0 && (
        <div className="table cards">
          <table>
            <caption className="seen-only">What was measured when the model was made</caption>
            <thead>
              <tr>
                <th scope="col">Asked</th>
                <th scope="col" className="number">
                  Questions
                </th>
                <th scope="col">Result</th>
              </tr>
            </thead>
            <tbody>
              {measured.map(({ name, asked, share, value }) => (
                <tr key={name}>
                  <td data-label="Asked">{setLabels[name] ?? name}</td>
                  <td data-label="Questions" className="number">
                    {count(asked)}
                  </td>
                  <td data-label="Result">
                    {percent(value)} {share}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {report?.job?.['reworded by rule'] && (
        <p className="quiet">
          “Reworded by rule” changes each question by fixed rules. In English it predicts, to about ten points, how many
          questions are answered right that other people word much alike. Of questions that keep hardly a word, fewer
          are.
        </p>
      )}
      {failed.length > 0 ? (
        <Failed facts={failed} />
      ) : (
        <p className="note good">Every fact is recalled word for word.</p>
      )}
      <BesideBase job={job.job_id} />
    </Card>
  );
}

function Failed({ facts }: { facts: NonNullable<Report['recall']>['failed'] }) {
  const [visibleFacts, foot] = useMore(facts, 'of them');
  return (
    <div className="note warm">
      <p>
        <strong>{pluralize(facts.length, 'fact is', 'facts are')} not recalled,</strong> and never said by this model:
      </p>
      <ul>
        {visibleFacts.map(({ row, input }) => (
          <li key={`${row} ${input}`}>
            Row {row}: <bdi>{input}</bdi>
          </li>
        ))}
      </ul>
      {foot}
    </div>
  );
}

/** Counts facts that were not learned as wrong, also for older models whose reports left them out. */
function learnedShare(name: string, share: number, { recall }: Report): number {
  return name === 'exact' && recall && recall.facts > 0 ? Math.min(share, recall.recalled / recall.facts) : share;
}

const setLabels: Record<string, string> = {
  exact: 'The questions as they were taught',
  'in conversation': 'The same later in a conversation',
  'reworded by rule': 'The same, reworded by rule',
  'near misses': 'Questions that only look like one',
  unrelated: 'Something else altogether',
};

/** Evaluates base and model on the taught questions once; later visits show the stored result. */
function BesideBase({ job }: { job: number }) {
  const lorekeep = useLorekeep();
  const found = useQuery(
    `evaluation of job ${job}`,
    async (signal) => {
      const { evaluation_id } = await lorekeep.evaluateJob({ id: job }, { signal });
      return await lorekeep.showEvaluation({ id: evaluation_id }, { signal });
    },
    { every: ({ status }) => (status === 'running' ? 1000 : undefined) },
  );
  if (found.value) return <Compared evaluation={found.value} />;
  return found.error ? (
    <Problem error={found.error} again={found.again} />
  ) : (
    <Waiting what="the answers of base and model" />
  );
}

function Compared({ evaluation }: { evaluation: Evaluation }) {
  const lorekeep = useLorekeep();
  const { evaluation_id, status, targets, rows, answered } = evaluation;
  const [all, setAll] = useState(false);
  const results = useQuery(`results ${evaluation_id} ${status}`, async (signal) =>
    status === 'running'
      ? []
      : (await lorekeep.showEvaluationResults({ id: evaluation_id, limit: 200 }, { signal })).rows,
  );
  const failed = {
    holds: ({ answers }: EvaluationRow) => answers[0] !== null && !answers[0]?.exact,
    none:
      answered >= rows * targets.length && targets[0]?.exact === 1 ? (
        <Empty title="All right">The tuned model got every one of these right.</Empty>
      ) : (
        <Empty title="No wrong answers">Not every question was answered.</Empty>
      ),
  };
  return (
    <div className="stack">
      <div className="row">
        <h3>Beside the base</h3> {status !== 'completed' && <Status of={status} />}
      </div>
      {status === 'running' && (
        <progress value={answered} max={Math.max(1, rows * targets.length)} aria-label="Questions asked" />
      )}
      <Facts
        big
        of={targets.map(({ name, exact }, at) => [
          at === 0 ? 'The tuned model, word for word' : `${name}, word for word`,
          exact === null ? '–' : percent(exact),
        ])}
      />
      {status !== 'running' && (
        <>
          <div className="row">
            <button type="button" className="small" onClick={() => setAll(!all)}>
              {all ? 'Show only what the tuned model got wrong' : `Show all ${pluralize(rows, 'row')}`}
            </button>
            <a className="button small" href={`/v1/evaluations/${evaluation_id}/results.csv?cells=safe`} download>
              Download as CSV
            </a>
          </div>
          <Answers asked={results} names={['Tuned', 'Base']} only={all ? undefined : failed} />
        </>
      )}
    </div>
  );
}
