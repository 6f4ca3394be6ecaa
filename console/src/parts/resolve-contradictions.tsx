// Contradictions side by side: the current fact and the new rows, with sources and dates. A person keeps the
// fact or chooses a row.
import { changeInMemory } from '@lorekeep/client';
import { useId } from 'react';
import { formatDateTime, pluralize } from '../format.ts';
import type { Contradiction, Decisions, OfferedRow, StandingFact } from './contradictions.ts';
import { useMore } from './use-more.tsx';

interface Props {
  of: Contradiction[];
  decisions: Decisions;
  onDecide(decisions: Decisions): void;
  /** The source of a row, and its date. */
  sourceOf(row: OfferedRow): { name: string; date: string };
  /** Value of the decision to keep both facts. */
  besideIt?: string | undefined;
}

export function ResolveContradictions({ of, decisions, onDecide, sourceOf, besideIt }: Props) {
  const [visible, foot] = useMore(of, 'contradictions');
  const decided = (one: Contradiction, taken: OfferedRow | undefined) => {
    const next = new Map(decisions);
    if (taken) next.set(one.question, taken);
    else next.delete(one.question);
    onDecide(next);
  };
  const all = (taken: boolean) =>
    // Merely possible contradictions are decided one by one.
    onDecide(
      new Map(
        of.flatMap(({ question, offered, likeness }) =>
          taken && likeness === undefined ? [[question, offered[0]!] as const] : [],
        ),
      ),
    );
  return (
    <section className="stack" aria-label="Contradictions">
      <p className="note warm">
        {pluralize(of.length, 'question has', 'questions have')} more than one answer, or may have in other words. What
        you do not replace stays as it is.
      </p>
      {of.length > 1 && (
        <div className="row">
          <button type="button" className="small" onClick={() => all(false)}>
            Keep all
          </button>
          <button type="button" className="small" onClick={() => all(true)}>
            Replace all
          </button>
        </div>
      )}
      {visible.map((one) => (
        <Pair
          key={one.question}
          one={one}
          taken={decisions.get(one.question)}
          onTake={(taken) => decided(one, taken)}
          sourceOf={sourceOf}
          besideIt={besideIt}
        />
      ))}
      {foot}
    </section>
  );
}

interface PairProps extends Pick<Props, 'sourceOf' | 'besideIt'> {
  one: Contradiction;
  taken: OfferedRow | undefined;
  onTake(taken: OfferedRow | undefined): void;
}

function Pair({ one: { question, stands, offered, likeness }, taken, onTake, sourceOf, besideIt }: PairProps) {
  const name = useId();
  return (
    <fieldset className="stack tight">
      <legend dir="auto">{question}</legend>
      {likeness !== undefined && (
        <p className="hint">May contradict in other words; likeness {likeness.toFixed(2)}. Both may be right.</p>
      )}
      <div className="columns">
        <label className="check">
          <input type="radio" name={name} checked={taken === undefined} onChange={() => onTake(undefined)} />
          <span className="stack tight">
            {stands ? (
              <>
                <strong>Keep</strong>
                {likeness !== undefined && <span dir="auto">{stands.input}</span>}
                <span className="said" dir="auto">
                  {stands.output}
                </span>
                <span className="hint">{originOf(stands)}</span>
                <span className="hint">
                  since version {stands.since_version}, {formatDateTime(stands.since)}
                </span>
              </>
            ) : (
              <strong>Leave it out</strong>
            )}
          </span>
        </label>
        {offered.map((row) => (
          <label className="check" key={row.together ? 'together' : row.row}>
            <input type="radio" name={name} checked={taken === row} onChange={() => onTake(row)} />
            <span className="stack tight">
              <strong>
                {row.together ? (stands ? (besideIt ?? 'Add beside it') : 'Add all') : stands ? 'Replace' : 'Add'}
              </strong>
              {likeness !== undefined && <span dir="auto">{row.input}</span>}
              <span className="said" dir="auto">
                {row.output}
              </span>
              <span className="hint">{sourceOf(row).name}</span>
              <span className="hint">{sourceOf(row).date}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The source of a fact in a memory. */
export function originOf({
  source: { change, dataset_id, row, kind, name, page },
}: Pick<StandingFact, 'source'>): string {
  if (kind !== null) return [name ?? kind, page === null ? '' : `page ${page}`].filter(Boolean).join(', ');
  if (change !== null) return `change ${change}`;
  if (dataset_id === null) return '–';
  const added = changeInMemory(dataset_id);
  return added ? `change ${added.change} of the memory ${added.memory}` : `row ${row} of ${dataset_id.slice(0, 12)}`;
}

/** The source of a fact as part of a sentence. */
export function sourceKnown(fact: Pick<StandingFact, 'source'>): string {
  const origin = originOf(fact);
  return origin === '–' ? 'source not known' : origin;
}
