// Reading of documents for a memory: the dialog that starts it, and its progress.
import { useState } from 'react';
import { count, pluralize } from '../format.ts';
import { useAction, useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { Dialog } from './dialog.tsx';
import { Choice } from './fields.tsx';
import { Problem, QueryResult } from './states.tsx';

interface Props {
  name: string;
  onClose(): void;
  onDone(): void;
}

export function ReadDocuments({ name, onClose, onDone }: Props) {
  const lorekeep = useLorekeep();
  const [index, setIndex] = useState('');
  const indexes = useQuery(
    'indexes to be read',
    async (signal) => await lorekeep.listIndexes({ limit: 1000 }, { signal }),
  );
  const { run, busy, error } = useAction(async () => {
    await lorekeep.createReading({ name, index_id: Number(index) });
    onDone();
  });
  return (
    <Dialog title="Propose facts from documents" onClose={onClose}>
      <p>
        Rows of tables, key-value lines, headings with one value and plain sentences become proposals, each with its
        quote and page. A base that reads prose is asked for more, of which only what stands in the text word for word
        is proposed.
      </p>
      <QueryResult asked={indexes} what="the document indexes">
        {(found) =>
          found.indexes.length === 0 ? (
            <p className="note">There is no document index yet: make one on the page “Documents”.</p>
          ) : (
            <Choice
              name="Document index"
              value={index}
              onChange={setIndex}
              of={[
                { value: '', name: 'choose one' },
                ...found.indexes.map((one) => ({ value: String(one.job_id), name: one.name ?? `Index ${one.job_id}` })),
              ]}
            />
          )
        }
      </QueryResult>
      {error && <Problem error={error} />}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Not now
        </button>
        <button type="button" className="main" disabled={busy || index === ''} onClick={() => run()}>
          Read it
        </button>
      </div>
    </Dialog>
  );
}

/** The newest reading, running or finished. */
export function LastReading({ name, onProgress }: { name: string; onProgress(): void }) {
  const lorekeep = useLorekeep();
  const asked = useQuery(
    `readings ${name}`,
    async (signal) => {
      const { readings } = await lorekeep.listReadings({ name, limit: 1 }, { signal });
      if (readings[0]?.state === 'running') onProgress();
      return readings;
    },
    { every: ([last]) => (last?.state === 'running' ? 2000 : undefined) },
  );
  const last = asked.value?.[0];
  if (!last) return null;
  return (
    <p className="hint" role="status">
      {last.state === 'running' ? 'Documents are being read' : 'Documents were read'}: {count(last.files_done)} of{' '}
      {pluralize(last.files, 'file')}, {pluralize(last.proposed, 'proposal')}. {last.notices.join(' ')}
    </p>
  );
}
