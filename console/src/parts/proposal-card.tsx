// A proposal in the review queue: its answer, quote, source and vote beside the current facts.
import type { Proposal } from '@lorekeep/client';
import { formatDateTime } from '../format.ts';
import { routeAddress } from '../route.ts';
import { sourceKnown } from './resolve-contradictions.tsx';
import { MayContradict, type Reworded } from './reworded.tsx';

interface Props {
  one: Proposal;
  reworded: Reworded[];
  current: boolean;
  marked: boolean;
  onChoose(): void;
  onMark(): void;
  /** Accepts the proposal beside the facts that it may contradict, or in place of the fact with this question. */
  onAccept(replaces?: string): void;
}

export function ProposalCard({ one, reworded, current, marked, onChoose, onMark, onAccept }: Props) {
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
          by {one.by}, {formatDateTime(one.created_at)}
        </span>
      </div>
      <h2 dir="auto">{input}</h2>
      <div className="columns">
        <div className="stack tight">
          <h3>Proposed</h3>
          <p className="said" dir="auto">
            {output ?? 'Withdraw this fact'}
          </p>
          {withdraws !== null && (
            <p className="hint">
              in the place of “<bdi>{withdraws}</bdi>”
            </p>
          )}
          {accepted && accepted.output !== output && (
            <p className="hint">
              accepted as “<bdi>{accepted.output}</bdi>”
            </p>
          )}
        </div>
        <CurrentFact of={one} />
        <MayContradict reworded={reworded} onAccept={onAccept} />
        <VoteOn of={one} />
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

function CurrentFact({ of: { input, stands } }: { of: Proposal }) {
  return (
    <div className="stack tight">
      <h3>Stands now</h3>
      {stands.length === 0 && <p className="hint">No fact with this question.</p>}
      {stands.map((fact) => (
        <div key={fact.id}>
          {fact.input !== input && (
            <p className="hint" dir="auto">
              {fact.input}
            </p>
          )}
          <p className="said" dir="auto">
            {fact.output}
          </p>
          <p className="hint">
            {sourceKnown(fact)}, since version {fact.since_version}, {formatDateTime(fact.since)}
          </p>
          {fact.source.quote !== null && (
            <blockquote className="hint" dir="auto">
              “{fact.source.quote}”
            </blockquote>
          )}
        </div>
      ))}
    </div>
  );
}

/** The original question, the given answer and the comment, if they are stored. */
function VoteOn({ of: { vote } }: { of: Proposal }) {
  if (vote === null) return null;
  const { input, output, comment, by } = vote;
  return (
    <div className="stack tight">
      <h3>Asked and answered</h3>
      {input === null ? <p className="hint">The question is not kept any more.</p> : <p dir="auto">{input}</p>}
      {output === null ? (
        <p className="hint">The answer is not kept.</p>
      ) : (
        <p className="said" dir="auto">
          {output}
        </p>
      )}
      {comment !== null && (
        <p>
          {by}: “<bdi>{comment}</bdi>”
        </p>
      )}
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
        {quote !== null && <blockquote dir="auto">{quote}</blockquote>}
        <figcaption className="hint">
          {index_id !== null && file_id !== null ? (
            <a href={routeAddress('documents', index_id, 'files', file_id)}>{place || `file ${file_id}`}</a>
          ) : (
            place
          )}
        </figcaption>
      </figure>
    </div>
  );
}
