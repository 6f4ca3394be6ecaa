// One memory: its facts, searched and changed; its changes; its versions.
import type { MemoryChange, MemoryFact, MemoryVersion, NamedMemory } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago, count } from '../format.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/fields.tsx';
import { TimesOf } from '../parts/known-details.tsx';
import { List } from '../parts/list.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { useAction, usePages, useQuery } from '../query.ts';
import { at } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { DetailFields, type Details, detailsIn } from './fact-details.tsx';
import { Erasures } from './memory-erasures.tsx';
import { GateCard, GateFinding, PublishVersion } from './memory-gate.tsx';

const above = { name: 'Memories', address: at('memories') };

/** A fact that is to be changed, or a new one. */
type Editing = Pick<MemoryFact, 'input' | 'output'> &
  Partial<Pick<MemoryFact, 'valid_from' | 'valid_until'>> & { isNew: boolean };

export function MemoryPage({ name }: { name: string }) {
  const lorekeep = useLorekeep();
  const memory = useQuery(`memory ${name}`, async (signal) => await lorekeep.showMemory({ name }, { signal }), {
    every: ({ changes_open }) => (changes_open > 0 ? 1000 : 10_000),
  });
  const [editing, setEditing] = useState<Editing>();
  const { value } = memory;
  if (!value)
    return (
      <Page title={name} above={above}>
        {memory.error ? <Problem error={memory.error} again={memory.again} /> : <Waiting what="the memory" />}
      </Page>
    );
  return (
    <Page
      title={name}
      above={above}
      lead="Programs ask it by its name, and the published version answers."
      actions={
        <>
          <a className="button" href={`${at('playground')}?model=${encodeURIComponent(name)}`}>
            Ask it
          </a>
          <a className="button" href={at('memories', name, 'proposals')}>
            Review proposals
          </a>
          <button type="button" className="main" onClick={() => setEditing({ input: '', output: '', isNew: true })}>
            Add a fact
          </button>
        </>
      }
    >
      <Card>
        <Facts
          of={[
            ['Published version', value.version ?? 'none yet'],
            ['Latest version', value.latest_version ?? 'none yet'],
            ['Facts', count(value.facts)],
            ['Recalled word for word', count(value.facts_recalled)],
            ['Changes that are not over', count(value.changes_open)],
          ]}
        />
      </Card>
      <FoundFacts memory={value} edit={setEditing} changed={memory.again} />
      <Changes memory={value} />
      <Versions memory={value} changed={memory.again} />
      <GateCard name={name} empty={value.version === null} />
      <Erasures memory={value} changed={memory.again} />
      {editing && (
        <FactForm
          memory={value}
          fact={editing}
          onClose={() => setEditing(undefined)}
          onDone={() => {
            setEditing(undefined);
            memory.again();
          }}
        />
      )}
    </Page>
  );
}

/** Key under which a list is asked anew: another version, one that is held, or a change more. */
const stateOf = ({ name, version, latest_version, changes_open }: NamedMemory) =>
  `${name} ${version} ${latest_version} ${changes_open}`;

interface FactsProps {
  memory: NamedMemory;
  edit(fact: Editing): void;
  changed(): void;
}

function FoundFacts({ memory, edit, changed }: FactsProps) {
  const lorekeep = useLorekeep();
  const { name, version } = memory;
  const [text, setText] = useState('');
  const [going, setGoing] = useState<MemoryFact>();
  const facts = usePages(`facts ${name} ${version} ${text}`, async (after, signal) => {
    const asked = { name, ...(text.trim() && { text }), ...(after !== undefined && { after }) };
    const { facts, next } = await lorekeep.listMemoryFacts(asked, { signal });
    return { items: facts, next };
  });
  return (
    <>
      <Card title="Facts">
        <TextField
          name="Words in the question, the answer, the subject or the source"
          value={text}
          onChange={setText}
        />
      </Card>
      <List<MemoryFact>
        what="facts"
        asked={facts}
        id={({ id }) => id}
        text={({ input, output, subject }) => `${input} ${output} ${subject ?? ''}`}
        empty={<Empty title="No such fact">Other words may find it.</Empty>}
        columns={[
          { name: 'Question', wide: true, cell: ({ input }) => input },
          {
            name: 'Answer',
            wide: true,
            cell: ({ output, recalled, ...fact }) => (
              <span className="row">
                {output}
                <TimesOf fact={fact} />
                {!recalled && <span className="pill bad">not recalled</span>}
              </span>
            ),
          },
          {
            name: 'Source',
            short: true,
            cell: (fact) => <span title={fact.source.quote ?? undefined}>{sourceOf(fact)}</span>,
          },
          {
            name: 'Change',
            bare: true,
            cell: (fact) => (
              <span className="row close">
                <button type="button" className="small" onClick={() => edit({ ...fact, isNew: false })}>
                  Change<span className="seen-only"> {fact.input}</span>
                </button>
                <button type="button" className="small grave" onClick={() => setGoing(fact)}>
                  Withdraw<span className="seen-only"> {fact.input}</span>
                </button>
              </span>
            ),
          },
        ]}
      />
      {going && (
        <Confirm
          title="Withdraw this fact?"
          yes="Withdraw it"
          onClose={() => setGoing(undefined)}
          onYes={async () => {
            await lorekeep.changeMemory({ name, withdraw: [going.input] });
            changed();
          }}
        >
          “{going.input}” is answered with “{going.output}” no more, from the next version on. Earlier versions keep it.
        </Confirm>
      )}
    </>
  );
}

function sourceOf({ source: { change, dataset_id, row, kind, name, page } }: MemoryFact): string {
  if (kind !== null) return [name ?? kind, page === null ? '' : `page ${page}`].filter(Boolean).join(', ');
  if (change !== null) return `change ${change}`;
  return dataset_id === null ? '–' : `row ${row} of ${dataset_id.slice(0, 12)}`;
}

function Changes({ memory }: { memory: NamedMemory }) {
  const lorekeep = useLorekeep();
  const { name } = memory;
  const changes = usePages(`changes ${stateOf(memory)}`, async (after, signal) => {
    const found = await lorekeep.listMemoryChanges({ name, ...(after !== undefined && { after }) }, { signal });
    return { items: found.changes, next: found.next };
  });
  const bad = ['held', 'failed'];
  return (
    <List<MemoryChange>
      what="changes"
      asked={changes}
      id={({ number }) => number}
      text={({ by, reason, state, error }) => `${by} ${reason ?? ''} ${state} ${error ?? ''}`}
      empty={<Empty title="No change yet">Add a fact.</Empty>}
      columns={[
        { name: 'Number', number: true, cell: ({ number }) => count(number) },
        { name: 'Who', cell: ({ by }) => by },
        { name: 'When', short: true, cell: ({ created_at }) => ago(created_at) },
        {
          name: 'State',
          short: true,
          cell: ({ state }) => <span className={bad.includes(state) ? 'pill bad' : 'pill'}>{state}</span>,
        },
        { name: 'Facts', short: true, cell: factsOf },
        { name: 'Why', wide: true, cell: ({ reason, error }) => [reason, error].filter(Boolean).join(' – ') || '–' },
      ]}
    />
  );
}

const factsOf = ({ kind, added, changed, withdrawn, version }: MemoryChange): string =>
  kind === 'facts'
    ? [
        [added, 'added'],
        [changed, 'changed'],
        [withdrawn, 'withdrawn'],
      ]
        .filter(([of]) => of !== 0)
        .map(([of, what]) => `${of} ${what}`)
        .join(', ')
    : `${kind} ${version ?? ''}`;

function Versions({ memory, changed }: { memory: NamedMemory; changed(): void }) {
  const lorekeep = useLorekeep();
  const { name } = memory;
  const [moving, setMoving] = useState<MemoryVersion>();
  const versions = usePages(`versions ${stateOf(memory)}`, async (after, signal) => {
    const found = await lorekeep.listMemoryVersions({ name, ...(after !== undefined && { after }) }, { signal });
    return { items: found.versions, next: found.next };
  });
  return (
    <>
      <List<MemoryVersion>
        what="versions"
        asked={versions}
        id={({ version }) => version}
        text={({ version, model_name }) => `${version} ${model_name}`}
        empty={<Empty title="No version yet">The first one comes when its job is over.</Empty>}
        columns={[
          {
            name: 'Version',
            cell: ({ version, published, model_name }) => (
              <span className="row">
                <a href={at('models', model_name)}>Version {version}</a>
                {published && <span className="pill calm">published</span>}
              </span>
            ),
          },
          { name: 'Facts', number: true, cell: ({ facts }) => count(facts) },
          { name: 'Recalled', number: true, cell: ({ facts_recalled }) => count(facts_recalled) },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
          { name: 'Gate', cell: (one) => <GateFinding name={name} of={one} /> },
          {
            name: 'Change',
            bare: true,
            cell: (one) =>
              !one.published && (
                <button type="button" className="small" onClick={() => setMoving(one)}>
                  Publish<span className="seen-only"> version {one.version}</span>
                </button>
              ),
          },
        ]}
      />
      {moving && (
        <PublishVersion
          name={name}
          version={moving}
          onClose={() => setMoving(undefined)}
          onDone={() => {
            setMoving(undefined);
            changed();
          }}
        />
      )}
    </>
  );
}

interface FormProps {
  memory: NamedMemory;
  fact: Editing;
  onClose(): void;
  onDone(): void;
}

function FactForm({ memory: { name, version }, fact, onClose, onDone }: FormProps) {
  const lorekeep = useLorekeep();
  const [input, setInput] = useState(fact.input);
  const [output, setOutput] = useState(fact.output);
  const [reason, setReason] = useState('');
  const [details, setDetails] = useState<Details>({
    ...{ from: fact.valid_from ?? '', until: fact.valid_until ?? '' },
    ...{ kind: '', name: '', page: '', quote: '' },
  });
  const { run, busy, error } = useAction(async () => {
    const facts = [{ input, output, ...detailsIn(details, fact) }];
    await lorekeep.changeMemory({
      name,
      ...(fact.isNew ? { add: facts } : { change: facts }),
      ...(reason.trim() && { reason }),
      // Another change may add facts at the same time; one of this very fact is refused.
      ...(!fact.isNew && version !== null && { expected_version: version }),
    });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title={fact.isNew ? 'Add a fact' : 'Change this fact'} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {fact.isNew ? <TextField name="Question" value={input} onChange={setInput} required /> : <p>{fact.input}</p>}
        <TextArea name="Answer, word for word" value={output} onChange={setOutput} />
        <DetailFields value={details} onChange={setDetails} isNew={fact.isNew} />
        <TextField name="Why (may be empty)" value={reason} onChange={setReason} />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className="main" disabled={busy || input.trim() === '' || output.trim() === ''}>
            {fact.isNew ? 'Add it' : 'Change it'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
