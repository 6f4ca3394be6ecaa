// Rows of a dataset that contradict each other, beside each other: one question with several answers, and questions in other words.
import { useState } from 'react';
import { count, some } from '../format.ts';
import { useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { NumberedRows } from './numbered-rows.tsx';
import { Card } from './page.tsx';
import { Problem } from './states.tsx';

/** Rows that are compared in other words without being asked for: about a second of a worker. */
const atOnce = 1000;
const limit = 1000;

interface Props {
  id: string;
  total: number;
}

export function RowContradictions({ id, total }: Props) {
  const lorekeep = useLorekeep();
  const { value, error, again } = useQuery(
    `contradictions of ${id}`,
    async (signal) => await lorekeep.findDatasetConflicts({ id, limit }, { signal }),
  );
  const rows = value?.conflicts.flatMap((one) => one.rows) ?? [];
  return (
    <>
      {error && <Problem error={error} again={again} />}
      {value && value.total > 0 && (
        <Card title="Rows that contradict each other">
          <p>A question can have one answer. Until these are mended, a model cannot be tuned on this dataset.</p>
          <NumberedRows rows={rows} name="contradictions" />
          {value.conflicts.length < value.total && (
            <p className="hint">
              These are the first {count(value.conflicts.length)} of {some(value.total, 'question')} with several
              answers.
            </p>
          )}
        </Card>
      )}
      {value && value.looked_at < total && (
        <p className="hint">
          Contradictions were looked for in the first {some(value.looked_at, 'row')} of {count(total)}.
        </p>
      )}
      <InOtherWords id={id} total={total} />
    </>
  );
}

function InOtherWords({ id, total }: Props) {
  const lorekeep = useLorekeep();
  const [wanted, setWanted] = useState(total <= atOnce);
  // A server that cannot compare now is not waited for.
  const once = { retries: 0, timeoutMs: 300_000 };
  const { value, waiting } = useQuery(
    `${wanted ? 'contradictions in other words' : 'none'} of ${id}`,
    async (signal) =>
      wanted ? await lorekeep.findDatasetConflicts({ id, limit, reworded: 'true' }, { signal, ...once }) : undefined,
  );
  if (!wanted)
    return (
      <div className="row">
        <button type="button" className="small" onClick={() => setWanted(true)}>
          Look for contradictions in other words
        </button>
      </div>
    );
  if (total > atOnce && waiting && !value) return <p className="hint">Comparing questions in other words …</p>;
  if (!value || (value.reworded.length === 0 && total <= atOnce)) return null;
  return (
    <Card title="Rows that may contradict each other in other words">
      <p className="quiet">
        Both rows of a pair may be right. {some(value.compared, 'question')} of {count(total)} were compared.
      </p>
      {value.reworded.length > 0 && (
        <NumberedRows rows={value.reworded.flatMap(({ rows }) => rows)} name="contradictions in other words" />
      )}
    </Card>
  );
}
