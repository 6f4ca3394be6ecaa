// Page of models: installed and downloading bases, and tuned models.
import type { DownloadedModel, DownloadModelArgs, ListKnownModelsAnswer, TunedModel } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago, bytes, count, pluralize } from '../format.ts';
import { Choice, Drop, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Problem, Status } from '../parts/states.tsx';
import { shipped } from '../parts/tiny-base.tsx';
import { type Query, useAction, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

export function ModelsPage() {
  const lorekeep = useLorekeep();
  const bases = useQuery('bases', async (signal) => await lorekeep.listDownloadedModels({ signal }), {
    every: (found) => (found.some(({ status }) => status !== 'available' && status !== 'failed') ? 1000 : undefined),
  });
  const tuned = useQuery(
    'tuned models',
    async (signal) => await Array.fromAsync(lorekeep.allTunedModels({}, { signal })),
  );
  return (
    <Page
      title="Models"
      lead="A base is a model as downloaded. A tuned model is a base with a memory; the base stays as it is."
    >
      <h2>Tuned</h2>
      <List<TunedModel>
        what="tuned models"
        asked={tuned}
        id={({ model_name }) => model_name}
        text={({ model_name, custom_model_name, base_model }) =>
          `${model_name} ${custom_model_name ?? ''} ${base_model}`
        }
        empty={
          <Empty
            title="Nothing tuned yet"
            action={
              <a className="button" href={routeAddress('datasets')}>
                To the datasets
              </a>
            }
          >
            Drop a file of questions and answers, then tune a base on it.
          </Empty>
        }
        columns={[
          {
            name: 'Name',
            wide: true,
            cell: ({ model_name, custom_model_name }) => (
              <a className="row-link" href={routeAddress('models', model_name)}>
                {custom_model_name ?? `${model_name.slice(0, 16)}…`}
              </a>
            ),
          },
          { name: 'Base', cell: ({ base_model }) => base_model },
          {
            name: 'Facts',
            number: true,
            cell: ({ facts, facts_recalled }) =>
              facts === facts_recalled ? count(facts) : `${count(facts_recalled)} of ${count(facts)}`,
          },
          { name: 'Size', number: true, cell: (model) => bytes(model.bytes) },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
        ]}
      />
      <ImportCard onTaken={tuned.again} />
      <Bases asked={bases} />
      <KnownBases onAsked={bases.again} />
      <DownloadCard onAsked={bases.again} />
    </Page>
  );
}

function Bases({ asked }: { asked: Query<DownloadedModel[]> }) {
  return (
    <>
      <h2>Bases</h2>
      <List<DownloadedModel>
        what="bases"
        asked={asked}
        id={({ model_name }) => model_name}
        text={({ model_name, status, source }) => `${model_name} ${status} ${source}`}
        empty={<Empty title="No bases">Bring one by its name on the hub.</Empty>}
        columns={[
          {
            name: 'Name',
            wide: true,
            cell: ({ model_name }) => (
              <span className="stack tight">
                <strong>{model_name}</strong>
                {model_name === shipped && <span className="hint">a tiny one, for trying things out</span>}
              </span>
            ),
          },
          {
            name: 'Kind',
            cell: ({ model_type }) =>
              model_type === 'embedding' ? 'finds passages' : model_type === 'transformer' ? 'answers' : '–',
          },
          {
            name: 'From',
            short: true,
            cell: ({ source, upstream }) => (
              <span className="stack tight">
                {source}
                {upstream && source !== 'upstream' && <span className="hint">computed upstream</span>}
              </span>
            ),
          },
          {
            name: 'Memory it needs',
            number: true,
            cell: ({ weights_bytes, precision }) => (
              <span className="stack tight">
                {weights_bytes === null ? '–' : `over ${bytes(weights_bytes)}`}
                {precision && precision !== 'none' && <span className="hint">{precision}</span>}
              </span>
            ),
          },
          { name: 'State', cell: (model) => <Download model={model} /> },
        ]}
      />
    </>
  );
}

function Download({
  model: { model_name, status, source, upstream, bytes_done, bytes_total, prev_download_error },
}: {
  model: DownloadedModel;
}) {
  return (
    <span className="stack tight">
      <span>
        <Status of={status} />
      </span>
      {(status === 'downloading' || status === 'quantizing') && bytes_done !== null && (
        <>
          <progress
            {...(bytes_total !== null && { value: bytes_done, max: bytes_total })}
            aria-label={`${model_name}: downloaded`}
          />
          <span className="hint">
            {bytes(bytes_done)}
            {bytes_total !== null && ` of ${bytes(bytes_total)}`}
          </span>
        </>
      )}
      {upstream && source !== 'upstream' && upstream.state !== 'ok' && (
        <span className="hint">upstream: {upstream.state}</span>
      )}
      {upstream?.notes.map((note) => (
        <span className="hint" key={note}>
          {note}
        </span>
      ))}
      {status === 'failed' && prev_download_error && <span className="hint">{prev_download_error}</span>}
    </span>
  );
}

function ImportCard({ onTaken }: { onTaken(): void }) {
  const lorekeep = useLorekeep();
  const { run, busy, error } = useAction(async (files: File[]) => {
    for (const file of files) await lorekeep.importTunedModel({ file });
    onTaken();
  });
  return (
    <>
      <Drop
        title="Import a tuned model"
        hint="The file of an export. Its base has to be installed here."
        accept=".tar"
        busy={busy}
        onFiles={run}
      />
      {error && <Problem error={error} />}
    </>
  );
}

type KnownModel = ListKnownModelsAnswer['models'][number];

const fitWords = {
  'serve and tune': 'fits',
  serve: 'fits to be asked, not to be tuned',
  'too large': 'too large',
} as const;

/** Known real bases, and whether they fit this machine. */
function KnownBases({ onAsked }: { onAsked(): void }) {
  const lorekeep = useLorekeep();
  const known = useQuery('known models', async (signal) => await lorekeep.listKnownModels({ signal }));
  const bring = useAction(async ({ model_name, fits, auto }: KnownModel) => {
    const precision = fits === null || fits === 'serve and tune' ? 'none' : (auto ?? 'none');
    await lorekeep.downloadModel({ hf_model_name: model_name, precision });
    known.again();
    onAsked();
  });
  const { value } = known;
  return (
    <>
      <h3>Real bases that are known to work</h3>
      <p className="quiet">
        {shipped} is a tiny model for trying things out. One of these answers, reasons and writes.
        {value &&
          ` This machine has ${bytes(value.memory_bytes)} of memory${value.gpus ? ` and ${pluralize(value.gpus, 'GPU')}` : ''}.`}
      </p>
      {bring.error && <Problem error={bring.error} />}
      <List<KnownModel>
        what="known models"
        asked={{ ...known, value: value?.models }}
        id={({ model_name }) => model_name}
        text={({ model_name, licence, good_for }) => `${model_name} ${licence} ${good_for}`}
        empty={<Empty title="None">Bring one by its name on the hub.</Empty>}
        columns={[
          {
            name: 'Name',
            cell: ({ model_name, good_for }) => (
              <span className="stack tight">
                <strong>{model_name}</strong>
                <span className="hint">{good_for}</span>
              </span>
            ),
          },
          { name: 'Licence', cell: ({ licence, gated }) => `${licence}${gated ? '; wants a token' : ''}` },
          { name: 'Download', number: true, cell: ({ download_bytes }) => bytes(download_bytes) },
          { name: 'Memory', number: true, cell: ({ memory_bytes }) => bytes(memory_bytes) },
          {
            name: 'This machine',
            cell: ({ fits, auto }) => {
              if (fits === null) return 'compare with the memory of its GPUs';
              if (fits !== 'serve and tune' && auto && auto !== 'none') return `fits in ${auto}`;
              return <span className={fits === 'too large' ? 'quiet' : ''}>{fitWords[fits]}</span>;
            },
          },
          {
            name: 'Bring',
            bare: true,
            cell: (model) =>
              model.is_here ? (
                <span className="pill good">here</span>
              ) : (
                !model.gated && (
                  <button type="button" className="small" disabled={bring.busy} onClick={() => bring.run(model)}>
                    Bring<span className="seen-only"> {model.model_name}</span>
                  </button>
                )
              ),
          },
        ]}
      />
    </>
  );
}

type Precision = NonNullable<DownloadModelArgs['precision']>;
const precisions: Record<Precision, string> = {
  none: 'as on the hub',
  int8: '8 bits: half the memory',
  int4: '4 bits: a third of the memory',
  auto: 'as the memory of this machine allows',
};

function DownloadCard({ onAsked }: { onAsked(): void }) {
  const lorekeep = useLorekeep();
  const [name, setName] = useState('');
  const [token, setToken] = useState('');
  const [precision, setPrecision] = useState('none');
  const { run, busy, error } = useAction(async () => {
    await lorekeep.downloadModel({
      hf_model_name: name.trim(),
      precision: precision as Precision,
      ...(token && { private_hf_token: token }),
    });
    setName('');
    setToken('');
    onAsked();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Card title="Download a model from the hub">
      <form className="stack" onSubmit={submit}>
        <div className="columns">
          <TextField name="Name on the hub" value={name} onChange={setName} placeholder="organisation/name" required />
          <TextField
            name="Token"
            type="password"
            value={token}
            onChange={setToken}
            autoComplete="off"
            hint="For private and gated models. Kept in memory during the download, and not stored."
          />
          <Choice
            name="Weights"
            value={precision}
            onChange={setPrecision}
            of={Object.entries(precisions).map(([value, name]) => ({ value, name }))}
            hint="Fewer bits take less memory and lose a little. What is tuned on it belongs to this precision."
          />
        </div>
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="submit" disabled={busy || name.trim() === ''}>
            Bring it
          </button>
        </div>
      </form>
    </Card>
  );
}
