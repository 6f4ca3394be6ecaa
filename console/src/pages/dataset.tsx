// One dataset: its first rows, what stands in its way, and what can be done with it.
import { useMemo, useState } from 'react';
import { useAsked } from '../asked.ts';
import { List } from '../parts/list.tsx';
import { useMore } from '../parts/more.tsx';
import { Owned } from '../parts/owned.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { type Row, repeated } from '../parts/rows.ts';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { at, go } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { bytes, count, some, when } from '../words.ts';

const above = { name: 'Datasets', address: at('datasets') };

export function DatasetPage({ id }: { id: string }) {
  const lorekeep = useLorekeep();
  const dataset = useAsked(`dataset ${id}`, async (signal) => await lorekeep.showDataset({ id }, { signal }));
  const { value } = dataset;
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
          <a
            className="button"
            href={`/v1/datasets/${id}/download`}
            download={`${value.name ?? id.slice(0, 12)}.jsonl`}
          >
            Download
          </a>
          <a className="button" href={`${at('evaluations', 'new')}?dataset=${id}`}>
            Ask models its questions
          </a>
          <a className="button main" href={`${at('tuning', 'new')}?dataset=${id}`}>
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
            ['Made', when(value.created_at)],
            ['Shared', value.is_public ? 'with all accounts' : 'no'],
          ]}
        />
      </Card>
      <Rows id={id} total={value.rows} />
      <Owned
        what="dataset"
        shared={value.is_public}
        share={async (is_public) => {
          await lorekeep.changeDataset({ id, is_public });
          dataset.again();
        }}
        remove={async () => {
          await lorekeep.deleteDataset({ id });
          go(at('datasets'));
        }}
      >
        Its {some(value.rows, 'row')} are gone from the disk. Models that were tuned on it stay as they are.
      </Owned>
    </Page>
  );
}

interface NumberedRow extends Row {
  row: number;
}

const first = 5000;

/** Duplicates and contradictions are put before the rest: they are what somebody comes to look for. */
function Rows({ id, total }: { id: string; total: number }) {
  const lorekeep = useLorekeep();
  const [most, setMost] = useState(first);
  const rows = useAsked(`rows of ${id}`, async (signal) => {
    const found: NumberedRow[] = [];
    for await (const { input, output } of lorekeep.datasetRows(id, { signal })) {
      found.push({ row: found.length + 1, input, output });
      if (found.length === most) break;
    }
    return found;
  });
  const { value } = rows;
  const { twice, against } = useMemo(() => repeated(value ?? []), [value]);
  const further = Math.min(total, most * 10);
  const readOn = () => {
    setMost(further);
    rows.again();
  };
  const list = (
    <List<NumberedRow>
      what="rows"
      asked={rows}
      id={({ row }) => row}
      text={({ input, output }) => `${input} ${output}`}
      empty={<Empty title="No rows">There is nothing in this dataset.</Empty>}
      columns={[
        { name: 'Row', number: true, cell: ({ row }) => row },
        { name: 'Question', cell: ({ input }) => input },
        { name: 'Answer', cell: ({ output }) => output },
      ]}
    />
  );
  if (!value) return list;
  return (
    <>
      {against.length > 0 && (
        <Card title="Rows that contradict each other">
          <p>A question can have one answer. Until these are mended, a model cannot be tuned on this dataset.</p>
          <Table rows={against} name="contradictions" />
        </Card>
      )}
      {twice.length > 0 && (
        <Card title="Rows that stand there twice">
          <p className="quiet">They do no harm: each is taught once.</p>
          <Table rows={twice} name="duplicates" />
        </Card>
      )}
      {value.length < total && (
        <div className="row">
          <span className="hint">
            Only the first {some(value.length, 'row')} of {count(total)} are looked at, for rows that stand there twice
            or contradict each other too.
          </span>
          <button type="button" className="small" disabled={rows.waiting} onClick={readOn}>
            {rows.waiting
              ? 'Reading …'
              : further < total
                ? `Look at the first ${count(further)}`
                : 'Look at all of them'}
          </button>
        </div>
      )}
      {list}
    </>
  );
}

function Table({ rows, name }: { rows: NumberedRow[]; name: string }) {
  const [shown, foot] = useMore(rows, 'of them');
  return (
    <>
      <div className="table cards">
        <table>
          <caption className="seen-only">{name}</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                Row
              </th>
              <th scope="col">Question</th>
              <th scope="col">Answer</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row, input, output }) => (
              <tr key={row}>
                <td className="number" data-label="Row">
                  {row}
                </td>
                <td data-label="Question">{input}</td>
                <td data-label="Answer">{output}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {foot}
    </>
  );
}
