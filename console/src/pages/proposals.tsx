// Review queue of a memory, usable by keyboard: each proposal with quote and source beside the current facts.
import type { Proposal } from '@lorekeep/client';
import { useState } from 'react';
import { count } from '../format.ts';
import { Choice, TextField } from '../parts/fields.tsx';
import { Card, Page } from '../parts/page.tsx';
import { ProposalCard } from '../parts/proposal-card.tsx';
import { AcceptForm, AssignForm, RejectForm } from '../parts/proposal-forms.tsx';
import { LastReading, ReadDocuments } from '../parts/read-documents.tsx';
import { useReworded } from '../parts/reworded.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { type Keys, useKeys } from '../parts/use-keys.ts';
import { useAction, usePages, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const kinds = ['document', 'feedback', 'conflict', 'stale', 'person'] as const;
const states = ['open', 'accepted', 'edited', 'rejected', 'withdrawn'] as const;
type Kind = (typeof kinds)[number];
type State = (typeof states)[number];
/** Word of the filter for proposals that are assigned to nobody. */
const nobody = 'nobody';

type Asking = { what: 'edit' | 'reject' | 'assign'; of: Proposal[] };

export function ProposalsPage({ name }: { name: string }) {
  const lorekeep = useLorekeep();
  const [kind, setKind] = useState('');
  const [state, setState] = useState<State>('open');
  const [text, setText] = useState('');
  const [assignee, setAssignee] = useState('');
  const [said, setSaid] = useState('');
  const [reading, setReading] = useState(false);
  const [round, setRound] = useState(0);
  const memory = useQuery(`memory ${name}`, async (signal) => await lorekeep.showMemory({ name }, { signal }));
  const asked = usePages(`proposals ${name} ${kind} ${state} ${assignee} ${text}`, async (after, signal) => {
    const who = assignee.trim();
    const filters = {
      ...{ state, ...(kind && { kind: kind as Kind }), ...(text.trim() && { text }) },
      ...(who && { assignee: who === nobody ? '' : who }),
    };
    const more = { limit: 50, ...(after !== undefined && { after }) };
    const { proposals, next } = await lorekeep.listProposals({ name, ...filters, ...more }, { signal });
    return { items: proposals, next };
  });
  const is = (value: string) => ({ value, name: value });
  return (
    <Page
      title={`Review of ${name}`}
      above={{ name, address: routeAddress('memories', name) }}
      lead="Facts that were proposed. Nothing is taught before somebody accepts it; what is accepted together becomes one change."
      actions={
        <button type="button" onClick={() => setReading(true)}>
          Propose from documents
        </button>
      }
    >
      <Card title="Show">
        <div className="columns">
          <Choice name="State" value={state} onChange={(value) => setState(value as State)} of={states.map(is)} />
          <Choice
            name="Kind"
            value={kind}
            onChange={setKind}
            of={[{ value: '', name: 'every kind' }, ...kinds.map(is)]}
          />
          <TextField name="Words in the question, the answer or the quote" value={text} onChange={setText} />
          <TextField
            name="Assigned to"
            value={assignee}
            onChange={setAssignee}
            hint={`The whole name, or “${nobody}”. Empty for everybody.`}
          />
        </div>
      </Card>
      <LastReading key={round} name={name} onProgress={asked.again} />
      {reading && (
        <ReadDocuments
          name={name}
          onClose={() => setReading(false)}
          onDone={() => {
            setReading(false);
            setRound(round + 1);
            asked.again();
          }}
        />
      )}
      {said && (
        <p className="note good" role="status">
          {said}
        </p>
      )}
      {memory.error && <Problem error={memory.error} again={memory.again} />}
      {asked.error && <Problem error={asked.error} again={asked.again} />}
      {!asked.value && !asked.error && <Waiting what="the proposals" />}
      {asked.value?.length === 0 && (
        <EmptyQueue name={name} filtered={kind !== '' || text !== '' || assignee !== '' || state !== 'open'} />
      )}
      {asked.value && asked.value.length > 0 && (
        <Queue
          key={`${kind} ${state} ${assignee} ${text}`}
          name={name}
          proposals={asked.value}
          more={asked.more}
          done={(what) => {
            setSaid(what);
            asked.again();
          }}
        />
      )}
    </Page>
  );
}

function EmptyQueue({ name, filtered }: { name: string; filtered: boolean }) {
  return (
    <Card flush>
      <Empty title={filtered ? 'No such proposal' : 'Nothing waits for a decision'}>
        {filtered
          ? 'Other words, another state, kind or name may find it.'
          : `“Propose from documents” finds facts in an index. Programs propose facts with POST /v1/memories/${name}/proposals, people with “lorekeep memory propose ${name} QUESTION ANSWER”.`}
      </Empty>
    </Card>
  );
}

interface QueueProps {
  name: string;
  proposals: Proposal[];
  more: (() => void) | undefined;
  done(what: string): void;
}

function Queue({ name, proposals, more, done }: QueueProps) {
  const lorekeep = useLorekeep();
  const [place, setPlace] = useState(0);
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set());
  const [asking, setAsking] = useState<Asking>();
  const reworded = useReworded(name, proposals);
  const chosen = Math.min(place, proposals.length - 1);
  const current = proposals[chosen]!;
  const ticked = proposals.filter(({ number, state }) => marked.has(number) && state === 'open');
  const meant = ticked.length > 0 ? ticked : current.state === 'open' ? [current] : [];
  const over = (what: string) => {
    setAsking(undefined);
    setMarked(new Set());
    setUndecided([]);
    done(what);
  };
  const [undecided, setUndecided] = useState<number[]>([]);
  const { run, busy, error } = useAction(async (of: Proposal[], replaces?: string) => {
    const accepted = of.map(({ number }) => ({ number, ...(replaces !== undefined && { replaces }) }));
    const change = await lorekeep.acceptProposals({ name, proposals: accepted });
    over(`${count(of.length)} accepted, in the change ${change.number}.`);
  });
  const mark = (number: number) => {
    const next = new Set(marked);
    if (!next.delete(number)) next.add(number);
    setMarked(next);
  };
  const go = (to: number) => {
    setPlace(Math.max(0, Math.min(to, proposals.length - 1)));
    document.getElementById(`proposal-${proposals[to]?.number}`)?.scrollIntoView({ block: 'nearest' });
  };
  const ask = (what: Asking['what']) => () => {
    const of = what === 'edit' ? [current].filter(({ state }) => state === 'open') : meant;
    if (of.length > 0) setAsking({ what, of });
  };
  const contradicts = ({ number }: Proposal) => reworded.get(number)?.some(({ stands }) => stands !== null) === true;
  const accept = () => {
    if (meant.length === 0 || busy) return;
    const held = meant.filter(contradicts).map(({ number }) => number);
    setUndecided(held);
    if (held.length === 0) run(meant);
  };
  const keys: Keys = {
    ...{ j: () => go(chosen + 1), k: () => go(chosen - 1), x: () => mark(current.number), a: accept },
    ...{ e: ask('edit'), r: ask('reject'), s: ask('assign') },
  };
  useKeys(asking ? {} : keys);
  const several = ticked.length > 0 ? ` ${count(ticked.length)}` : '';
  return (
    <>
      <div className="row apart">
        <Shortcuts />
        <div className="row">
          <button type="button" className="main" disabled={busy || meant.length === 0} onClick={accept}>
            Accept{several}
          </button>
          <button type="button" disabled={current.state !== 'open'} onClick={ask('edit')}>
            Edit and accept
          </button>
          <button type="button" className="grave" disabled={meant.length === 0} onClick={ask('reject')}>
            Reject{several}
          </button>
          <button type="button" disabled={meant.length === 0} onClick={ask('assign')}>
            Assign{several}
          </button>
        </div>
      </div>
      {error && <Problem error={error} />}
      <Undecided numbers={undecided} />
      {proposals.map((one, index) => (
        <ProposalCard
          key={one.number}
          {...{ one, current: index === chosen, marked: marked.has(one.number) }}
          reworded={reworded.get(one.number) ?? []}
          onChoose={() => setPlace(index)}
          onMark={() => mark(one.number)}
          onAccept={(replaces) => !busy && run([one], replaces)}
        />
      ))}
      {more && (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
      {asking?.what === 'edit' && (
        <AcceptForm
          {...{ name, proposal: asking.of[0]!, onDone: over }}
          reworded={reworded.get(asking.of[0]!.number) ?? []}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking?.what === 'reject' && (
        <RejectForm name={name} proposals={asking.of} onClose={() => setAsking(undefined)} onDone={over} />
      )}
      {asking?.what === 'assign' && (
        <AssignForm name={name} proposals={asking.of} onClose={() => setAsking(undefined)} onDone={over} />
      )}
    </>
  );
}

function Undecided({ numbers }: { numbers: number[] }) {
  if (numbers.length === 0) return null;
  return (
    <p className="note warm" role="alert">
      Nothing was accepted: {numbers.length === 1 ? 'the proposal' : 'the proposals'} {numbers.join(', ')} may
      contradict a fact in other words. Replace the fact, accept the proposal beside it, or reject it.
    </p>
  );
}

function Shortcuts() {
  return (
    <p className="hint">
      <kbd>j</kbd> <kbd>k</kbd> next and before, <kbd>x</kbd> mark, <kbd>a</kbd> accept, <kbd>e</kbd> edit and accept,{' '}
      <kbd>r</kbd> reject, <kbd>s</kbd> assign
    </p>
  );
}
