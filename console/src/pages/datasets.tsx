// Datasets: files of questions and answers dropped here, or rows typed by hand; what is wrong is shown at its row before anything is stored.
import { type Dataset, LorekeepError } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { useAction, useAsked } from '../asked.ts';
import { Drop, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Page } from '../parts/page.tsx';
import { RowProblems } from '../parts/row-problems.tsx';
import { Empty } from '../parts/states.tsx';
import { TypeRows } from '../parts/type-rows.tsx';
import { at, go } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { ago, bytes, count } from '../words.ts';

export function DatasetsPage() {
  const lorekeep = useLorekeep();
  const [typing, setTyping] = useState(false);
  const datasets = useAsked('datasets', async (signal) => await Array.fromAsync(lorekeep.allDatasets({}, { signal })));
  /** A file whose columns have other names than ours. */
  const [unnamed, setUnnamed] = useState<File>();
  const upload = useAction(async (file: File, columns?: { input_column: string; output_column: string }) => {
    try {
      const { dataset_id } = await lorekeep.uploadFile({ file, name: file.name, ...columns });
      go(at('datasets', dataset_id));
    } catch (error) {
      setUnnamed(columns || asksForColumns(error) ? file : undefined);
      throw error;
    }
  });
  return (
    <Page
      title="Datasets"
      lead="Pairs of a question and its exact answer: what a model is to know by heart."
      actions={
        <button type="button" onClick={() => setTyping(!typing)} aria-expanded={typing}>
          Type rows
        </button>
      }
    >
      {typing && (
        <Card title="Type rows">
          <TypeRows />
        </Card>
      )}
      <Drop
        title="Drop a file of questions and answers, or choose one"
        hint="CSV, JSON lines or Parquet with the columns input (the question) and output (the exact answer), of any size"
        accept=".csv,.jsonl,.ndjson,.json,.parquet"
        busy={upload.busy}
        onFiles={([file]) => file && upload.run(file)}
      />
      {upload.error && <RowProblems error={upload.error} />}
      {unnamed && (
        <Columns
          key={`${unnamed.name} ${unnamed.size} ${unnamed.lastModified}`}
          file={unnamed}
          busy={upload.busy}
          onNamed={(columns) => upload.run(unnamed, columns)}
        />
      )}
      <List<Dataset>
        what="datasets"
        asked={datasets}
        id={({ dataset_id }) => dataset_id}
        text={({ name, dataset_id }) => `${name ?? ''} ${dataset_id}`}
        empty={
          <Empty title="No datasets yet">
            Drop a file above, or type a few rows. A row is a question as people ask it, and the answer word for word.
          </Empty>
        }
        columns={[
          {
            name: 'Name',
            cell: ({ name, dataset_id }) => (
              <a className="row-link" href={at('datasets', dataset_id)}>
                {name ?? dataset_id.slice(0, 12)}
              </a>
            ),
          },
          { name: 'Rows', number: true, cell: ({ rows }) => count(rows) },
          { name: 'Size', number: true, cell: (dataset) => bytes(dataset.bytes) },
          { name: 'Shared', cell: ({ is_public }) => (is_public ? 'with all accounts' : 'no') },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
          {
            name: 'Tune',
            bare: true,
            cell: ({ dataset_id }) => (
              <a className="button small" href={`${at('tuning', 'new')}?dataset=${dataset_id}`}>
                Tune
              </a>
            ),
          },
        ]}
      />
    </Page>
  );
}

/** The refusal of a file in which the columns are not found tells its own, and the fields that name them. */
const asksForColumns = (error: unknown) => error instanceof LorekeepError && error.detail.includes('input_column');

interface ColumnsProps {
  file: File;
  busy: boolean;
  onNamed(columns: { input_column: string; output_column: string }): void;
}

function Columns({ file, busy, onNamed }: ColumnsProps) {
  const [input, setInput] = useState('');
  const [output, setOutput] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onNamed({ input_column: input.trim(), output_column: output.trim() });
  };
  return (
    <Card title={`Which columns of ${file.name}?`}>
      <form className="stack" onSubmit={submit}>
        <div className="columns">
          <TextField name="Column of the questions" hint="input_column" value={input} onChange={setInput} required />
          <TextField name="Column of the answers" hint="output_column" value={output} onChange={setOutput} required />
        </div>
        <div className="row end">
          <button type="submit" className="main" disabled={busy}>
            {busy ? 'Sending …' : 'Send it with these'}
          </button>
        </div>
      </form>
    </Card>
  );
}
