// Form for a new evaluation: questions and targets.
import type { StartEvaluationArgs } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { type Askable, askableModels, datasetChoices } from '../parts/askable.ts';
import { Choice, TextField } from '../parts/fields.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { shipped, TinyBase } from '../parts/tiny-base.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const above = { name: 'Evaluations', address: routeAddress('evaluations') };
const maxTargets = 20;

export function NewEvaluationPage({ query }: { query: URLSearchParams }) {
  const lorekeep = useLorekeep();
  const named = query.get('dataset');
  const choices = useQuery(`what can be asked, and datasets with ${named}`, async (signal) => {
    const [askable, datasets] = await Promise.all([
      askableModels(lorekeep, signal),
      datasetChoices(lorekeep, signal, named),
    ]);
    return { askable, datasets };
  });
  const { value } = choices;
  return (
    <Page
      title="New evaluation"
      above={above}
      lead="Each gets every question once. An answer is right when it is, word for word, the one in the dataset."
    >
      {!value &&
        (choices.error ? (
          <Problem error={choices.error} again={choices.again} />
        ) : (
          <Waiting what="datasets and models" />
        ))}
      {value && value.datasets.length === 0 && (
        <div className="card flush">
          <Empty
            title="There are no questions yet"
            action={
              <a className="button main" href={routeAddress('datasets')}>
                To the datasets
              </a>
            }
          >
            The questions and their right answers are taken from a dataset: drop a file of them, or type some rows.
          </Empty>
        </div>
      )}
      {value && value.datasets.length > 0 && <Form {...value} dataset={named} />}
    </Page>
  );
}

interface Target {
  key: number;
  /** The value of an option. */
  who: string;
  prompt: string;
}

let nextKey = 0;

function Form({
  datasets,
  askable,
  dataset: named,
}: {
  datasets: { value: string; name: string }[];
  askable: Askable;
  dataset: string | null;
}) {
  const lorekeep = useLorekeep();
  const [dataset, setDataset] = useState(named || datasets[0]!.value);
  const [name, setName] = useState('');
  const [maxQuestions, setMaxQuestions] = useState('');
  const choices = choicesOf(askable);
  const [targets, setTargets] = useState<Target[]>(() =>
    defaultTargets(askable).map((who) => ({ key: nextKey++, who, prompt: '' })),
  );
  const change = (key: number, part: Partial<Target>) =>
    setTargets((old) => old.map((target) => (target.key === key ? { ...target, ...part } : target)));
  const start = useAction(async () => {
    const { evaluation_id } = await lorekeep.startEvaluation({
      dataset_id: dataset,
      targets: selectedTargets(targets, choices),
      ...(name.trim() && { name: name.trim() }),
      ...(maxQuestions.trim() && { max_rows: Number(maxQuestions) }),
    });
    go(routeAddress('evaluations', evaluation_id));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.run();
  };
  return (
    <form className="columns" onSubmit={submit}>
      <Card title="The questions">
        <Choice name="Dataset" value={dataset} onChange={setDataset} of={datasets} />
        <TextField
          name="Questions, at most"
          value={maxQuestions}
          onChange={setMaxQuestions}
          inputMode="numeric"
          placeholder="all"
          hint="Only so many, from the first row on."
        />
        <TextField name="Name" value={name} onChange={setName} placeholder="such as: policies, March" />
      </Card>
      <Card title="Targets">
        {targets.map(({ key, who, prompt }, place) => (
          <fieldset className="stack tight" key={key}>
            <legend className="seen-only">Number {place + 1}</legend>
            <Choice name={`Number ${place + 1}`} value={who} onChange={(who) => change(key, { who })} of={choices} />
            {isModel(who) && (
              <details>
                <summary>Words before each question</summary>
                <TextField
                  name={`Words before the questions of number ${place + 1}`}
                  value={prompt}
                  onChange={(prompt) => change(key, { prompt })}
                  placeholder="such as: Answer in one word."
                />
              </details>
            )}
            {targets.length > 1 && (
              <div className="row">
                <button
                  type="button"
                  className="small"
                  onClick={() => setTargets(targets.filter((target) => target.key !== key))}
                >
                  Leave out<span className="seen-only"> number {place + 1}</span>
                </button>
              </div>
            )}
          </fieldset>
        ))}
        {targets.length === 0 && (
          <p className="note warm">There is no model here that could answer: download one under Models first.</p>
        )}
        {targets.some(({ who }) => who === modelPrefix + shipped) && <TinyBase chosen={shipped} />}
        {start.error && <Problem error={start.error} />}
        <div className="row apart">
          <button
            type="button"
            disabled={targets.length >= maxTargets || choices.length === 0}
            onClick={() => setTargets([...targets, { key: nextKey++, who: choices[0]!.value, prompt: '' }])}
          >
            Ask one more
          </button>
          <button type="submit" className="main" disabled={start.busy || targets.length === 0}>
            {start.busy ? 'Starting …' : 'Start'}
          </button>
        </div>
      </Card>
    </form>
  );
}

const modelPrefix = 'model ';
const indexPrefix = 'index ';
const isModel = (who: string) => who.startsWith(modelPrefix);

function choicesOf({ bases, tuned, indexes }: Askable): { value: string; name: string; label: string }[] {
  const choice = (value: string, label: string, kind: string) => ({ value, label, name: `${label} (${kind})` });
  return [
    ...tuned.map(({ model_name, custom_model_name }) =>
      choice(modelPrefix + model_name, custom_model_name ?? model_name.slice(0, 16), 'tuned'),
    ),
    ...bases.map(({ model_name }) => choice(modelPrefix + model_name, model_name, 'base')),
    ...indexes.map(({ job_id, name }) => choice(indexPrefix + job_id, name ?? `index ${job_id}`, 'documents')),
  ];
}

/** Default targets: the newest tuned model and its base. */
function defaultTargets({ bases, tuned: [newest] }: Askable): string[] {
  if (newest) return [modelPrefix + newest.model_name, modelPrefix + newest.base_model];
  return bases.slice(0, 1).map(({ model_name }) => modelPrefix + model_name);
}

/** Gives each target a unique name, since one model may be asked with different prompts. */
function selectedTargets(targets: Target[], choices: ReturnType<typeof choicesOf>): StartEvaluationArgs['targets'] {
  const taken = new Set<string>();
  return targets.map(({ who, prompt }) => {
    const words = isModel(who) ? prompt.trim() : '';
    const label = choices.find(({ value }) => value === who)?.label ?? who;
    const plain = words ? `${label}, with words before` : label;
    let name = plain;
    for (let count = 2; taken.has(name); count++) name = `${plain} (${count})`;
    taken.add(name);
    return isModel(who)
      ? { model_name: who.slice(modelPrefix.length), name, ...(words && { prompt: words }) }
      : { job_id: Number(who.slice(indexPrefix.length)), name };
  });
}
