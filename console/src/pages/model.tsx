// Page of a tuned model: its origin, its facts, and actions.
import type { ListModelFactsAnswer, TunedModel } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { bytes, count, formatDateTime } from '../format.ts';
import { Confirm } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { FormattedText } from '../parts/formatted-text.tsx';
import { SourceOf, TimesOf } from '../parts/known-details.tsx';
import { List } from '../parts/list.tsx';
import { MoveCard } from '../parts/move-card.tsx';
import { OwnerActions } from '../parts/owner-actions.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { PolicyOf } from '../parts/policy.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { tunedModel } from '../parts/tuned.ts';
import { useAction, usePages, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const above = { name: 'Models', address: routeAddress('models') };

const formats = [
  ['folder', 'Another Lorekeep', 'the complete model with its router'],
  ['vllm', 'vLLM', 'one LoRA for each expert'],
  ['gguf', 'llama.cpp', 'one adapter in GGUF for each expert'],
  ['peft', 'PEFT', 'one activated LoRA for each expert'],
] as const;

/** Export formats by the program that loads them. */
function ExportCard({ model }: { model: string }) {
  return (
    <Card title="Export">
      <div className="row">
        {formats.map(([format, who, about]) => (
          <span className="stack tight" key={format}>
            <a
              className="button"
              href={`/v1/models/${encodeURIComponent(model)}/export?format=${format}`}
              download
              aria-label={`Export for ${who}`}
            >
              {who}
            </a>
            <span className="hint">{about}</span>
          </span>
        ))}
      </div>
      <p className="quiet">
        Facts find their adapter by Lorekeep's router, which other programs do not have: README.md in the file says how
        to ask it, and what is lost.
      </p>
    </Card>
  );
}

export function ModelPage({ name }: { name: string }) {
  const lorekeep = useLorekeep();
  const model = useQuery(`model ${name}`, async (signal) => await tunedModel(lorekeep, name, signal));
  const facts = usePages(`facts of ${name}`, async (after, signal) => {
    const { facts, next } = await lorekeep.listModelFacts(
      { model: name, limit: 1000, ...(after !== undefined && { after }) },
      { signal },
    );
    return { items: facts, next };
  });
  const [forgetting, setForgetting] = useState<string>();
  const { value } = model;
  if (!value)
    return (
      <Page title="Model" above={above}>
        {model.error ? <Problem error={model.error} again={model.again} /> : <Waiting what="the model" />}
      </Page>
    );
  const asked = value.custom_model_name ?? value.model_name;
  return (
    <Page
      title={value.custom_model_name ?? `Model ${value.model_name.slice(0, 12)}`}
      above={above}
      actions={
        <a className="button main" href={`${routeAddress('playground')}?model=${encodeURIComponent(asked)}`}>
          Ask it
        </a>
      }
    >
      <Card title="Origin">
        <Facts
          of={[
            ['Base', value.base_model],
            ['Made by', <a key="job" href={routeAddress('tuning', value.job_id)}>{`job ${value.job_id}`}</a>],
            [
              'Taught from',
              value.dataset_id ? (
                <a key="data" href={routeAddress('datasets', value.dataset_id)}>
                  its dataset
                </a>
              ) : (
                '–'
              ),
            ],
            ['Facts recalled', `${count(value.facts_recalled)} of ${count(value.facts)}`],
            ['Experts', count(value.experts)],
            ['Size', bytes(value.bytes)],
            ['Made', formatDateTime(value.created_at)],
            [
              'Shared',
              !value.is_public
                ? 'no'
                : value.qualified_name
                  ? `with all accounts, as ${value.qualified_name}`
                  : 'with all accounts',
            ],
          ]}
        />
        <p className="hint mono">{value.model_name}</p>
      </Card>
      <ExportCard model={value.model_name} />
      <Settings name={name} value={value} onDone={model.again} />
      <List
        what="facts"
        asked={facts}
        total={value.facts}
        id={({ row }) => row}
        text={({ input, output }) => `${input} ${output}`}
        empty={<Empty title="No facts">This model was taught nothing.</Empty>}
        columns={[
          { name: 'Row', number: true, cell: ({ row }) => row },
          { name: 'Question', wide: true, cell: ({ input }) => <FormattedText text={input} /> },
          { name: 'Answer', wide: true, cell: (fact) => <Answer fact={fact} /> },
          {
            name: 'Recalled',
            short: true,
            cell: ({ recalled }) =>
              recalled ? <span className="pill good">yes</span> : <span className="pill bad">never said</span>,
          },
          {
            name: 'Forget',
            bare: true,
            cell: ({ input }) => (
              <button type="button" className="plain small" onClick={() => setForgetting(input)}>
                Forget<span className="seen-only"> {input}</span>
              </button>
            ),
          },
        ]}
      />
      <OwnerActions
        what="model"
        shared={value.is_public}
        share={async (is_public) => {
          await lorekeep.changeTunedModel({ model: name, is_public });
          model.again();
        }}
        remove={async () => {
          await lorekeep.deleteTunedModel({ model: name });
          go(routeAddress('models'));
        }}
      >
        Its experts are gone from the disk. The base and the dataset stay.
      </OwnerActions>
      {forgetting !== undefined && (
        <Confirm
          title="Forget this fact?"
          yes="Forget it"
          onClose={() => setForgetting(undefined)}
          onYes={async () => {
            const { job_id } = await lorekeep.forgetFacts({ model: name, inputs: [forgetting] });
            go(routeAddress('tuning', job_id));
          }}
        >
          “<bdi>{forgetting}</bdi>” A job makes the model anew without it and trains only what it touched. The name
          moves to the new model.
        </Confirm>
      )}
    </Page>
  );
}

function Settings({ name, value, onDone }: { name: string; value: TunedModel; onDone(): void }) {
  const lorekeep = useLorekeep();
  return (
    <>
      <Rename name={name} current={value.custom_model_name} onDone={onDone} />
      <PolicyOf model={name} policy={value} onDone={onDone} />
      <MoveCard
        base={value.base_model}
        move={async (base_model) => {
          const { job_id } = await lorekeep.moveTunedModel({ model: name, base_model });
          go(routeAddress('tuning', job_id));
        }}
      />
    </>
  );
}

function Rename({ name, current, onDone }: { name: string; current: string | null; onDone(): void }) {
  const lorekeep = useLorekeep();
  const [next, setNext] = useState(current ?? '');
  const { run, busy, error } = useAction(async () => {
    await lorekeep.changeTunedModel({ model: name, custom_model_name: next.trim() });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Card title="Name">
      <form className="stack" onSubmit={submit}>
        <TextField
          name="Asked by the name"
          value={next}
          onChange={setNext}
          hint="A name that another of your models has moves here at once."
        />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="submit" disabled={busy || next.trim() === '' || next.trim() === current}>
            Give it this name
          </button>
        </div>
      </form>
    </Card>
  );
}

function Answer({ fact }: { fact: ListModelFactsAnswer['facts'][number] }) {
  return (
    <>
      <FormattedText text={fact.output} /> <TimesOf fact={fact} /> <SourceOf source={fact.source} />
    </>
  );
}
