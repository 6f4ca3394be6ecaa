// Plan and cost of a tuning (dry run), requested while the form is edited.
import { type PlanTrainingAnswer, UnavailableError } from '@lorekeep/client';
import { type ReactNode, useEffect, useState } from 'react';
import { useEngine } from '../engine.ts';
import { bytes, count, duration, pluralize } from '../format.ts';
import { type Query, useQuery } from '../query.ts';
import { Facts } from './page.tsx';
import { Problem, Waiting } from './states.tsx';

/** Whether the dry run succeeded, so that the job would be accepted. */
export const isTeachable = ({ value, error }: Query<PlanTrainingAnswer>): boolean =>
  value !== undefined && value.conflicts.length === 0 && value.too_long.length === 0 && !error;

/** Debounced: requested shortly after the last change. The previous plan stays visible until the new one arrives. */
export function usePlan(
  what: string,
  ask: (signal: AbortSignal) => Promise<PlanTrainingAnswer>,
): Query<PlanTrainingAnswer> {
  const [settled, setSettled] = useState(what);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(what), 400);
    return () => clearTimeout(timer);
  }, [what]);
  const [last, setLast] = useState<PlanTrainingAnswer>();
  const asked = useQuery(settled, ask);
  useEffect(() => {
    if (asked.value) setLast(asked.value);
  }, [asked.value]);
  const waiting = asked.waiting || settled !== what;
  return { value: asked.value ?? (waiting ? last : undefined), error: asked.error, waiting, again: asked.again };
}

export function Plan({ asked: { value, error, waiting, again } }: { asked: Query<PlanTrainingAnswer> }) {
  const engine = useEngine();
  if (error instanceof UnavailableError && engine !== undefined)
    return (
      <p className="note" role="status">
        The engine makes the plan. It is shown when it is ready.
      </p>
    );
  if (error) return <Problem error={error} again={again} />;
  if (!value) return <Waiting what="the plan" />;
  return (
    <div className="stack" aria-busy={waiting} style={{ opacity: waiting ? 0.6 : 1 }}>
      <Costs plan={value} />
      <Warnings plan={value} />
    </div>
  );
}

const orDash = <Value,>(value: Value | null, show: (value: Value) => string) => (value === null ? '–' : show(value));

function Costs({ plan }: { plan: PlanTrainingAnswer }) {
  const { queue, seconds_from_jobs } = plan;
  const wait = queue.seconds_until_start === null ? '' : `, about ${duration(queue.seconds_until_start)}`;
  return (
    <>
      <Facts
        of={[
          ['Facts', count(plan.facts)],
          ['Experts to train', orDash(plan.experts_to_train, count)],
          ['Taken over', orDash(plan.experts_to_reuse, count)],
          ...(plan.experts_to_verify
            ? [['Of another precision, verified first', count(plan.experts_to_verify)] as [string, string]]
            : []),
          ['Time', orDash(plan.seconds, (seconds) => `about ${duration(seconds)}`)],
          ['Memory', orDash(plan.memory_bytes, bytes)],
          ['On the disk', orDash(plan.model_bytes, bytes)],
        ]}
      />
      <p className="hint">
        {seconds_from_jobs === 0
          ? 'The time is a guess until a first job has run here; it is corrected while the job runs. '
          : `The time is learned from ${pluralize(seconds_from_jobs, 'job')} here, and corrected while the job runs. `}
        {queue.position <= 1 && queue.slots_free > 0
          ? 'It would start at once.'
          : `It would wait as number ${queue.position} in the queue${wait}.`}
      </p>
    </>
  );
}

function Warnings({ plan: { duplicates_total, conflicts, too_long, warnings } }: { plan: PlanTrainingAnswer }) {
  return (
    <>
      {duplicates_total > 0 && (
        <p className="note">
          {pluralize(duplicates_total, 'row repeats', 'rows repeat')} another one and{' '}
          {duplicates_total === 1 ? 'is' : 'are'} taught once.
        </p>
      )}
      {conflicts.length > 0 && (
        <WrongRows title="These rows contradict each other." messages={conflicts.map(({ message }) => message)}>
          {' '}
          Correct them in the file, and drop it again.
        </WrongRows>
      )}
      {too_long.length > 0 && (
        <WrongRows title="These rows are too long." messages={too_long.map(({ message }) => message)} />
      )}
      {warnings.map((warning) => (
        <p className="note warm" key={warning}>
          {warning}
        </p>
      ))}
    </>
  );
}

function WrongRows({ title, messages, children }: { title: string; messages: string[]; children?: ReactNode }) {
  return (
    <div className="note bad" role="alert">
      <p>
        <strong>{title}</strong>
        {children}
      </p>
      <ul>
        {messages.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
