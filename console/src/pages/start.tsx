// Start page: first steps, each ticked once the account has done it.
import { errorInWords, hasResult, isOver, type Lorekeep } from '@lorekeep/client';
import { type ReactNode, useEffect } from 'react';
import sample from '../../../demo/facts.jsonl?raw';
import { untilEngine, useEngine } from '../engine.ts';
import { forPeople, pluralize } from '../format.ts';
import { Card, Page } from '../parts/page.tsx';
import { Problem, Waiting } from '../parts/states.tsx';
import { shipped, TinyBase } from '../parts/tiny-base.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { useStoredState } from '../stored-state.ts';

/** Stored once all steps are done or the page was dismissed. */
export const startKept = 'start done';

const facts = sample
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { input: string; output: string });
const example = facts[0]!;
const sampleName = 'nordhaven';

/** Names of keys that the server creates itself: the printed key, and the key from the settings. */
const serverKeyNames = ['first key', 'LOREKEEP_ADMIN_KEY'];

async function finishedSteps(lorekeep: Lorekeep, signal: AbortSignal) {
  const [{ total }, jobs, { indexes }, { keys }, bases] = await Promise.all([
    lorekeep.showUsage({}, { signal }),
    lorekeep.listJobs({ limit: 100 }, { signal }),
    lorekeep.listIndexes({ limit: 100 }, { signal }),
    lorekeep.listKeys({}, { signal }),
    lorekeep.listDownloadedModels({ signal }),
  ]);
  const tuned = jobs.find((job) => hasResult(job) && job.sweep === null);
  return {
    asked: total.requests > 0,
    tuned,
    tuning: jobs.find((job) => !isOver(job)),
    documents: indexes.some(({ progress }) => progress.files > 0),
    ownKey: keys.some(({ name, status }) => status === 'active' && !serverKeyNames.includes(name)),
    base: bases.some(
      ({ model_name, model_type, source }) =>
        source !== 'built-in' && model_name !== shipped && model_type !== 'embedding',
    ),
  };
}

/** The steps after the first model, in order. */
const laterSteps = [
  {
    figure: 'documents',
    title: 'Drop a document',
    page: 'documents',
    link: 'To the documents',
    about: 'Ask it, and see the passage and the page that each answer comes from.',
  },
  {
    figure: 'ownKey',
    title: 'Make a key',
    page: 'keys',
    link: 'To the keys',
    about: 'A program calls Lorekeep with it: from curl, Python, TypeScript, or any client of OpenAI’s API.',
  },
  {
    figure: 'base',
    title: 'Take a real model',
    page: 'models',
    link: 'To the models',
    about: 'A list says which ones are known to work, and which fit this machine.',
  },
] as const;

export function StartPage() {
  const lorekeep = useLorekeep();
  const [over, setOver] = useStoredState(startKept, false);
  const found = useQuery('first steps', async (signal) => await finishedSteps(lorekeep, signal), {
    every: ({ tuning }) => (tuning ? 2000 : 10_000),
  });
  const { value } = found;
  const all = value && [value.asked, value.tuned, value.documents, value.ownKey, value.base].every(Boolean);
  // biome-ignore lint/correctness/useExhaustiveDependencies: kept once, when the last step is done
  useEffect(() => {
    if (all && !over) setOver(true);
  }, [all]);
  const putAway = () => {
    setOver(true);
    go(routeAddress('playground'));
  };
  return (
    <Page
      title="Start"
      lead="Five steps through what is here, in any order. Each is ticked when it is done."
      actions={
        !over && (
          <button type="button" onClick={putAway}>
            Hide this
          </button>
        )
      }
    >
      {!value && (found.error ? <Problem error={found.error} again={found.again} /> : <Waiting what="what is done" />)}
      {value && (
        <>
          {found.error && <Problem error={found.error} />}
          {all && (
            <p className="note good">
              All of it is done. <a href={routeAddress('playground')}>To the playground</a>
            </p>
          )}
          <Card>
            <ol className="steps">
              <Step
                number={1}
                done={value.asked}
                title="Ask the base"
                action={
                  <a
                    className="button"
                    href={`${routeAddress('playground')}?question=${encodeURIComponent(example.input)}`}
                  >
                    Ask it
                  </a>
                }
              >
                Ask something that it cannot know: “{example.input}” The place is invented.
              </Step>
              <Tune tuned={value.tuned} tuning={value.tuning} />
              {laterSteps.map(({ figure, title, page, link, about }, place) => (
                <Step
                  key={title}
                  number={place + 3}
                  done={value[figure]}
                  title={title}
                  action={
                    <a className="button" href={routeAddress(page)}>
                      {link}
                    </a>
                  }
                >
                  {about}
                </Step>
              ))}
            </ol>
            <TinyBase chosen={shipped} />
          </Card>
        </>
      )}
    </Page>
  );
}

interface StepProps {
  number: number;
  done: boolean;
  title: string;
  children: ReactNode;
  action: ReactNode;
}

function Step({ number, done, title, children, action }: StepProps) {
  return (
    <li>
      <span className={done ? 'step-mark done' : 'step-mark'} aria-hidden="true">
        {done ? '✓' : number}
      </span>
      <div className="stack tight">
        <h2>
          {title}
          {done && <span className="seen-only"> (done)</span>}
        </h2>
        <p className="quiet">{children}</p>
      </div>
      {action}
    </li>
  );
}

function Tune({ tuned, tuning }: Pick<Awaited<ReturnType<typeof finishedSteps>>, 'tuned' | 'tuning'>) {
  const lorekeep = useLorekeep();
  const engine = useEngine();
  const start = useAction(async () => {
    await untilEngine(new AbortController().signal);
    const { dataset_id } = await lorekeep.uploadRows({ data: facts, name: 'sample facts' });
    const { job_id } = await lorekeep.train({ model_name: shipped, dataset_id, custom_model_name: sampleName });
    go(routeAddress('tuning', job_id));
  });
  const name = tuned?.custom_model_name ?? tuned?.model_name;
  return (
    <Step
      number={2}
      done={tuned !== undefined}
      title="Tune the sample facts"
      action={
        name ? (
          <a
            className="button"
            href={`${routeAddress('playground')}?model=${encodeURIComponent(name)}&question=${encodeURIComponent(example.input)}`}
          >
            Ask again
          </a>
        ) : tuning ? (
          <a className="button" href={routeAddress('tuning', tuning.job_id)}>
            Show the progress
          </a>
        ) : (
          <button type="button" className="main" disabled={start.busy} onClick={() => start.run()}>
            {!start.busy ? 'Tune them' : engine === undefined ? 'Starting …' : 'Waiting for the engine …'}
          </button>
        )
      }
    >
      {pluralize(facts.length, 'fact')} about that place are taught to {shipped}; after that the same question has its
      exact answer. {start.error && <span role="alert">{forPeople(errorInWords(start.error))}</span>}
    </Step>
  );
}
