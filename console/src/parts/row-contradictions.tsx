// Contradictory rows of a dataset side by side: one question with several answers, and similar questions.
import type { FindDatasetConflictsAnswer } from '@lorekeep/client';
import { useState } from 'react';
import { count, pluralize } from '../format.ts';
import { useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { NumberedRows } from './numbered-rows.tsx';
import { Card } from './page.tsx';

/** Maximum rows that are compared by meaning automatically, which takes a worker about a second. */
const maxAutoCompared = 1000;
export const listedContradictions = 1000;

interface Props {
  id: string;
  total: number;
  found: FindDatasetConflictsAnswer;
}

export function RowContradictions({ id, total, found }: Props) {
  return (
    <>
      {found.total > 0 && (
        <Card title="Rows that contradict each other">
          <p>A question can have one answer. Until these are resolved, a model cannot be tuned on this dataset.</p>
          <NumberedRows rows={found.conflicts.flatMap(({ rows }) => rows)} name="contradictions" />
          {found.conflicts.length < found.total && (
            <p className="hint">
              These are the first {count(found.conflicts.length)} of {pluralize(found.total, 'question')} with several
              answers.
            </p>
          )}
        </Card>
      )}
      {found.looked_at < total && (
        <p className="hint">
          Contradictions were looked for in the first {pluralize(found.looked_at, 'row')} of {count(total)}.
        </p>
      )}
      <SimilarQuestions id={id} total={total} />
    </>
  );
}

/** One line until the pairs are expanded. The button comes first, since the text grows with the answer. */
function SimilarQuestions({ id, total }: Omit<Props, 'found'>) {
  const lorekeep = useLorekeep();
  const [wanted, setWanted] = useState(total <= maxAutoCompared);
  const [shown, setShown] = useState(false);
  // Does not wait for a server that cannot compare now.
  const once = { retries: 0, timeoutMs: 300_000 };
  const { value, error } = useQuery(
    `${wanted ? 'contradictions in other words' : 'nothing'} of ${id}`,
    async (signal) =>
      wanted
        ? await lorekeep.findDatasetConflicts(
            { id, limit: listedContradictions, reworded: 'true' },
            { signal, ...once },
          )
        : undefined,
  );
  const pairs = value?.reworded ?? [];
  const told = !wanted
    ? 'Questions were not compared in other words.'
    : value
      ? `${pluralize(pairs.length, 'pair')} of rows may contradict each other in other words; ${pluralize(value.compared, 'question was', 'questions were')} compared.`
      : error
        ? 'Questions cannot be compared in other words now.'
        : 'Comparing questions in other words …';
  return (
    <>
      <div className="row">
        <button
          type="button"
          className="small"
          disabled={wanted && pairs.length === 0}
          onClick={() => (wanted ? setShown(!shown) : setWanted(true))}
        >
          {wanted ? (shown ? 'Hide them' : 'Show them') : 'Compare them'}
        </button>
        <span className="hint">{told}</span>
      </div>
      {shown && pairs.length > 0 && (
        <Card title="Rows that may contradict each other in other words">
          <p className="quiet">Both rows of a pair may be right.</p>
          <NumberedRows rows={pairs.flatMap(({ rows }) => rows)} name="contradictions in other words" />
        </Card>
      )}
    </>
  );
}
