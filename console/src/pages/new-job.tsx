// Form for a new job: dataset, base, arguments with sensible defaults, and the plan (dry run).
import { defaultGate, defaultSweep, type Gate, gates, type TrainArgs } from '@lorekeep/client';
import { type FormEvent, Fragment, useState } from 'react';
import { capital, pluralize } from '../format.ts';
import { ArgumentField } from '../parts/argument-field.tsx';
import { canAnswer, datasetChoices } from '../parts/askable.ts';
import { Check, Choice, TextField } from '../parts/fields.tsx';
import { isTeachable, Plan, usePlan } from '../parts/job-plan.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Problem, QueryResult } from '../parts/states.tsx';
import { TinyBase } from '../parts/tiny-base.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { useStoredState } from '../stored-state.ts';

const above = { name: 'Tuning', address: routeAddress('tuning') };
const gateChoices = Object.entries<{ near_misses: number; means?: string }>(gates).map(([value, { means }]) => ({
  value,
  name: `${capital(value)}${means ? `: ${means}` : ''}`,
}));
/** The arguments with a form field. */
const argumentFields = [
  { argument: 'learning_rate', name: 'Learning rate' },
  { argument: 'max_steps', name: 'Steps' },
  { argument: 'facts_per_expert', name: 'Facts of an expert' },
] as const;
type Argument = (typeof argumentFields)[number]['argument'];

export function NewJobPage({ query }: { query: URLSearchParams }) {
  const lorekeep = useLorekeep();
  const [named, base] = [query.get('dataset'), query.get('base')];
  const choices = useQuery(`bases and datasets, ${named} and ${base} among them`, async (signal) => {
    const [models, datasets] = await Promise.all([
      lorekeep.listDownloadedModels({ signal }),
      datasetChoices(lorekeep, signal, named),
    ]);
    const bases = models.filter(canAnswer).map(({ model_name }) => model_name);
    if (base && !bases.includes(base))
      throw new Error(`The base ${base} is not here to be tuned: download it under Models, or choose another one.`);
    return { bases, datasets };
  });
  return (
    <Page
      title="Tune a model"
      above={above}
      lead="Everything is checked first; nothing starts before you have seen the plan."
    >
      <QueryResult asked={choices} what="models and datasets">
        {(found) => (found.datasets.length === 0 ? <NothingToTeach /> : <Form {...found} query={query} />)}
      </QueryResult>
    </Page>
  );
}

function NothingToTeach() {
  return (
    <div className="card flush">
      <Empty
        title="There is nothing to teach yet"
        action={
          <a className="button main" href={routeAddress('datasets')}>
            To the datasets
          </a>
        }
      >
        A job needs a dataset: drop a file of questions and answers, or type some rows.
      </Empty>
    </div>
  );
}

/** The values of the form fields. */
interface Order {
  base: string;
  dataset: string;
  name: string;
  gate: Gate;
  slots: string;
  reuse: boolean;
  args: Partial<Record<Argument, string>>;
}

function trainArgsOf({ base, dataset, gate, slots, reuse, args }: Order, name: string): TrainArgs {
  return {
    model_name: base,
    dataset_id: dataset,
    gate,
    use_cached_model: reuse,
    ...(name.trim() && { custom_model_name: name.trim() }),
    ...(slots !== '1' && { gpu_config: { gpus: Number(slots), nodes: 1 } }),
    finetune_args: Object.fromEntries(
      Object.entries(args).flatMap(([argument, typed]) => (typed ? [[argument, Number(typed)]] : [])),
    ),
  };
}

interface FormProps {
  bases: string[];
  datasets: { value: string; name: string }[];
  query: URLSearchParams;
}

function Form({ bases, datasets, query }: FormProps) {
  const lorekeep = useLorekeep();
  const [savedBase, saveBase] = useStoredState<string | null>('base', null);
  const [order, setOrder] = useState<Order>({
    base: query.get('base') || (bases.find((name) => name === savedBase) ?? bases[0] ?? ''),
    dataset: query.get('dataset') || datasets[0]!.value,
    name: '',
    gate: defaultGate,
    slots: '1',
    reuse: true,
    args: { learning_rate: query.get('rate') ?? '' },
  });
  const change = (changed: Partial<Order>) => setOrder((old) => ({ ...old, ...changed }));
  /** The value when the field lost the focus, since each keystroke would restart the plan. */
  const [settledName, setSettledName] = useState('');
  const planned = trainArgsOf(order, settledName);
  const plan = usePlan(JSON.stringify(planned), async (signal) => await lorekeep.planTraining(planned, { signal }));
  const start = useAction(async () => {
    const { job_id } = await lorekeep.train(trainArgsOf(order, order.name));
    go(routeAddress('tuning', job_id));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.run();
  };
  return (
    <form className="columns" onSubmit={submit}>
      <Card title="What is taught">
        <Choice name="Dataset" value={order.dataset} onChange={(dataset) => change({ dataset })} of={datasets} />
        <Choice
          name="Base"
          value={order.base}
          onChange={(base) => {
            change({ base });
            saveBase(base);
          }}
          of={bases.map((value) => ({ value, name: value }))}
          hint="It is not changed: the taught facts are stored beside it."
        />
        <TinyBase chosen={order.base} />
        <TextField
          name="Name"
          value={order.name}
          onChange={(name) => change({ name })}
          onBlur={() => setSettledName(order.name)}
          placeholder="such as: policies"
          hint="The model is asked by this name. Tuned again under it, the name moves to the newer one."
        />
        <Choice
          name="When memory answers"
          value={order.gate}
          onChange={(gate) => change({ gate: gate as Gate })}
          of={gateChoices}
        />
        <MoreSettings
          order={order}
          change={change}
          slots={plan.value?.queue.slots_total ?? 1}
          comparable={isTeachable(plan)}
        />
      </Card>
      <Card title="The plan">
        <Plan asked={plan} />
        {start.error && <Problem error={start.error} />}
        <div className="row end">
          <button type="submit" className="main" disabled={start.busy || !isTeachable(plan)}>
            {start.busy ? 'Starting …' : 'Start tuning'}
          </button>
        </div>
      </Card>
    </form>
  );
}

interface SettingsProps {
  order: Order;
  change(changed: Partial<Order>): void;
  /** Number of slots for jobs. */
  slots: number;
  comparable: boolean;
}

function MoreSettings({ order, change, slots, comparable }: SettingsProps) {
  return (
    <details>
      <summary>More settings</summary>
      <div className="stack">
        {argumentFields.map(({ argument, name }) => (
          <Fragment key={argument}>
            <ArgumentField
              argument={argument}
              name={name}
              value={order.args[argument] ?? ''}
              onChange={(typed) => change({ args: { ...order.args, [argument]: typed } })}
            />
            {argument === defaultSweep.argument && <StartSweep order={order} possible={comparable} />}
          </Fragment>
        ))}
        {slots > 1 && (
          <Choice
            name="Slots"
            value={order.slots}
            onChange={(taken) => change({ slots: taken })}
            of={Array.from({ length: slots }, (_, at) => ({ value: `${at + 1}`, name: `${at + 1}` }))}
            hint="So many experts are taught at a time; the job begins when as many slots are free."
          />
        )}
        <Check checked={order.reuse} onChange={(reuse) => change({ reuse })}>
          Take over what earlier models have learned from the same facts
        </Check>
      </div>
    </details>
  );
}

/** A sweep instead of a job: compares learning rates. */
function StartSweep({ order: { base, dataset }, possible }: { order: Order; possible: boolean }) {
  const lorekeep = useLorekeep();
  const { argument, values, facts } = defaultSweep;
  const compare = useAction(async () => {
    const { job_id } = await lorekeep.sweep({ model_name: base, dataset_id: dataset, argument, values: [...values] });
    go(routeAddress('tuning', job_id));
  });
  return (
    <>
      <div className="row">
        <button type="button" className="small" disabled={compare.busy || !possible} onClick={() => compare.run()}>
          Compare learning rates
        </button>
        <span className="hint">
          Teaches {pluralize(facts, 'fact')} with {values.join(', ')}, and shows their curves.
        </span>
      </div>
      {compare.error && <Problem error={compare.error} />}
    </>
  );
}
