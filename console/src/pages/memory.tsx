// Page of a memory: search and change facts, changes, versions.
import type { MemoryChange, MemoryFact, MemoryVersion, NamedMemory } from '@lorekeep/client';
import { useState } from 'react';
import { ago, count, formatDateTime } from '../format.ts';
import { Confirm } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { TimesOf } from '../parts/known-details.tsx';
import { List } from '../parts/list.tsx';
import { MoveCard } from '../parts/move-card.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { originOf } from '../parts/resolve-contradictions.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { usePages, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { AddFacts } from './add-facts.tsx';
import { type Editing, FactForm } from './fact-form.tsx';
import { CompareVersions } from './memory-compare.tsx';
import { Erasures } from './memory-erasures.tsx';
import { GateCard, GateFinding, PublishVersion } from './memory-gate.tsx';

const above = { name: 'Memories', address: routeAddress('memories') };

export function MemoryPage({ name }: { name: string }) {
  const lorekeep = useLorekeep();
  const memory = useQuery(`memory ${name}`, async (signal) => await lorekeep.showMemory({ name }, { signal }), {
    every: ({ changes_open }) => (changes_open > 0 ? 1000 : 10_000),
  });
  const [editing, setEditing] = useState<Editing>();
  const [adding, setAdding] = useState(false);
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
          <a className="button" href={`${routeAddress('playground')}?model=${encodeURIComponent(name)}`}>
            Ask it
          </a>
          <a className="button" href={routeAddress('memories', name, 'proposals')}>
            Review proposals
          </a>
          {value.version !== null && (
            <button type="button" onClick={() => setAdding(true)}>
              Add many
            </button>
          )}
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
            ['Base', value.base_model],
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
      {value.version !== null && (
        <MoveCard
          base={value.base_model}
          move={async (base_model) => {
            await lorekeep.moveMemory({ name, base_model });
            memory.again();
          }}
        />
      )}
      <Erasures memory={value} changed={memory.again} />
      {adding && (
        <AddFacts
          memory={value}
          onClose={() => setAdding(false)}
          onDone={() => {
            setAdding(false);
            memory.again();
          }}
        />
      )}
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

/** Query key of a list: it reloads after a new, held or published version, or another change. */
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
            cell: ({ output, recalled, stale_since, ...fact }) => (
              <span className="row">
                <span dir="auto">{output}</span>
                <TimesOf fact={fact} />
                {!recalled && <span className="pill bad">not recalled</span>}
                {stale_since !== null && (
                  <span className="pill warm" title="Its document is gone or says something else.">
                    stale since {formatDateTime(stale_since)}
                  </span>
                )}
              </span>
            ),
          },
          {
            name: 'Source',
            short: true,
            cell: (fact) => <span title={fact.source.quote ?? undefined}>{originOf(fact)}</span>,
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
          “<bdi>{going.input}</bdi>” is answered with “<bdi>{going.output}</bdi>” no more, from the next version on.
          Earlier versions keep it.
        </Confirm>
      )}
    </>
  );
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

const factsOf = ({ kind, added, changed, withdrawn, version, base_model }: MemoryChange): string =>
  kind === 'move'
    ? `move to ${base_model}`
    : kind === 'facts'
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
  const { name, latest_version: latest } = memory;
  const [moving, setMoving] = useState<MemoryVersion>();
  const [comparing, setComparing] = useState<MemoryVersion>();
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
                <a href={routeAddress('models', model_name)}>Version {version}</a>
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
            cell: (one) => (
              <span className="row close">
                {latest !== null && latest > 1 && (
                  <button type="button" className="small" onClick={() => setComparing(one)}>
                    Compare<span className="seen-only"> version {one.version}</span>
                  </button>
                )}
                {!one.published && (
                  <button type="button" className="small" onClick={() => setMoving(one)}>
                    Publish<span className="seen-only"> version {one.version}</span>
                  </button>
                )}
              </span>
            ),
          },
        ]}
      />
      {comparing && latest !== null && (
        <CompareVersions name={name} of={comparing} latest={latest} onClose={() => setComparing(undefined)} />
      )}
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
