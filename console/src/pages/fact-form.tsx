// Form that adds or changes one fact of a memory. Contradictions are shown side by side, and a person decides.
import type { MemoryFact, NamedMemory } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { formatDateTime } from '../format.ts';
import {
  type Contradiction,
  compareWithMemory,
  compareWithOthers,
  type Decisions,
  type MemoryComparison,
} from '../parts/contradictions.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/fields.tsx';
import { ResolveContradictions } from '../parts/resolve-contradictions.tsx';
import { Problem } from '../parts/states.tsx';
import { useAction } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { DetailFields, type Details, detailsIn } from './fact-details.tsx';

/** The fact to change; undefined for a new one. */
export type Editing = Pick<MemoryFact, 'input' | 'output'> &
  Partial<Pick<MemoryFact, 'valid_from' | 'valid_until'>> & { isNew: boolean };

interface FormProps {
  memory: NamedMemory;
  fact: Editing;
  onClose(): void;
  onDone(): void;
}

export function FactForm({ memory: { name, version }, fact, onClose, onDone }: FormProps) {
  const lorekeep = useLorekeep();
  const [input, setInput] = useState(fact.input);
  const [output, setOutput] = useState(fact.output);
  const [reason, setReason] = useState('');
  const [details, setDetails] = useState<Details>({
    ...{ from: fact.valid_from ?? '', until: fact.valid_until ?? '' },
    ...{ kind: '', name: '', page: '', quote: '' },
  });
  const [against, setAgainst] = useState<Contradiction & Pick<MemoryComparison, 'version'>>();
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  const isBeside = against !== undefined && decisions.get(against.question)?.together !== undefined;
  const { run, busy, error } = useAction(async () => {
    if (!against && (fact.isNew || output.trim() !== fact.output.trim())) {
      const row = { row: 1, input, output };
      const held = fact.isNew
        ? await compareWithMemory(lorekeep, name, [row])
        : await compareWithOthers(lorekeep, name, row);
      const [found] = held.contradictions;
      if (found) return setAgainst({ ...found, version: held.version });
    }
    const replaces = isBeside ? undefined : (against?.stands ?? undefined);
    const seen = against ? against.version : version;
    const facts = [{ input: replaces?.input ?? input, output, ...detailsIn(details, fact) }];
    await lorekeep.changeMemory({
      name,
      ...(fact.isNew && !replaces ? { add: facts } : { change: facts }),
      ...(reason.trim() && { reason }),
      // Concurrent changes of other facts are allowed; a concurrent change of this fact is refused.
      ...((!fact.isNew || replaces) && seen !== null && { expected_version: seen }),
    });
    onDone();
  });
  const changing = (set: (text: string) => void) => (text: string) => {
    setAgainst(undefined);
    setDecisions(new Map());
    set(text);
  };
  const keeps = against !== undefined && decisions.size === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title={fact.isNew ? 'Add a fact' : 'Change this fact'} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {fact.isNew ? (
          <TextField name="Question" value={input} onChange={changing(setInput)} required />
        ) : (
          <p dir="auto">{fact.input}</p>
        )}
        <TextArea name="Answer, word for word" value={output} onChange={changing(setOutput)} />
        <DetailFields value={details} onChange={setDetails} isNew={fact.isNew} />
        <TextField name="Why (may be empty)" value={reason} onChange={setReason} />
        {against && (
          <ResolveContradictions
            of={[against]}
            decisions={decisions}
            onDecide={setDecisions}
            besideIt={fact.isNew ? undefined : 'Change it beside'}
            sourceOf={() => ({
              name: details.name.trim() || 'this form',
              date: formatDateTime(new Date().toISOString()),
            })}
          />
        )}
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button
            type="submit"
            className="main"
            disabled={busy || keeps || input.trim() === '' || output.trim() === ''}
          >
            {fact.isNew && against && !isBeside ? 'Replace it' : fact.isNew ? 'Add it' : 'Change it'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
