// Votes on an answer: up, or down with the expected answer, which becomes a proposal of the memory that answered.
import type { Feedback } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { useAction } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { TextArea, TextField } from './fields.tsx';
import { Problem } from './states.tsx';

/** An answer with its question and model, since the server may not have kept it. */
export interface Voted {
  id: string;
  model: string;
  input: string;
}

export function Vote({ on: { id, model, input } }: { on: Voted }) {
  const lorekeep = useLorekeep();
  const [asking, setAsking] = useState(false);
  const [expected, setExpected] = useState('');
  const [comment, setComment] = useState('');
  const [given, setGiven] = useState<Feedback>();
  const { run, busy, error } = useAction(async (rating: 'up' | 'down') => {
    const words = { ...(expected.trim() && { expected }), ...(comment.trim() && { comment }) };
    const about = { answer_id: id, model, input: input.slice(0, 10_000) };
    setGiven(await lorekeep.giveFeedback({ ...about, rating, ...(rating === 'down' && words) }));
    setAsking(false);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run('down');
  };
  if (given)
    return (
      <div className="row close">
        <p className="hint" role="status">
          Thank you. <VoteOutcome of={given} />
        </p>
        {/* The server replaces the first vote. */}
        <button type="button" className="small plain" onClick={() => setGiven(undefined)}>
          Change this vote
        </button>
      </div>
    );
  return (
    <div className="stack tight">
      <div className="row close">
        <button type="button" className="small" disabled={busy} aria-label="A good answer" onClick={() => run('up')}>
          <Thumb />
        </button>
        <button
          type="button"
          className="small"
          aria-label="A bad answer"
          aria-expanded={asking}
          onClick={() => setAsking(!asking)}
        >
          <Thumb down />
        </button>
      </div>
      {asking && (
        <form className="stack tight" onSubmit={submit}>
          <TextArea name="What should it have been? (may be empty)" value={expected} onChange={setExpected} />
          <TextField name="Comment (may be empty)" value={comment} onChange={setComment} />
          <div className="row end">
            <button type="submit" className="small main" disabled={busy}>
              Send
            </button>
          </div>
        </form>
      )}
      {error && <Problem error={error} />}
    </div>
  );
}

/** Drawn as SVG, since some machines lack an emoji font. The label is on the button. */
function Thumb({ down = false }: { down?: boolean }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path
        {...{ fill: 'none', stroke: 'currentColor', strokeWidth: 1.4, strokeLinejoin: 'round' }}
        {...(down && { transform: 'rotate(180 8 8)' })}
        d="M1.7 7h2.6v7H1.7zM4.3 7.4 7.4 1.6c1.1 0 1.9.8 1.7 2L8.7 6h4.2c.9 0 1.5.8 1.3 1.6l-1.2 5.2c-.2.7-.7 1.2-1.4 1.2H4.3"
      />
    </svg>
  );
}

/** The outcome of a vote, also when the expected answer led to no proposal. */
function VoteOutcome({ of: { memory, proposal, expected, output } }: { of: Feedback }) {
  return (
    <>
      {proposal !== null && memory !== null && (
        <>
          It is <a href={routeAddress('memories', memory, 'proposals')}>the proposal {proposal}</a> of {memory}.{' '}
        </>
      )}
      {expected !== null && memory === null && 'Nothing is proposed: the model is no memory. '}
      {expected !== null && memory !== null && proposal === null && `Nothing is proposed: ${memory} says so already. `}
      {output === null && 'The account keeps no answers, so the vote holds the question alone.'}
    </>
  );
}
