// Page of an evaluation: progress, figures of each target, and every question with all answers side by side.
import { type Evaluation, type EvaluationRow, type Outcome, outcomes } from '@lorekeep/client';
import { useState } from 'react';
import { count, duration, formatDateTime, percent, pluralize } from '../format.ts';
import { Answers } from '../parts/answers.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Choice } from '../parts/fields.tsx';
import { nameOfDataset, namesOfTargets } from '../parts/names.ts';
import { OutcomesOf } from '../parts/outcomes.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Problem, Status, Waiting } from '../parts/states.tsx';
import { useAction, usePages, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { titleOf } from './evaluations.tsx';

const above = { name: 'Evaluations', address: routeAddress('evaluations') };

export function EvaluationPage({ id }: { id: string }) {
  const lorekeep = useLorekeep();
  const evaluation = useQuery(
    `evaluation ${id}`,
    async (signal) => {
      const found = await lorekeep.showEvaluation({ id }, { signal });
      const [names, dataset] = await Promise.all([
        namesOfTargets(
          lorekeep,
          found.targets.map(({ name }) => name),
          signal,
        ),
        found.dataset_id && nameOfDataset(lorekeep, found.dataset_id, signal),
      ]);
      return { ...found, dataset, targets: found.targets.map((target, at) => ({ ...target, name: names[at]! })) };
    },
    { every: ({ status }) => (status === 'running' ? 1000 : undefined) },
  );
  const [removing, setRemoving] = useState(false);
  const stop = useAction(async () => {
    await lorekeep.cancelEvaluation({ id });
    evaluation.again();
  });
  const { value } = evaluation;
  if (!value)
    return (
      <Page title={`Evaluation ${id}`} above={above}>
        {evaluation.error ? (
          <Problem error={evaluation.error} again={evaluation.again} />
        ) : (
          <Waiting what="the evaluation" />
        )}
      </Page>
    );
  const { status, rows, targets, answered, dataset_id, error, created_at } = value;
  return (
    <Page
      title={titleOf(value)}
      above={above}
      lead={
        <>
          <Status of={status} live /> {pluralize(rows, 'question')}
          {dataset_id && (
            <>
              {' '}
              of <a href={routeAddress('datasets', dataset_id)}>{value.dataset ?? 'a dataset'}</a>
            </>
          )}
          , {formatDateTime(created_at)}
        </>
      }
      actions={
        <>
          {status === 'running' && (
            <button type="button" disabled={stop.busy} onClick={() => stop.run()}>
              Stop
            </button>
          )}
          <a className="button" href={`/v1/evaluations/${id}/results.csv?cells=safe`} download>
            Download as CSV
          </a>
          <button type="button" className="grave" onClick={() => setRemoving(true)}>
            Delete
          </button>
        </>
      }
    >
      {[evaluation.error, stop.error].map((failure) => failure && <Problem key={failure.message} error={failure} />)}
      {error && <p className="note bad">{error}</p>}
      {status === 'running' && (
        <Card title="Progress">
          <progress value={answered} max={Math.max(1, rows * targets.length)} aria-label="Questions asked" />
          <p className="hint">
            {count(answered)} of {count(rows * targets.length)} answers are there.
          </p>
        </Card>
      )}
      <Figures targets={targets} />
      <OutcomesOf targets={targets} />
      <Results evaluation={value} />
      {removing && (
        <Confirm
          title={`Delete “${titleOf(value)}”?`}
          yes="Delete it"
          onClose={() => setRemoving(false)}
          onYes={async () => {
            await lorekeep.deleteEvaluation({ id });
            go(routeAddress('evaluations'));
          }}
        >
          Its questions and answers are gone with it; the dataset and the models stay.
        </Confirm>
      )}
    </Page>
  );
}

function Figures({ targets }: { targets: Evaluation['targets'] }) {
  const share = (value: number | null) => (value === null ? '–' : percent(value));
  return (
    <div className="card flush">
      <div className="table cards">
        <table>
          <caption className="seen-only">The figures of each target</caption>
          <thead>
            <tr>
              <th scope="col">Asked</th>
              <th scope="col" className="number">
                Word for word
              </th>
              <th scope="col" className="number long">
                But for case and punctuation
              </th>
              <th scope="col" className="number">
                Answered
              </th>
              <th scope="col" className="number">
                Time of an answer
              </th>
              <th scope="col" className="number">
                Tokens written
              </th>
            </tr>
          </thead>
          <tbody>
            {targets.map(({ name, prompt, exact, normalised, answered, failed, latency_ms, completion_tokens }) => (
              <tr key={name}>
                <td data-label="Asked">
                  <span className="stack tight">
                    <strong>{name}</strong>
                    {prompt !== null && <span className="hint">after “{prompt}”</span>}
                  </span>
                </td>
                <td data-label="Word for word" className="number">
                  <strong>{share(exact)}</strong>
                </td>
                <td data-label="But for case and punctuation" className="number">
                  {share(normalised)}
                </td>
                <td data-label="Answered" className="number">
                  {count(answered)}
                  {failed > 0 && `, ${count(failed)} failed`}
                </td>
                <td data-label="Time of an answer" className="number">
                  {latency_ms === null
                    ? '–'
                    : latency_ms.mean < 1000
                      ? `${Math.round(latency_ms.mean)} ms`
                      : duration(latency_ms.mean / 1000)}
                </td>
                <td data-label="Tokens written" className="number">
                  {count(completion_tokens)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The rows so far, in pages; reloaded when all answers have arrived. */
function Results({ evaluation }: { evaluation: Evaluation }) {
  const { evaluation_id: id, status, targets, rows: total, answered } = evaluation;
  const lorekeep = useLorekeep();
  const [all, setAll] = useState(true);
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const results = usePages(
    `results of ${id} ${status} ${outcome}`,
    async (after, signal) => {
      const { rows, next } = await lorekeep.showEvaluationResults(
        { id, limit: 100, ...(outcome && { outcome }), ...(after !== undefined && { after }) },
        { signal },
      );
      return { items: rows, next };
    },
    { every: () => (status === 'running' ? 3000 : undefined) },
  );
  const tuned = targets.filter(({ outcomes }) => outcomes !== null);
  const wrong = {
    holds: ({ answers }: EvaluationRow) => answers.some((answer) => answer && !answer.exact),
    none:
      outcome !== '' ? (
        <Empty title="No wrong answers">No answer of this outcome is wrong.</Empty>
      ) : answered >= total * targets.length && targets.every(({ exact }) => exact === 1) ? (
        <Empty title="All right">Everybody got every one of these right.</Empty>
      ) : (
        <Empty title="No wrong answers">Not every question was answered.</Empty>
      ),
  };
  return (
    <section className="stack" aria-label="Question by question">
      <h2>Question by question</h2>
      <div className="row">
        <button type="button" className="small" aria-pressed={!all} onClick={() => setAll(!all)}>
          Only questions with a wrong answer
        </button>
        {tuned.length > 0 && (
          <Choice
            name="Answered by"
            value={outcome}
            onChange={(next) => setOutcome(next as Outcome | '')}
            of={[
              { value: '', name: 'any outcome' },
              ...Object.entries(outcomes).map(([value, meaning]) => ({ value, name: `${value}: ${meaning}` })),
            ]}
          />
        )}
      </div>
      <Answers
        asked={results}
        names={targets.map(({ name }) => name)}
        {...(outcome === ''
          ? { total }
          : { empty: <Empty title="No such answers">No question was answered with this outcome.</Empty> })}
        only={all ? undefined : wrong}
      />
    </section>
  );
}
