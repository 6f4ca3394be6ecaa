// Erasures of a memory: lists the facts, erases them after a confirmation, and offers the receipts as downloads.
import { type Erasure, type NamedMemory, type PlanErasureAnswer, removedInWords } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago, count } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card } from '../parts/page.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { useAction, usePages } from '../query.ts';
import { useLorekeep } from '../session.tsx';

export function Erasures({ memory, changed }: { memory: NamedMemory; changed(): void }) {
  const lorekeep = useLorekeep();
  const { name, version, changes_open } = memory;
  const [erasing, setErasing] = useState(false);
  const erasures = usePages(`erasures ${name} ${version} ${changes_open}`, async (after, signal) => {
    const found = await lorekeep.listErasures({ name, ...(after !== undefined && { after }) }, { signal });
    return { items: found.erasures, next: found.next };
  });
  const retry = useAction(async (number: number) => {
    await lorekeep.retryErasure({ name, number });
    erasures.again();
    changed();
  });
  return (
    <>
      <Card title="Erasures">
        <p>A withdrawn fact is still in earlier versions. An erased one is in none, and a signed receipt says so.</p>
        <div className="row">
          <button type="button" className="grave" onClick={() => setErasing(true)}>
            Erase facts
          </button>
        </div>
        {retry.error && <Problem error={retry.error} />}
      </Card>
      <List<Erasure>
        what="erasures"
        asked={erasures}
        id={({ number }) => number}
        text={({ by, reason, state, error }) => `${by} ${reason ?? ''} ${state} ${error ?? ''}`}
        empty={<Empty title="Nothing was erased">Facts that were erased are listed with their receipts.</Empty>}
        columns={[
          { name: 'Number', number: true, cell: ({ number }) => count(number) },
          { name: 'Who', cell: ({ by }) => by },
          { name: 'When', short: true, cell: ({ created_at }) => ago(created_at) },
          {
            name: 'State',
            short: true,
            cell: ({ state, step }) => (
              <span className={state === 'failed' ? 'pill bad' : 'pill'}>{stateName(state, step)}</span>
            ),
          },
          { name: 'Facts', number: true, cell: ({ facts }) => count(facts) },
          { name: 'Versions', number: true, cell: ({ versions }) => count(versions.length) },
          { name: 'Removed', wide: true, cell: (erasure) => removedInWords(erasure).join(', ') || '–' },
          { name: 'Why', wide: true, cell: ({ reason, error }) => [reason, error].filter(Boolean).join(' – ') || '–' },
          {
            name: 'Receipt',
            bare: true,
            cell: ({ receipt, number, state }) =>
              receipt !== null ? (
                <a className="button small" href={`/v1/receipts/${receipt}`} download={`receipt-${receipt}.json`}>
                  Download<span className="seen-only"> receipt {receipt}</span>
                </a>
              ) : (
                state === 'failed' && (
                  <button type="button" className="small" disabled={retry.busy} onClick={() => retry.run(number)}>
                    Try again<span className="seen-only"> erasure {number}</span>
                  </button>
                )
              ),
          },
        ]}
      />
      {erasing && (
        <EraseForm
          name={name}
          onClose={() => setErasing(false)}
          onDone={() => {
            setErasing(false);
            erasures.again();
            changed();
          }}
        />
      )}
    </>
  );
}

function stateName(state: Erasure['state'], step: Erasure['step']): string {
  if (state === 'failed') return 'failed';
  return state === 'published' ? 'erased' : step;
}

type Chosen = { inputs: string[] } | { about: string };

/** The first button lists the facts. The second one sends the digest of that list, so that no other facts are erased. */
function EraseForm({ name, onClose, onDone }: { name: string; onClose(): void; onDone(): void }) {
  const lorekeep = useLorekeep();
  const [questions, setQuestions] = useState('');
  const [about, setAbout] = useState('');
  const [reason, setReason] = useState('');
  const [listed, setListed] = useState<{ plan: PlanErasureAnswer; chosen: Chosen }>();
  const inputs = questions.split('\n').filter((line) => line.trim() !== '');
  const look = useAction(async () => {
    const chosen = about.trim() === '' ? { inputs } : { about };
    setListed({ chosen, plan: await lorekeep.planErasure({ name, ...chosen }) });
  });
  const erase = useAction(async () => {
    const { plan, chosen } = listed!;
    await lorekeep.eraseFacts({ name, ...chosen, digest: plan.digest, ...(reason.trim() && { reason }) });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (listed) erase.run();
    else look.run();
  };
  const one = (about.trim() === '') !== (inputs.length === 0);
  const error = erase.error ?? look.error;
  return (
    <Dialog title={listed ? 'Erase these facts?' : 'Erase facts'} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {listed ? (
          <PlannedErasure plan={listed.plan} />
        ) : (
          <>
            <TextArea name="Questions, one a line" value={questions} onChange={setQuestions} />
            <TextField name="Or everything about a name" value={about} onChange={setAbout} />
            <TextField name="Why (may be empty; without the text of the facts)" value={reason} onChange={setReason} />
          </>
        )}
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={listed ? () => setListed(undefined) : onClose}>
            {listed ? 'Back' : 'Not now'}
          </button>
          <button type="submit" className={listed ? 'grave' : 'main'} disabled={look.busy || erase.busy || !one}>
            {listed ? 'Erase them for ever' : 'List them'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const maxShownFacts = 100;

function PlannedErasure({ plan: { facts, versions, datasets, sources, still_held } }: { plan: PlanErasureAnswer }) {
  const ended = versions.filter(({ becomes }) => becomes === 'ended').map(({ version }) => version);
  return (
    <>
      <ul>
        {facts.slice(0, maxShownFacts).map(({ input, output, since_version }) => (
          <li key={`${input} ${since_version}`}>
            <bdi>{input}</bdi> <strong dir="auto">{output}</strong>
          </li>
        ))}
      </ul>
      {facts.length > maxShownFacts && <p>And {count(facts.length - maxShownFacts)} more.</p>}
      <p>
        Versions that are rebuilt without them: {count(versions.length - ended.length)}.
        {ended.length > 0 && ` Versions that end, because they hold nothing else: ${ended.join(', ')}.`} Datasets that
        lose rows: {count(datasets.length)}. This cannot be undone.
      </p>
      <p>
        Their texts go from prompts, answers, evaluations and votes too; kept answers of them are deleted, and open
        proposals of them are rejected. The receipt counts these.
      </p>
      {sources.length > 0 && (
        <p>Facts that stay, and whose source is overwritten because it holds these texts: {count(sources.length)}.</p>
      )}
      {still_held.length > 0 && <p>They stay in: {still_held.join('; ')}.</p>}
    </>
  );
}
