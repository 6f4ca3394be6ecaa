// Facts with similar questions that a proposal may contradict, shown beside it. Both may be right; a person decides.
import type { FindRewordedConflictsAnswer, Proposal } from '@lorekeep/client';
import { formatDateTime } from '../format.ts';
import { useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { sourceKnown } from './resolve-contradictions.tsx';

type Found = FindRewordedConflictsAnswer['reworded'][number];
export type Reworded = Pick<Found, 'stands' | 'likeness'> & { other: Proposal | undefined };

/** Maximum proposals per call. */
const maxProposals = 200;

/** Facts and other proposals that each open proposal may contradict; empty if the server cannot compare now. */
export function useReworded(name: string, proposals: Proposal[]): ReadonlyMap<number, Reworded[]> {
  const lorekeep = useLorekeep();
  const open = proposals.filter(({ state, output }) => state === 'open' && output !== null).slice(0, maxProposals);
  const numbers = open.map(({ number }) => number);
  const { value } = useQuery(`reworded ${name} ${numbers.join(' ')}`, async (signal) =>
    numbers.length === 0
      ? []
      : (await lorekeep.findRewordedConflicts({ name, proposals: numbers }, { signal, retries: 0 })).reworded,
  );
  const found = new Map<number, Reworded[]>();
  for (const { at, stands, other, likeness } of value ?? []) {
    const one = open[at];
    const more = { stands, likeness, other: other === null ? undefined : open[other] };
    if (one) found.set(one.number, [...(found.get(one.number) ?? []), more]);
  }
  return found;
}

interface Props {
  reworded: Reworded[];
  onAccept(replaces?: string): void;
}

export function MayContradict({ reworded, onAccept }: Props) {
  if (reworded.length === 0) return null;
  return (
    <div className="stack tight">
      <h3>May contradict</h3>
      {reworded.map(({ stands, other, likeness }) => (
        <div key={stands ? `fact ${stands.id}` : `proposal ${other?.number}`}>
          <p className="hint" dir="auto">
            {stands?.input ?? other?.input}
          </p>
          <p className="said" dir="auto">
            {stands?.output ?? other?.output}
          </p>
          <p className="hint">
            {stands
              ? `${sourceKnown(stands)}, since version ${stands.since_version}, ${formatDateTime(stands.since)}`
              : `proposal ${other?.number}`}
            , likeness {likeness.toFixed(2)}
          </p>
          {stands && (
            <div className="row">
              <button type="button" className="small" onClick={() => onAccept(stands.input)}>
                Replace it<span className="seen-only">: {stands.input}</span>
              </button>
              <button type="button" className="small" onClick={() => onAccept()}>
                Accept beside it
              </button>
            </div>
          )}
        </div>
      ))}
    </div>
  );
}
