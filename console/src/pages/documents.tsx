// Page of document indexes, which are created by dropping files.
import type { Index } from '@lorekeep/client';
import { useState } from 'react';
import { ago, count, pluralize } from '../format.ts';
import { canAnswer } from '../parts/askable.ts';
import { Choice, Drop, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Problem, Status } from '../parts/states.tsx';
import { TinyBase } from '../parts/tiny-base.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { useStoredState } from '../stored-state.ts';

export function DocumentsPage() {
  const lorekeep = useLorekeep();
  const indexes = useQuery('indexes', async (signal) => await Array.fromAsync(lorekeep.allIndexes({}, { signal })), {
    every: (found) => (found.some(({ finished_at }) => finished_at === null) ? 2000 : undefined),
  });
  const models = useQuery('models', async (signal) => await lorekeep.listDownloadedModels({ signal }));
  const bases = (models.value ?? []).filter(canAnswer);
  const [name, setName] = useState('');
  const [savedModel, setModel] = useStoredState<string | null>('index base', null);
  const model = bases.find(({ model_name }) => model_name === savedModel)?.model_name;
  const build = useAction(async (files: File[]) => {
    // A file may be dropped before the models are loaded.
    const model_name =
      model ?? bases[0]?.model_name ?? (await lorekeep.listDownloadedModels()).find(canAnswer)?.model_name;
    if (!model_name) throw new Error('There is no model here that could answer: download one under Models first.');
    const { job_id } = await lorekeep.buildIndex({ model_name, files, ...(name.trim() && { name: name.trim() }) });
    go(routeAddress('documents', job_id));
  });
  return (
    <Page title="Documents" lead="Files that answers are taken from, each with the passage and the page it stands on.">
      <Card title="A new index">
        <div className="columns">
          <TextField name="Name" value={name} onChange={setName} placeholder="such as: handbook" />
          <Choice
            name="The model that answers"
            value={model ?? bases[0]?.model_name ?? ''}
            onChange={setModel}
            of={bases.map(({ model_name }) => ({ value: model_name, name: model_name }))}
          />
        </div>
        <TinyBase chosen={model ?? bases[0]?.model_name} />
        <Drop
          title="Drop documents, or choose some"
          hint="PDF, Word, PowerPoint, Excel, HTML, Markdown, text, CSV, JSON, mails, and ZIP files of these"
          multiple
          busy={build.busy}
          onFiles={(files) => build.run(files)}
        />
        {build.error && <Problem error={build.error} />}
      </Card>
      <List<Index>
        what="indexes"
        asked={indexes}
        id={({ job_id }) => job_id}
        text={({ name, job_id, status, model_name }) => `${name ?? ''} ${job_id} ${status} ${model_name}`}
        empty={
          <Empty title="No documents yet">
            Drop some files above. They are read here, on this machine, and can be asked a moment later.
          </Empty>
        }
        columns={[
          {
            name: 'Name',
            wide: true,
            cell: ({ job_id, name }) => (
              <a className="row-link" href={routeAddress('documents', job_id)}>
                {name ?? `Index ${job_id}`}
              </a>
            ),
          },
          { name: 'State', short: true, cell: ({ status }) => <Status of={status} /> },
          {
            name: 'Files',
            cell: ({ progress }) =>
              `${pluralize(progress.files, 'file')}${progress.files_failed > 0 ? `, ${count(progress.files_failed)} failed` : ''}`,
          },
          { name: 'Passages', number: true, cell: ({ progress }) => count(progress.passages) },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
        ]}
      />
    </Page>
  );
}
