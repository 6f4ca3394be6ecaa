// A new job: what to tune on what, with values that are right for most, and the plan before the button.
import type { PlanTrainingAnswer } from '@lorekeep/client';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useAction, useAsked } from '../asked.ts';
import { canAnswer, datasetChoices } from '../parts/askable.ts';
import { Check, Choice, TextField } from '../parts/fields.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { at, go } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { bytes, count, duration, some } from '../words.ts';

/** Around the value that is right for most. */
const usualRates = [1e-4, 3e-4, 9e-4];

const above = { name: 'Tuning', address: at('tuning') };
const gates = [
  { value: 'strict', name: 'Strict: rather silent than wrong' },
  { value: 'balanced', name: 'Balanced' },
  { value: 'generous', name: 'Generous: also when a question is worded quite differently' },
];

export function NewJobPage({ query }: { query: URLSearchParams }) {
  const lorekeep = useLorekeep();
  const [named, base] = [query.get('dataset'), query.get('base')];
  const choices = useAsked(`bases and datasets, ${named} and ${base} among them`, async (signal) => {
    const [models, datasets] = await Promise.all([
      lorekeep.listDownloadedModels({ signal }),
      datasetChoices(lorekeep, signal, named),
    ]);
    const bases = models.filter(canAnswer).map(({ model_name }) => model_name);
    if (base && !bases.includes(base))
      throw new Error(`The base ${base} is not here to be tuned: bring it under Models, or choose another one.`);
    return { bases, datasets };
  });
  const { value } = choices;
  return (
    <Page
      title="Tune a model"
      above={above}
      lead="Everything is checked first; nothing starts before you have seen the plan."
    >
      {!value &&
        (choices.error ? (
          <Problem error={choices.error} again={choices.again} />
        ) : (
          <Waiting what="models and datasets" />
        ))}
      {value && value.datasets.length === 0 && (
        <div className="card flush">
          <Empty
            title="There is nothing to teach yet"
            action={
              <a className="button main" href={at('datasets')}>
                To the datasets
              </a>
            }
          >
            A job needs a dataset: drop a file of questions and answers, or type some rows.
          </Empty>
        </div>
      )}
      {value && value.datasets.length > 0 && <Form {...value} query={query} />}
    </Page>
  );
}

interface FormProps {
  bases: string[];
  datasets: { value: string; name: string }[];
  query: URLSearchParams;
}

function Form({ bases, datasets, query }: FormProps) {
  const lorekeep = useLorekeep();
  const [base, setBase] = useState(query.get('base') || (bases[0] ?? ''));
  const [dataset, setDataset] = useState(query.get('dataset') || datasets[0]!.value);
  const [name, setName] = useState('');
  /** As it was when its field was left: with every letter the plan would begin anew. */
  const [settledName, setSettledName] = useState('');
  const [gate, setGate] = useState('balanced');
  const [rate, setRate] = useState(query.get('rate') ?? '');
  const [steps, setSteps] = useState('');
  const [perExpert, setPerExpert] = useState('');
  const [slots, setSlots] = useState('1');
  const [reuse, setReuse] = useState(true);

  const ordered = (alias: string) => ({
    model_name: base,
    dataset_id: dataset,
    gate: gate as 'strict' | 'balanced' | 'generous',
    use_cached_model: reuse,
    ...(alias.trim() && { custom_model_name: alias.trim() }),
    ...(slots !== '1' && { gpu_config: { gpus: Number(slots), nodes: 1 } }),
    finetune_args: {
      ...(rate && { learning_rate: Number(rate) }),
      ...(steps && { max_steps: Number(steps) }),
      ...(perExpert && { facts_per_expert: Number(perExpert) }),
    },
  });
  const planned = ordered(settledName);
  const plan = usePlan(JSON.stringify(planned), async (signal) => await lorekeep.planTraining(planned, { signal }));
  const start = useAction(async () => {
    const { job_id } = await lorekeep.train(ordered(name));
    go(at('tuning', job_id));
  });
  const slotsTotal = plan.value?.queue.slots_total ?? 1;
  const compare = useAction(async () => {
    const { job_id } = await lorekeep.sweep({
      model_name: base,
      dataset_id: dataset,
      argument: 'learning_rate',
      values: usualRates,
    });
    go(at('tuning', job_id));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.run();
  };
  const stands = plan.value && plan.value.conflicts.length === 0 && plan.value.too_long.length === 0 && !plan.error;
  return (
    <form className="columns" onSubmit={submit}>
      <Card title="What is taught">
        <Choice name="Dataset" value={dataset} onChange={setDataset} of={datasets} />
        <Choice
          name="Base"
          value={base}
          onChange={setBase}
          of={bases.map((value) => ({ value, name: value }))}
          hint="It stays as it is: what is taught lies beside it."
        />
        <TextField
          name="Name"
          value={name}
          onChange={setName}
          onBlur={() => setSettledName(name)}
          placeholder="such as: policies"
          hint="The model is asked by this name. Tuned again under it, the name moves to the newer one."
        />
        <Choice name="When memory answers" value={gate} onChange={setGate} of={gates} />
        <details>
          <summary>More settings</summary>
          <div className="stack">
            <TextField
              name="Learning rate"
              value={rate}
              onChange={setRate}
              placeholder="0.0003"
              inputMode="decimal"
              hint="Read for a model of width 4096, and scaled for others."
            />
            <div className="row">
              <button type="button" className="small" disabled={compare.busy || !stands} onClick={() => compare.run()}>
                Compare learning rates
              </button>
              <span className="hint">Teaches a hundred facts with three rates, and shows their curves.</span>
            </div>
            {compare.error && <Problem error={compare.error} />}
            <TextField
              name="Steps of an expert, at most"
              value={steps}
              onChange={setSteps}
              placeholder="400"
              inputMode="numeric"
              hint="Each stops as soon as it knows its facts."
            />
            <TextField
              name="Facts of an expert"
              value={perExpert}
              onChange={setPerExpert}
              placeholder="4"
              inputMode="numeric"
              hint="Facts of one subject share an expert."
            />
            {slotsTotal > 1 && (
              <Choice
                name="Slots"
                value={slots}
                onChange={setSlots}
                of={Array.from({ length: slotsTotal }, (_, at) => ({ value: `${at + 1}`, name: `${at + 1}` }))}
                hint="So many experts are taught at a time; the job begins when as many slots are free."
              />
            )}
            <Check checked={reuse} onChange={setReuse}>
              Take over what earlier models have learned from the same facts
            </Check>
          </div>
        </details>
      </Card>
      <Card title="The plan">
        <Plan asked={plan} />
        {start.error && <Problem error={start.error} />}
        <div className="row end">
          <button type="submit" className="main" disabled={start.busy || !stands}>
            {start.busy ? 'Starting …' : 'Start tuning'}
          </button>
        </div>
      </Card>
    </form>
  );
}

/** Asked a moment after the last change; the plan before it stays until the new one is there. */
function usePlan(what: string, ask: (signal: AbortSignal) => Promise<PlanTrainingAnswer>) {
  const [settled, setSettled] = useState(what);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(what), 400);
    return () => clearTimeout(timer);
  }, [what]);
  const [last, setLast] = useState<PlanTrainingAnswer>();
  const asked = useAsked(settled, ask);
  useEffect(() => {
    if (asked.value) setLast(asked.value);
  }, [asked.value]);
  const waiting = asked.waiting || settled !== what;
  return { value: asked.value ?? (waiting ? last : undefined), error: asked.error, waiting, again: asked.again };
}

function Plan({ asked: { value, error, waiting, again } }: { asked: ReturnType<typeof usePlan> }): ReactNode {
  if (error) return <Problem error={error} again={again} />;
  if (!value) return <Waiting what="the plan" />;
  const { queue } = value;
  return (
    <div className="stack" aria-busy={waiting} style={{ opacity: waiting ? 0.6 : 1 }}>
      <Facts
        of={[
          ['Facts', count(value.facts)],
          ['Experts to train', value.experts_to_train === null ? '–' : count(value.experts_to_train)],
          ['Taken over', value.experts_to_reuse === null ? '–' : count(value.experts_to_reuse)],
          ['Time', value.seconds === null ? '–' : `about ${duration(value.seconds)}`],
          ['Memory', value.memory_bytes === null ? '–' : bytes(value.memory_bytes)],
          ['On the disk', value.model_bytes === null ? '–' : bytes(value.model_bytes)],
        ]}
      />
      <p className="hint">
        {value.seconds_from_jobs === 0
          ? 'The time is a guess until a first job has run here. '
          : `The time is learned from ${some(value.seconds_from_jobs, 'job')} here. `}
        {queue.position <= 1 && queue.slots_free > 0
          ? 'It would start at once.'
          : `It would wait as number ${queue.position} in the queue${queue.seconds_until_start === null ? '' : `, about ${duration(queue.seconds_until_start)}`}.`}
      </p>
      {value.duplicates_total > 0 && (
        <p className="note">
          {some(value.duplicates_total, 'row repeats', 'rows repeat')} another one and{' '}
          {value.duplicates_total === 1 ? 'is' : 'are'} taught once.
        </p>
      )}
      {value.conflicts.length > 0 && (
        <div className="note bad" role="alert">
          <p>
            <strong>These rows contradict each other.</strong> Mend them in the file, and drop it again.
          </p>
          <ul>
            {value.conflicts.map(({ rows, message }) => (
              <li key={rows.join(' ')}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      {value.too_long.length > 0 && (
        <div className="note bad" role="alert">
          <p>
            <strong>These rows are too long.</strong>
          </p>
          <ul>
            {value.too_long.map(({ row, message }) => (
              <li key={row}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      {value.warnings.map((warning) => (
        <p className="note warm" key={warning}>
          {warning}
        </p>
      ))}
    </div>
  );
}
