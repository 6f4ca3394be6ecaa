// Page of a dataset: its first rows, problems, and actions.
import { type FormEvent, useMemo, useState } from 'react';
import { bytes, count, formatDateTime, pluralize } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea } from '../parts/fields.tsx';
import { FormattedText } from '../parts/formatted-text.tsx';
import { List } from '../parts/list.tsx';
import { type NumberedRow, NumberedRows } from '../parts/numbered-rows.tsx';
import { OwnerActions } from '../parts/owner-actions.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { listedContradictions, RowContradictions } from '../parts/row-contradictions.tsx';
import { RowProblems } from '../parts/row-problems.tsx';
import { duplicates, type Row } from '../parts/rows.ts';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const above = { name: 'Datasets', address: routeAddress('datasets') };

export function DatasetPage({ id, query }: { id: string; query: URLSearchParams }) {
  const lorekeep = useLorekeep();
  const dataset = useQuery(`dataset ${id}`, async (signal) => await lorekeep.showDataset({ id }, { signal }));
  const [editing, setEditing] = useState(false);
  const { value } = dataset;
  const before = query.get('before');
  if (!value)
    return (
      <Page title="Dataset" above={above}>
        {dataset.error ? <Problem error={dataset.error} again={dataset.again} /> : <Waiting what="the dataset" />}
      </Page>
    );
  return (
    <Page
      title={value.name ?? `Dataset ${id.slice(0, 12)}`}
      above={above}
      actions={
        <>
          {!editing && (
            <button type="button" onClick={() => setEditing(true)}>
              Edit rows
            </button>
          )}
          <a
            className="button"
            href={`/v1/datasets/${id}/download`}
            download={`${value.name ?? id.slice(0, 12)}.jsonl`}
          >
            Download
          </a>
          <a className="button" href={`${routeAddress('evaluations', 'new')}?dataset=${id}`}>
            Ask models its questions
          </a>
          <a className="button main" href={`${routeAddress('tuning', 'new')}?dataset=${id}`}>
            Tune a model on it
          </a>
        </>
      }
    >
      <Card>
        <Facts
          of={[
            ['Rows', count(value.rows)],
            ['Size', bytes(value.bytes)],
            ['Made', formatDateTime(value.created_at)],
            ['Shared', value.is_public ? 'with all accounts' : 'no'],
          ]}
        />
      </Card>
      {before && (
        <p className="note">
          Made from <a href={routeAddress('datasets', before)}>an earlier dataset</a>, which is as it was. Models keep
          what they were taught: tune again to teach this one.
        </p>
      )}
      <Rows id={id} total={value.rows} name={value.name} editing={editing} onDone={() => setEditing(false)} />
      <OwnerActions
        what="dataset"
        shared={value.is_public}
        share={async (is_public) => {
          await lorekeep.changeDataset({ id, is_public });
          dataset.again();
        }}
        remove={async () => {
          await lorekeep.deleteDataset({ id });
          go(routeAddress('datasets'));
        }}
      >
        Its {pluralize(value.rows, 'row')} are gone from the disk. Models that were tuned on it stay as they are.
      </OwnerActions>
    </Page>
  );
}

const initialLimit = 5000;

interface RowsProps {
  id: string;
  total: number;
  name: string | null;
  editing: boolean;
  onDone(): void;
}

/** Duplicates come first: they may need a decision. */
function Rows({ id, total, name, editing, onDone }: RowsProps) {
  const lorekeep = useLorekeep();
  const [limit, setLimit] = useState(initialLimit);
  /** Edits by row number; null for a deleted row. Added rows have numbers after the last one. */
  const [changes, setChanges] = useState<ReadonlyMap<number, Row | null>>(new Map());
  const [open, setOpen] = useState<NumberedRow>();
  const change = (row: number, to: Row | null | undefined) => {
    const next = new Map(changes);
    if (to === undefined) next.delete(row);
    else next.set(row, to);
    setChanges(next);
  };
  const rows = useQuery(`rows of ${id}`, async (signal) => {
    const found: NumberedRow[] = [];
    for await (const { input, output } of lorekeep.datasetRows(id, { signal, limit }))
      found.push({ row: found.length + 1, input, output });
    return found;
  });
  const found = useQuery(
    `contradictions of ${id}`,
    async (signal) => await lorekeep.findDatasetConflicts({ id, limit: listedContradictions }, { signal }),
  );
  const { value } = rows;
  const repeated = useMemo(() => duplicates(value ?? []), [value]);
  const further = Math.min(total, limit * 10);
  const readOn = () => {
    setLimit(further);
    rows.again();
  };
  const added = [...changes].flatMap(([row, to]) => (row > total && to ? [{ row, ...to }] : []));
  // Loaded together, so that the layout does not shift.
  const asChanged = value &&
    found.value && [...added.toReversed(), ...value.map((one) => ({ ...one, ...changes.get(one.row) }))];
  const list = (
    <List<NumberedRow>
      what="rows"
      asked={{
        ...rows,
        value: asChanged,
        error: rows.error ?? found.error,
        again: rows.error ? rows.again : found.again,
      }}
      id={({ row }) => row}
      text={({ input, output }) => `${input} ${output}`}
      empty={<Empty title="No rows">There is nothing in this dataset.</Empty>}
      columns={[
        { name: 'Row', number: true, cell: ({ row }) => (row > total ? 'new' : row) },
        { name: 'Question', wide: true, cell: ({ input }) => <FormattedText text={input} /> },
        { name: 'Answer', wide: true, cell: ({ output }) => <FormattedText text={output} /> },
        ...(editing
          ? [
              {
                name: 'Change',
                bare: true,
                cell: (row: NumberedRow) => <RowChange {...{ row, total, changes, change, setOpen }} />,
              },
            ]
          : []),
      ]}
    />
  );
  if (!value || !found.value) return list;
  return (
    <>
      <RowContradictions id={id} total={total} found={found.value} />
      {repeated.length > 0 && (
        <Card title="Rows that stand there twice">
          <p className="quiet">They do no harm: each is taught once.</p>
          <NumberedRows rows={repeated} name="duplicates" />
        </Card>
      )}
      {value.length < total && (
        <ReadOn read={value.length} further={further} total={total} waiting={rows.waiting} onMore={readOn} />
      )}
      {editing && (
        <Changes
          {...{ id, total, name, changes }}
          onAdd={() => setOpen({ row: Math.max(total, ...changes.keys()) + 1, input: '', output: '' })}
          onDone={() => {
            setChanges(new Map());
            onDone();
          }}
        />
      )}
      {list}
      {open && (
        <EditRow
          row={open}
          isNew={open.row > total}
          onClose={() => setOpen(undefined)}
          onChanged={(to) => {
            change(open.row, to);
            setOpen(undefined);
          }}
        />
      )}
    </>
  );
}

interface ReadOnProps {
  read: number;
  further: number;
  total: number;
  waiting: boolean;
  onMore(): void;
}

function ReadOn({ read, further, total, waiting, onMore }: ReadOnProps) {
  const told = further < total ? `Show the first ${count(further)}` : 'Show all of them';
  return (
    <div className="row">
      <span className="hint">
        Only the first {pluralize(read, 'row')} of {count(total)} are looked at, for rows that stand there twice too.
      </span>
      <button type="button" className="small" disabled={waiting} onClick={onMore}>
        {waiting ? 'Reading …' : told}
      </button>
    </div>
  );
}

interface RowChangeProps {
  row: NumberedRow;
  total: number;
  changes: ReadonlyMap<number, Row | null>;
  change(row: number, to: Row | null | undefined): void;
  setOpen(row: NumberedRow): void;
}

function RowChange({ row: { row, input, output }, total, changes, change, setOpen }: RowChangeProps) {
  const to = changes.get(row);
  const of = <span className="seen-only"> {row > total ? `the new row “${input}”` : `row ${row}`}</span>;
  if (to === null)
    return (
      <span className="row close">
        <span className="pill bad">deleted</span>
        <button type="button" className="small" onClick={() => change(row, undefined)}>
          Undo{of}
        </button>
      </span>
    );
  return (
    <span className="row close">
      {to && <span className="pill warm">{row > total ? 'new' : 'changed'}</span>}
      <button type="button" className="small" onClick={() => setOpen({ row, input, output })}>
        Edit{of}
      </button>
      <button type="button" className="small grave" onClick={() => change(row, row > total ? undefined : null)}>
        Delete{of}
      </button>
    </span>
  );
}

interface EditRowProps {
  row: NumberedRow;
  isNew: boolean;
  onClose(): void;
  onChanged(to: Row): void;
}

function EditRow({ row, isNew, onClose, onChanged }: EditRowProps) {
  const [input, setInput] = useState(row.input);
  const [output, setOutput] = useState(row.output);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChanged({ input, output });
  };
  return (
    <Dialog title={isNew ? 'A new row' : `Row ${row.row}`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextArea name="Question" value={input} onChange={setInput} />
        <TextArea name="Exact answer" value={output} onChange={setOutput} />
        <div className="row end">
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" className="main" disabled={input.trim() === '' || output.trim() === ''}>
            {isNew ? 'Add it' : 'Change it'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChangesProps extends Pick<RowsProps, 'id' | 'total' | 'name' | 'onDone'> {
  changes: ReadonlyMap<number, Row | null>;
  onAdd(): void;
}

/** Reads all rows again and uploads them with the edits, including hidden rows and fields besides question and answer. */
function Changes({ id, total, name, changes, onAdd, onDone }: ChangesProps) {
  const lorekeep = useLorekeep();
  const keep = useAction(async () => {
    const lines: string[] = [];
    let row = 0;
    for await (const stored of lorekeep.datasetRows(id)) {
      row++;
      const to = changes.get(row);
      if (to !== null) lines.push(JSON.stringify({ ...stored, ...to }));
    }
    for (const [number, to] of changes) if (number > total && to) lines.push(JSON.stringify(to));
    const file = new File([lines.map((line) => `${line}\n`).join('')], 'rows.jsonl');
    const { dataset_id } = await lorekeep.uploadFile({ file, ...(name !== null && { name }) });
    if (dataset_id === id)
      throw new Error('With these changes the rows are as they were: there is nothing new to keep.');
    go(`${routeAddress('datasets', dataset_id)}?before=${id}`);
  });
  const deleted = [...changes.values()].filter((to) => to === null).length;
  const added = [...changes.keys()].filter((row) => row > total).length;
  const parts = [
    [changes.size - deleted - added, 'changed'],
    [added, 'added'],
    [deleted, 'deleted'],
  ] as const;
  const summary = parts.flatMap(([of, what]) => (of > 0 ? [`${count(of)} ${what}`] : [])).join(', ');
  return (
    <Card title="Edit rows">
      <p>A dataset never changes. What you keep becomes a new one of the same name, and this one stays as it is.</p>
      <p className="hint" role="status">
        {summary === '' ? 'Nothing is changed yet.' : `${summary}.`}
      </p>
      {keep.error && <RowProblems error={keep.error} />}
      <div className="row">
        <button type="button" onClick={onAdd}>
          Add a row
        </button>
        <button
          type="button"
          className="main"
          disabled={keep.busy || changes.size === 0 || deleted === total + added}
          onClick={() => keep.run()}
        >
          {keep.busy ? 'Sending …' : 'Keep as a new dataset'}
        </button>
        <button type="button" onClick={onDone}>
          {changes.size === 0 ? 'Done' : 'Drop the changes'}
        </button>
      </div>
    </Card>
  );
}
