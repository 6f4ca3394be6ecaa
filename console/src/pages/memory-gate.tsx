// Gate of a memory: set or remove its dataset and bars; the result of a version with its regressions; forced publication.
import type { MemoryGate, MemoryVersion, Regression } from '@lorekeep/client';
import { NotFoundError } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { count, pluralize } from '../format.ts';
import { datasetChoices } from '../parts/askable.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Facts } from '../parts/page.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { useAction, usePages, useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';

export function GateCard({ name, empty }: { name: string; empty: boolean }) {
  const lorekeep = useLorekeep();
  const gate = useQuery(`gate of ${name}`, async (signal) => {
    try {
      return { set: await lorekeep.showMemoryGate({ name }, { signal }) };
    } catch (error) {
      if (error instanceof NotFoundError) return { set: null };
      throw error;
    }
  });
  const [doing, setDoing] = useState<'set' | 'remove'>();
  const set = gate.value?.set;
  return (
    <Card title="Gate">
      {!gate.value && (gate.error ? <Problem error={gate.error} again={gate.again} /> : <Waiting what="the gate" />)}
      {gate.value && !set && (
        <p className="hint">
          A new version is published when it is verified. With a gate it must reach bars on an evaluation set as well.
        </p>
      )}
      {set && <Facts of={barsOf(set)} />}
      {gate.value && !empty && (
        <div className="row">
          <button type="button" onClick={() => setDoing('set')}>
            {set ? 'Change the gate' : 'Set a gate'}
          </button>
          {set && (
            <button type="button" className="grave" onClick={() => setDoing('remove')}>
              Remove the gate
            </button>
          )}
        </div>
      )}
      {doing === 'set' && (
        <GateForm
          name={name}
          gate={set ?? undefined}
          onClose={() => setDoing(undefined)}
          onDone={() => {
            setDoing(undefined);
            gate.again();
          }}
        />
      )}
      {doing === 'remove' && (
        <Confirm
          title="Remove the gate?"
          yes="Remove it"
          onClose={() => setDoing(undefined)}
          onYes={async () => {
            await lorekeep.removeMemoryGate({ name });
            gate.again();
          }}
        >
          New versions are published from then on when they are verified.
        </Confirm>
      )}
    </Card>
  );
}

const barsOf = ({ exact, reworded, max_regressions, rows, dataset_id, by }: MemoryGate): [string, string][] => [
  ...(exact === null ? [] : [['Right in taught words', `${exact} or more`] as [string, string]]),
  ...(reworded === null ? [] : [['Right in other words', `${reworded} or more`] as [string, string]]),
  ...(max_regressions === null ? [] : [['Regressions', `${max_regressions} at most`] as [string, string]]),
  [
    'Set',
    rows === null
      ? `${dataset_id.slice(0, 12)}, which is gone`
      : `${dataset_id.slice(0, 12)}, ${pluralize(rows, 'row')}`,
  ],
  ['Set by', by],
];

interface FormProps {
  name: string;
  gate: MemoryGate | undefined;
  onClose(): void;
  onDone(): void;
}

const barText = (bar: number | null | undefined) => (bar === null || bar === undefined ? '' : String(bar));

function GateForm({ name, gate, onClose, onDone }: FormProps) {
  const lorekeep = useLorekeep();
  const datasets = useQuery('datasets for a gate', async (signal) => await datasetChoices(lorekeep, signal, null));
  const [chosen, setChosen] = useState<string>();
  const [exact, setExact] = useState(gate ? barText(gate.exact) : '1');
  const [reworded, setReworded] = useState(gate ? barText(gate.reworded) : '0.9');
  const [regressions, setRegressions] = useState(gate ? barText(gate.max_regressions) : '0');
  const known = datasets.value?.some(({ value }) => value === gate?.dataset_id) ? gate?.dataset_id : undefined;
  const dataset = chosen ?? known ?? datasets.value?.[0]?.value;
  const { run, busy, error } = useAction(async () => {
    await lorekeep.setMemoryGate({
      ...{ name, dataset_id: dataset! },
      ...(exact.trim() && { exact: Number(exact) }),
      ...(reworded.trim() && { reworded: Number(reworded) }),
      ...(regressions.trim() && { max_regressions: Number(regressions) }),
    });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title="The gate of new versions" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {datasets.error && <Problem error={datasets.error} again={datasets.again} />}
        {datasets.value?.length === 0 && <p>There is no dataset yet: upload one with questions and right answers.</p>}
        {datasets.value && dataset !== undefined && (
          <Choice name="Evaluation set" value={dataset} onChange={setChosen} of={datasets.value} />
        )}
        <TextField
          {...{ name: 'Right in taught words, 0 to 1', value: exact, onChange: setExact, inputMode: 'decimal' }}
          hint="Of the rows whose question is that of a fact. Empty: no such bar."
        />
        <TextField
          {...{ name: 'Right in other words, 0 to 1', value: reworded, onChange: setReworded, inputMode: 'decimal' }}
          hint="Of all other rows. Empty: no such bar."
        />
        <TextField
          {...{ name: 'Regressions at most', value: regressions, onChange: setRegressions, inputMode: 'numeric' }}
          hint="Rows that the version before answers right and the new one does not. Empty: no such bar."
        />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className="main" disabled={busy || dataset === undefined}>
            Set it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The result of a version, as a pill that opens the details. */
export function GateFinding({ name, of: { version, gate } }: { name: string; of: MemoryVersion }) {
  const [open, setOpen] = useState(false);
  if (gate === null) return '–';
  return (
    <>
      <button type="button" className="small" onClick={() => setOpen(true)}>
        {gate === 'holds' ? 'holds' : 'does not hold'}
        <span className="seen-only"> for version {version}</span>
      </button>
      {open && <ResultDialog name={name} version={version} onClose={() => setOpen(false)} />}
    </>
  );
}

function ResultDialog({ name, version, onClose }: { name: string; version: number; onClose(): void }) {
  const lorekeep = useLorekeep();
  const found = useQuery(
    `gate of ${name} ${version}`,
    async (signal) => await lorekeep.showGateResult({ name, version }, { signal }),
  );
  const regressions = usePages(`regressions of ${name} ${version}`, async (after, signal) => {
    const asked = { name, version, ...(after !== undefined && { after }) };
    const { regressions, next } = await lorekeep.listRegressions(asked, { signal });
    return { items: regressions, next };
  });
  const { value } = found;
  return (
    <Dialog title={`The gate on version ${version}`} onClose={onClose} wide>
      {!value && (found.error ? <Problem error={found.error} again={found.again} /> : <Waiting what="the finding" />)}
      {value && (
        <>
          <Facts
            of={[
              ['Right in taught words', `${count(value.exact.right)} of ${count(value.exact.rows)}`],
              ['Right in other words', `${count(value.reworded.right)} of ${count(value.reworded.rows)}`],
              [`Regressions against version ${value.against_version}`, count(value.regressions)],
            ]}
          />
          {value.failing.length > 0 && (
            <ul>
              {value.failing.map(({ bar, text }) => (
                <li key={bar}>{text}</li>
              ))}
            </ul>
          )}
        </>
      )}
      {value && value.regressions > 0 && (
        <List<Regression>
          what="regressions"
          asked={regressions}
          id={({ row }) => row}
          text={({ input, output, before, after }) => `${input} ${output} ${before.output} ${after.output}`}
          empty={<Empty title="No regression">Every row that was right is right.</Empty>}
          columns={[
            { name: 'Row', number: true, cell: ({ row }) => count(row) },
            { name: 'Question', wide: true, cell: ({ input }) => input },
            { name: 'Right answer', wide: true, cell: ({ output }) => output },
            { name: 'Before', wide: true, cell: ({ before }) => before.output },
            { name: 'Now', wide: true, cell: ({ after }) => after.error ?? after.output },
          ]}
        />
      )}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface PublishProps {
  name: string;
  version: MemoryVersion;
  onClose(): void;
  onDone(): void;
}

export function PublishVersion({ name, version: { version, facts, gate }, onClose, onDone }: PublishProps) {
  const lorekeep = useLorekeep();
  const [reason, setReason] = useState('');
  const [refused, setRefused] = useState(gate === 'fails');
  const { run, busy, error } = useAction(async () => {
    try {
      const why = { ...(reason.trim() && { reason }), ...(refused && { force: true }) };
      await lorekeep.publishMemoryVersion({ name, version, ...why });
    } catch (error) {
      if (/^gate_/.test((error as { code?: string }).code ?? '')) setRefused(true);
      throw error;
    }
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title={`Publish version ${version}?`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>
          “{name}” answers with {pluralize(facts, 'fact')} of version {version} from then on. Nothing is trained.
        </p>
        {refused && <p>The gate does not let this version through. It is published by force, with your reason.</p>}
        <TextField
          name={refused ? 'Why' : 'Why (may be empty)'}
          value={reason}
          onChange={setReason}
          required={refused}
        />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" className="grave" disabled={busy || (refused && reason.trim() === '')}>
            {refused ? 'Publish it by force' : 'Publish it'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
