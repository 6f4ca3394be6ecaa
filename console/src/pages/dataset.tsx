// One dataset: its first rows, what stands in its way, and what can be done with it.
import { useState } from 'react';
import { useAction, useAsked } from '../asked.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { at, go } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { bytes, count, some, when } from '../words.ts';

const above = { name: 'Datasets', address: at('datasets') };
const most = 5000;

export function DatasetPage({ id }: { id: string }) {
  const lorekeep = useLorekeep();
  const dataset = useAsked(`dataset ${id}`, async (signal) => await lorekeep.showDataset({ id }, { signal }));
  const [removing, setRemoving] = useState(false);
  const share = useAction(async (is_public: boolean) => {
    await lorekeep.changeDataset({ id, is_public });
    dataset.again();
  });
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
      <div className="row">
        <button type="button" className="small" disabled={share.busy} onClick={() => share.run(!value.is_public)}>
          {value.is_public ? 'Share no longer' : 'Share with all accounts'}
        </button>
        <button type="button" className="small grave" onClick={() => setRemoving(true)}>
          Delete
        </button>
      </div>
      {share.error && <Problem error={share.error} />}
      {removing && (
        <Confirm
          title="Delete this dataset?"
          yes="Delete it"
          onClose={() => setRemoving(false)}
          onYes={async () => {
            await lorekeep.deleteDataset({ id });
            go(at('datasets'));
          }}
        >
          Its {some(value.rows, 'row')} are gone from the disk. Models that were tuned on it stay as they are.
        </Confirm>
      )}
    </Page>
  );
}

interface Row {
  row: number;
  input: string;
  output: string;
}

/** Duplicates and contradictions are put before the rest: they are what somebody comes to look for. */
function Rows({ id, total }: { id: string; total: number }) {
  const lorekeep = useLorekeep();
  const [sought, setSought] = useState('');
  const rows = useAsked(`rows of ${id}`, async (signal) => {
    const found: Row[] = [];
    for await (const { input, output } of lorekeep.datasetRows(id, { signal })) {
      found.push({ row: found.length + 1, input, output });
      if (found.length === most) break;
    }
    return found;
  });
  const { value } = rows;
  if (!value)
    return (
      <div className="card flush">
        {rows.error ? <Problem error={rows.error} again={rows.again} /> : <Waiting what="rows" />}
      </div>
    );
  const { twice, against } = repeated(value);
  const wanted = sought.trim().toLowerCase();
  const found = value.filter(({ input, output }) => `${input} ${output}`.toLowerCase().includes(wanted));
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
      <div className="card flush">
        <div className="tools">
          <input
            type="search"
            aria-label="Search rows"
            placeholder="Search rows"
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
          <span className="hint" role="status">
            {found.length === total ? some(total, 'row') : `${count(found.length)} of ${some(total, 'row')}`}
            {total > most && `; the first ${count(most)} are looked at`}
          </span>
        </div>
        {found.length === 0 ? (
          <Empty title="Nothing found">No row has “{sought}” in it.</Empty>
        ) : (
          <Table rows={found.slice(0, 200)} name="rows" />
        )}
      </div>
    </>
  );
}

function Table({ rows, name }: { rows: Row[]; name: string }) {
  return (
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
          {rows.map(({ row, input, output }) => (
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
  );
}

function repeated(rows: Row[]): { twice: Row[]; against: Row[] } {
  const byQuestion = Map.groupBy(rows, ({ input }) => input.trim());
  const several = [...byQuestion.values()].filter((same) => same.length > 1);
  const differ = (same: Row[]) => new Set(same.map(({ output }) => output.trim())).size > 1;
  return { against: several.filter(differ).flat(), twice: several.filter((same) => !differ(same)).flat() };
}
