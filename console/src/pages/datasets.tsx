// Page of datasets: upload files of questions and answers, or type rows. Problems are shown at their rows before anything is stored.
import { type Dataset, LorekeepError } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago, bytes, count } from '../format.ts';
import { columnsOf, hasOurColumns, likelyColumns } from '../parts/cells.ts';
import { Choice, Drop } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Page } from '../parts/page.tsx';
import { RowProblems } from '../parts/row-problems.tsx';
import { Empty } from '../parts/states.tsx';
import { TypeRows } from '../parts/type-rows.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

export function DatasetsPage() {
  const lorekeep = useLorekeep();
  const [typing, setTyping] = useState(false);
  const datasets = useQuery('datasets', async (signal) => await Array.fromAsync(lorekeep.allDatasets({}, { signal })));
  /** A file with other column names, and the names that it has. */
  const [unnamed, setUnnamed] = useState<{ file: File; columns: string[] }>();
  const upload = useAction(async (file: File, named?: { input_column: string; output_column: string }) => {
    const columns = named ? undefined : await columnsOf(file);
    if (columns && columns.length > 1 && !hasOurColumns(columns)) {
      setUnnamed({ file, columns });
      return;
    }
    try {
      const { dataset_id } = await lorekeep.uploadFile({ file, name: file.name, ...named });
      go(routeAddress('datasets', dataset_id));
    } catch (error) {
      if (!named) setUnnamed(columnsOfError(error, file));
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
        hint="CSV, JSON lines or Parquet of any size: a column of questions, and one of their exact answers"
        accept=".csv,.jsonl,.ndjson,.json,.parquet"
        busy={upload.busy}
        onFiles={([file]) => file && upload.run(file)}
      />
      {upload.error && <RowProblems error={upload.error} />}
      {unnamed && (
        <Columns
          key={`${unnamed.file.name} ${unnamed.file.size} ${unnamed.file.lastModified}`}
          {...unnamed}
          busy={upload.busy}
          onNamed={(columns) => upload.run(unnamed.file, columns)}
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
            wide: true,
            cell: ({ name, dataset_id }) => (
              <a className="row-link" href={routeAddress('datasets', dataset_id)}>
                {name ?? dataset_id.slice(0, 12)}
              </a>
            ),
          },
          { name: 'Rows', number: true, cell: ({ rows }) => count(rows) },
          { name: 'Size', number: true, cell: (dataset) => bytes(dataset.bytes) },
          { name: 'Shared', short: true, cell: ({ is_public }) => (is_public ? 'with all accounts' : 'no') },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
          {
            name: 'Tune',
            bare: true,
            cell: ({ dataset_id }) => (
              <a className="button small" href={`${routeAddress('tuning', 'new')}?dataset=${dataset_id}`}>
                Tune
              </a>
            ),
          },
        ]}
      />
    </Page>
  );
}

/** Column names from the server's refusal, for files that only the server can read, such as Parquet. */
function columnsOfError(error: unknown, file: File): { file: File; columns: string[] } | undefined {
  if (!(error instanceof LorekeepError)) return undefined;
  const found = / but (".*?"); /.exec(error.detail)?.[1];
  const columns = [...(found ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => name!);
  return columns.length > 1 ? { file, columns } : undefined;
}

interface ColumnsProps {
  file: File;
  columns: string[];
  busy: boolean;
  onNamed(columns: { input_column: string; output_column: string }): void;
}

function Columns({ file, columns, busy, onNamed }: ColumnsProps) {
  const likely = likelyColumns(columns);
  const [input, setInput] = useState(likely.input);
  const [output, setOutput] = useState(likely.output);
  const choices = columns.map((name) => ({ value: name, name }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onNamed({ input_column: input, output_column: output });
  };
  return (
    <Card title={`Which columns of ${file.name}?`}>
      <form className="stack" onSubmit={submit}>
        <div className="columns">
          <Choice name="Column of the questions" value={input} onChange={setInput} of={choices} />
          <Choice name="Column of the answers" value={output} onChange={setOutput} of={choices} />
        </div>
        {input === output && (
          <p className="note bad">The questions and the answers are in two columns: choose another one.</p>
        )}
        <div className="row end">
          <button type="submit" className="main" disabled={busy || input === output}>
            {busy ? 'Sending …' : 'Send it with these'}
          </button>
        </div>
      </form>
    </Card>
  );
}
