// Comparison of two versions of a memory: added, changed and withdrawn facts, and questions of a set with different answers.
import {
  type AnswerDifference,
  type CompareMemoryVersionsAnswer,
  type Comparison,
  type MemoryVersion,
  NotFoundError,
} from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { count, pluralize } from '../format.ts';
import { datasetChoices } from '../parts/askable.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Facts } from '../parts/page.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { useAction, usePages, useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';

interface Between {
  name: string;
  from: number;
  to: number;
}

interface Props {
  name: string;
  of: MemoryVersion;
  latest: number;
  onClose(): void;
}

export function CompareVersions({ name, of: { version, from_version }, latest, onClose }: Props) {
  const [from, setFrom] = useState(from_version ?? (version > 1 ? version - 1 : latest));
  const others = Array.from({ length: latest }, (_, at) => latest - at).filter((other) => other !== version);
  const between = { name, from, to: version };
  return (
    <Dialog title={`Version ${version} beside another`} onClose={onClose} wide>
      <Choice
        name="Compared with"
        value={String(from)}
        onChange={(value) => setFrom(Number(value))}
        of={others.map((other) => ({ value: String(other), name: `Version ${other}` }))}
      />
      <FactDifferences {...between} />
      <Answers key={from} {...between} />
      <div className="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

type FactDifference = CompareMemoryVersionsAnswer['differences'][number];

function FactDifferences({ name, from, to }: Between) {
  const lorekeep = useLorekeep();
  const found = usePages(`facts of ${name} ${from} ${to}`, async (after, signal) => {
    const asked = { name, from, to, ...(after !== undefined && { after }) };
    const { differences, next } = await lorekeep.compareMemoryVersions(asked, { signal });
    return { items: differences, next };
  });
  return (
    <List<FactDifference>
      what="different facts"
      asked={found}
      id={({ input }) => input}
      text={({ input, before, after }) => `${input} ${before ?? ''} ${after ?? ''}`}
      empty={<Empty title="The same facts">No fact was added, changed or withdrawn between them.</Empty>}
      columns={[
        { name: 'Question', wide: true, cell: ({ input }) => input },
        { name: `Version ${from}`, wide: true, cell: ({ before }) => before ?? '–' },
        { name: `Version ${to}`, wide: true, cell: ({ after }) => after ?? '–' },
      ]}
    />
  );
}

/** Value of the option for the gate's set. */
const gateOption = 'gate';

function Answers({ name, from, to }: Between) {
  const lorekeep = useLorekeep();
  const [chosen, setChosen] = useState<string>();
  const [started, setStarted] = useState<Comparison>();
  const sets = useQuery(`sets for ${name}`, async (signal) => {
    const gate = await lorekeep.showMemoryGate({ name }, { signal }).catch((error) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    const datasets = await datasetChoices(lorekeep, signal, null);
    return gate && gate.rows !== null ? [{ value: gateOption, name: 'The set of the gate' }, ...datasets] : datasets;
  });
  const set = chosen ?? sets.value?.[0]?.value;
  const { run, busy, error } = useAction(async () => {
    const dataset = set === gateOption ? {} : { dataset_id: set };
    setStarted(await lorekeep.startComparison({ name, from, to, ...dataset }));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <section className="stack" aria-label="Answers">
      <h3>Answers that differ</h3>
      {sets.error && <Problem error={sets.error} again={sets.again} />}
      {sets.value?.length === 0 && (
        <p className="hint">There is no dataset yet: upload one with questions and right answers.</p>
      )}
      {sets.value && set !== undefined && (
        <form className="stack" onSubmit={submit}>
          <Choice name="Evaluation set" value={set} onChange={setChosen} of={sets.value} />
          <div className="row end">
            <button type="submit" className="main" disabled={busy}>
              Compare answers
            </button>
          </div>
        </form>
      )}
      {error && <Problem error={error} />}
      {started && <AnswerDifferences key={started.evaluation_id} name={name} started={started} />}
    </section>
  );
}

const sides = [
  { value: '', name: 'every row that differs' },
  { value: 'before', name: 'only the earlier one right' },
  { value: 'after', name: 'only the later one right' },
  { value: 'neither', name: 'neither right' },
];

function AnswerDifferences({ name, started }: { name: string; started: Comparison }) {
  const lorekeep = useLorekeep();
  const { evaluation_id: id, from_version: from, to_version: to } = started;
  const [right, setRight] = useState('');
  const shown = useQuery(
    `comparison ${id}`,
    async (signal) => await lorekeep.showComparison({ name, id }, { signal }),
    { every: ({ status }) => (status === 'running' ? 1000 : undefined) },
  );
  const value = shown.value ?? started;
  const differences = usePages(`differences ${id} ${right} ${value.differing}`, async (after, signal) => {
    const side = right === '' ? {} : { right: right as AnswerDifference['right'] };
    const asked = { name, id, ...side, ...(after !== undefined && { after }) };
    const found = await lorekeep.listAnswerDifferences(asked, { signal });
    return { items: found.differences, next: found.next };
  });
  const { status, rows, compared, differing, differing_right: of } = value;
  const rightOf = (right: number) => `${count(right)} of ${count(compared)}`;
  return (
    <>
      {shown.error && <Problem error={shown.error} again={shown.again} />}
      {status === 'running' && (
        <p className="hint" role="status">
          {count(compared)} of {pluralize(rows, 'row')} answered by both
        </p>
      )}
      {status === 'failed' && <p className="note bad">The questions could not be asked: {value.error}</p>}
      {status === 'cancelled' && <p className="note warm">The evaluation was cancelled before its end.</p>}
      <Facts
        of={[
          [`Right in version ${from}`, rightOf(value.right_before)],
          [`Right in version ${to}`, rightOf(value.right_after)],
          ['Answers that differ', count(differing)],
          [`Only version ${from} is right`, count(of.before)],
          [`Only version ${to} is right`, count(of.after)],
        ]}
      />
      <Choice name="Rows" value={right} onChange={setRight} of={sides} />
      <List<AnswerDifference>
        what="different answers"
        asked={differences}
        id={({ row }) => row}
        text={({ input, output, before, after }) => `${input} ${output} ${before.output} ${after.output}`}
        empty={<Empty title="No such row">The versions answer these rows alike.</Empty>}
        columns={[
          { name: 'Row', number: true, cell: ({ row }) => count(row) },
          { name: 'Question', wide: true, cell: ({ input }) => input },
          { name: 'Right answer', wide: true, cell: ({ output }) => output },
          { name: `Version ${from}`, wide: true, cell: (one) => <Side one={one} side="before" /> },
          { name: `Version ${to}`, wide: true, cell: (one) => <Side one={one} side="after" /> },
        ]}
      />
    </>
  );
}

function Side({ one, side }: { one: AnswerDifference; side: 'before' | 'after' }) {
  const { output, error } = one[side];
  return (
    <span className="row">
      <span dir="auto">{error ?? output}</span>
      {one.right === side && <span className="pill good">right</span>}
    </span>
  );
}
