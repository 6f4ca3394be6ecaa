// Adds many facts to a memory: pasted rows, or the rows of a dataset. They are checked for contradictions first, and a
// person decides about each before anything is changed.
import { maxOperations, type NamedMemory } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { count, formatDateTime, pluralize } from '../format.ts';
import { pastedRows } from '../parts/cells.ts';
import {
  changeOf,
  compareWithMemory,
  type Decisions,
  type MemoryComparison,
  type OfferedRow,
} from '../parts/contradictions.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextArea, TextField } from '../parts/fields.tsx';
import { ResolveContradictions } from '../parts/resolve-contradictions.tsx';
import { Problem } from '../parts/states.tsx';
import { useAction, useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';

interface Props {
  memory: NamedMemory;
  onClose(): void;
  onDone(): void;
}

interface Offered {
  rows: OfferedRow[];
  held: MemoryComparison;
  source: string;
  date: string;
}

export function AddFacts({ memory, onClose, onDone }: Props) {
  const [offered, setOffered] = useState<Offered>();
  return (
    <Dialog title={`Add facts to ${memory.name}`} onClose={onClose} wide>
      {offered ? (
        <Review {...{ memory, offered, onClose, onDone }} onBack={() => setOffered(undefined)} />
      ) : (
        <Choose name={memory.name} onClose={onClose} onOffered={setOffered} />
      )}
    </Dialog>
  );
}

const pastedSource = 'pasted rows';

function Choose({ name, onClose, onOffered }: Pick<Props, 'onClose'> & { name: string; onOffered(of: Offered): void }) {
  const lorekeep = useLorekeep();
  const [from, setFrom] = useState('');
  const [text, setText] = useState('');
  const datasets = useQuery(
    'datasets for facts',
    async (signal) => await Array.fromAsync(lorekeep.allDatasets({ limit: 1000 }, { signal })),
  );
  const { run, busy, error } = useAction(async () => {
    const dataset = datasets.value?.find(({ dataset_id }) => dataset_id === from);
    const rows = dataset ? await rowsOfDataset(from) : rowsOfText(text);
    onOffered({
      ...{ rows, held: await compareWithMemory(lorekeep, name, rows) },
      source: dataset ? `dataset ${dataset.name ?? from.slice(0, 12)}` : pastedSource,
      date: formatDateTime(dataset?.created_at ?? new Date().toISOString()),
    });
  });
  const rowsOfDataset = async (id: string) => {
    const rows: OfferedRow[] = [];
    for await (const { input, output } of lorekeep.datasetRows(id)) {
      if (rows.length === maxOperations)
        throw new Error(`The dataset has more than ${count(maxOperations)} rows, the maximum of one change.`);
      rows.push({ row: rows.length + 1, input, output });
    }
    return rows;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Choice
        name="From"
        value={from}
        onChange={setFrom}
        of={[
          { value: '', name: 'rows pasted here' },
          ...(datasets.value ?? []).map(({ dataset_id, name, rows }) => ({
            value: dataset_id,
            name: `${name ?? dataset_id.slice(0, 12)} (${pluralize(rows, 'row')})`,
          })),
        ]}
      />
      {datasets.error && <Problem error={datasets.error} again={datasets.again} />}
      {from === '' && (
        <TextArea
          name="Rows of question and answer"
          value={text}
          onChange={setText}
          hint="Copied in a spreadsheet: two columns, with a tab between them. A file is uploaded as a dataset first."
        />
      )}
      {error && <Problem error={error} />}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Not now
        </button>
        <button type="submit" className="main" disabled={busy || (from === '' && text.trim() === '')}>
          {busy ? 'Looking …' : 'Compare with the memory'}
        </button>
      </div>
    </form>
  );
}

function rowsOfText(text: string): OfferedRow[] {
  const cells = pastedRows(text, '');
  if (!cells) throw new Error('These rows do not have two columns: put a tab between each question and its answer.');
  const rows = cells.map(([input = '', output = ''], at) => ({
    row: at + 1,
    input: input.trim(),
    output: output.trim(),
  }));
  const empty = rows.find(({ input, output }) => input === '' || output === '');
  if (empty) throw new Error(`The ${empty.input === '' ? 'question' : 'answer'} of row ${empty.row} is missing.`);
  if (rows.length > maxOperations)
    throw new Error(`One change may hold ${count(maxOperations)} facts; these are ${rows.length}.`);
  return rows;
}

interface ReviewProps extends Props {
  offered: Offered;
  onBack(): void;
}

function Review({ memory: { name }, offered: { held, source, date }, onBack, onClose, onDone }: ReviewProps) {
  const lorekeep = useLorekeep();
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  const [reason, setReason] = useState('');
  const { version, fresh, known, contradictions } = held;
  const { add, change } = changeOf(held, decisions);
  const { run, busy, error } = useAction(async () => {
    await lorekeep.changeMemory({
      ...{ name, add, change },
      ...(reason.trim() && { reason }),
      // Replaces exactly the fact that was shown.
      ...(change.length > 0 && version !== null && { expected_version: version }),
    });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p>
        {pluralize(fresh.length, 'new fact')}, {count(known)} known already,{' '}
        {pluralize(contradictions.length, 'contradiction')}.
      </p>
      {held.notCompared !== undefined && (
        <p className="note warm">Questions in other words were not looked for: {held.notCompared}</p>
      )}
      {contradictions.length > 0 && (
        <ResolveContradictions
          of={contradictions}
          decisions={decisions}
          onDecide={setDecisions}
          sourceOf={({ row }) => ({ name: `${source}, row ${row}`, date })}
        />
      )}
      <TextField name="Why (may be empty)" value={reason} onChange={setReason} />
      {error && <Problem error={error} />}
      <div className="row end">
        <button type="button" onClick={onBack}>
          Other rows
        </button>
        <button type="button" onClick={onClose}>
          Not now
        </button>
        <button type="submit" className="main" disabled={busy || add.length + change.length === 0}>
          Add {count(add.length)}, replace {count(change.length)}
        </button>
      </div>
    </form>
  );
}
