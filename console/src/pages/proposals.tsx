// Review queue of a memory, usable by keyboard: each proposal with quote and source beside the current facts.
import type { Proposal } from '@lorekeep/client';
import { useState } from 'react';
import { ago, count } from '../format.ts';
import { Choice, TextField } from '../parts/fields.tsx';
import { Card, Page } from '../parts/page.tsx';
import { AcceptForm, AssignForm, RejectForm } from '../parts/proposal-forms.tsx';
import { LastReading, ReadDocuments } from '../parts/read-documents.tsx';
import { MayContradict, type Reworded, useReworded } from '../parts/reworded.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { type Keys, useKeys } from '../parts/use-keys.ts';
import { useAction, usePages, useQuery } from '../query.ts';
import { at } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const kinds = ['document', 'feedback', 'conflict', 'stale', 'person'] as const;
const states = ['open', 'accepted', 'edited', 'rejected', 'withdrawn'] as const;
type Kind = (typeof kinds)[number];
type State = (typeof states)[number];
type Asking = { what: 'edit' | 'reject' | 'assign'; of: Proposal[] };

export function ProposalsPage({ name }: { name: string }) {
  const lorekeep = useLorekeep();
  const [kind, setKind] = useState('');
  const [state, setState] = useState<State>('open');
  const [text, setText] = useState('');
  const [said, setSaid] = useState('');
  const [reading, setReading] = useState(false);
  const [round, setRound] = useState(0);
  const memory = useQuery(`memory ${name}`, async (signal) => await lorekeep.showMemory({ name }, { signal }));
  const asked = usePages(`proposals ${name} ${kind} ${state} ${text}`, async (after, signal) => {
    const filters = { state, ...(kind && { kind: kind as Kind }), ...(text.trim() && { text }) };
    const more = { limit: 50, ...(after !== undefined && { after }) };
    const { proposals, next } = await lorekeep.listProposals({ name, ...filters, ...more }, { signal });
    return { items: proposals, next };
  });
  const is = (value: string) => ({ value, name: value });
  return (
    <Page
      title={`Review of ${name}`}
      above={{ name, address: at('memories', name) }}
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
      {asked.value?.length === 0 && <Nothing name={name} filtered={kind !== '' || text !== '' || state !== 'open'} />}
      {asked.value && asked.value.length > 0 && (
        <Queue
          key={`${kind} ${state} ${text}`}
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

function Nothing({ name, filtered }: { name: string; filtered: boolean }) {
  return (
    <Card flush>
      <Empty title={filtered ? 'No such proposal' : 'Nothing waits for a decision'}>
        {filtered
          ? 'Other words, another state or another kind may find it.'
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
    done(what);
  };
  const { run, busy, error } = useAction(async (of: Proposal[]) => {
    const accepted = of.map(({ number }) => ({ number }));
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
  const accept = () => {
    if (meant.length > 0 && !busy) run(meant);
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
        <p className="hint">
          <kbd>j</kbd> <kbd>k</kbd> next and before, <kbd>x</kbd> mark, <kbd>a</kbd> accept, <kbd>e</kbd> edit and
          accept, <kbd>r</kbd> reject, <kbd>s</kbd> assign
        </p>
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
      {proposals.map((one, index) => (
        <ProposalCard
          key={one.number}
          {...{ one, current: index === chosen, marked: marked.has(one.number) }}
          reworded={reworded.get(one.number) ?? []}
          onChoose={() => setPlace(index)}
          onMark={() => mark(one.number)}
        />
      ))}
      {more && (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
      {asking?.what === 'edit' && (
        <AcceptForm name={name} proposal={asking.of[0]!} onClose={() => setAsking(undefined)} onDone={over} />
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

interface CardProps {
  one: Proposal;
  reworded: Reworded[];
  current: boolean;
  marked: boolean;
  onChoose(): void;
  onMark(): void;
}

function ProposalCard({ one, reworded, current, marked, onChoose, onMark }: CardProps) {
  const { number, kind, state, input, output, withdraws, confidence, assignee, others, accepted, change, reason } = one;
  return (
    <section
      id={`proposal-${number}`}
      className={current ? 'card stack tight proposal current' : 'card stack tight proposal'}
      aria-label={`Proposal ${number}`}
      {...(current && { 'aria-current': 'true' as const })}
    >
      <div className="row apart">
        <div className="row">
          <input
            type="checkbox"
            checked={marked}
            disabled={state !== 'open'}
            aria-label={`Mark the proposal ${number}`}
            onChange={onMark}
          />
          <button type="button" className="small" aria-pressed={current} onClick={onChoose}>
            Proposal {number}
          </button>
          <span className={kind === 'conflict' || kind === 'stale' ? 'pill warm' : 'pill'}>{kind}</span>
          {state !== 'open' && <span className="pill calm">{state}</span>}
          {confidence !== null && <span className="hint">confidence {confidence}</span>}
          {assignee !== null && <span className="hint">for {assignee}</span>}
        </div>
        <span className="hint">
          by {one.by}, {ago(one.created_at)}
        </span>
      </div>
      <h2>{input}</h2>
      <div className="columns">
        <div className="stack tight">
          <h3>Proposed</h3>
          <p className="said">{output ?? 'Withdraw this fact'}</p>
          {withdraws !== null && <p className="hint">in the place of “{withdraws}”</p>}
          {accepted && accepted.output !== output && <p className="hint">accepted as “{accepted.output}”</p>}
        </div>
        <Stands of={one} />
        <MayContradict reworded={reworded} />
        <Quote of={one} />
      </div>
      {others.length > 0 && <p className="note warm">Another answer is proposed too: {others.join(', ')}.</p>}
      {reason !== null && <p className="hint">Reason: {reason}</p>}
      {change !== null && (
        <p className="hint">
          In the change {change}, by {one.decided_by}.
        </p>
      )}
    </section>
  );
}

function Stands({ of: { input, stands } }: { of: Proposal }) {
  return (
    <div className="stack tight">
      <h3>Stands now</h3>
      {stands.length === 0 && <p className="hint">No fact with this question.</p>}
      {stands.map((fact) => (
        <div key={fact.id}>
          {fact.input !== input && <p className="hint">{fact.input}</p>}
          <p className="said">{fact.output}</p>
          <p className="hint">
            since version {fact.since_version}, {ago(fact.since)}
            {fact.source.change !== null && `, change ${fact.source.change}`}
            {fact.source.dataset_id !== null &&
              `, dataset ${fact.source.dataset_id.slice(0, 12)}, row ${fact.source.row}`}
          </p>
        </div>
      ))}
    </div>
  );
}

function Quote({ of: { quote, source } }: { of: Proposal }) {
  const { document, page, index_id, file_id, conversation } = source;
  const place = [document, page === null ? null : `page ${page}`, conversation]
    .filter((part) => part !== null)
    .join(', ');
  if (quote === null && place === '') return null;
  return (
    <div className="stack tight">
      <h3>Source</h3>
      <figure className="quotation">
        {quote !== null && <blockquote>{quote}</blockquote>}
        <figcaption className="hint">
          {index_id !== null && file_id !== null ? (
            <a href={at('documents', index_id, 'files', file_id)}>{place || `file ${file_id}`}</a>
          ) : (
            place
          )}
        </figcaption>
      </figure>
    </div>
  );
}
