// Dialogs of the review queue: edit and accept, reject with a reason, assign.
import type { Proposal } from '@lorekeep/client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { count } from '../format.ts';
import { useAction } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { Dialog } from './dialog.tsx';
import { Choice, TextArea, TextField } from './fields.tsx';
import type { Reworded } from './reworded.tsx';
import { Problem } from './states.tsx';

interface Props {
  name: string;
  onClose(): void;
  onDone(what: string): void;
}

interface FormProps {
  title: string;
  yes: string;
  ready: boolean;
  grave?: boolean;
  act(): Promise<void>;
  onClose(): void;
  children: ReactNode;
}

function Form({ title, yes, ready, grave = false, act, onClose, children }: FormProps) {
  const { run, busy, error } = useAction(act);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {children}
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className={grave ? 'grave' : 'main'} disabled={busy || !ready}>
            {yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface AcceptProps extends Props {
  proposal: Proposal;
  reworded: Reworded[];
}

export function AcceptForm({ name, proposal, reworded, onClose, onDone }: AcceptProps) {
  const lorekeep = useLorekeep();
  const [input, setInput] = useState(proposal.input);
  const [output, setOutput] = useState(proposal.output ?? '');
  const stands = reworded.find((one) => one.stands !== null)?.stands;
  const [way, setWay] = useState<'' | 'replace' | 'beside'>(stands ? '' : 'beside');
  const withdraws = proposal.output === null;
  const act = async () => {
    const words = {
      ...{ input, ...(output.trim() !== '' && { output }) },
      ...(stands && way === 'replace' && { replaces: stands.input }),
    };
    const change = await lorekeep.acceptProposals({ name, proposals: [{ number: proposal.number, ...words }] });
    onDone(`The proposal ${proposal.number} is accepted, in the change ${change.number}.`);
  };
  return (
    <Form
      title={`Edit and accept the proposal ${proposal.number}`}
      yes="Accept it"
      ready={way !== '' && input.trim() !== '' && (withdraws || output.trim() !== '')}
      {...{ act, onClose }}
    >
      <TextField name="Question" value={input} onChange={setInput} required />
      <TextArea
        name="Answer, word for word"
        value={output}
        onChange={setOutput}
        {...(withdraws && { hint: 'Empty: the fact is withdrawn.' })}
      />
      {stands && (
        <Choice
          name="The fact that it may contradict"
          value={way}
          onChange={(value) => setWay(value as typeof way)}
          of={[
            { value: '', name: 'Decide' },
            { value: 'replace', name: 'Replace it' },
            { value: 'beside', name: 'Keep it beside' },
          ]}
          hint={`“${stands.input}” ${stands.output}`}
        />
      )}
      {proposal.quote !== null && (
        <p className="hint">
          “<bdi>{proposal.quote}</bdi>”
        </p>
      )}
    </Form>
  );
}

const named = (proposals: Proposal[]) =>
  proposals.length === 1 ? `the proposal ${proposals[0]!.number}` : `${count(proposals.length)} proposals`;

export function RejectForm({ name, proposals, onClose, onDone }: Props & { proposals: Proposal[] }) {
  const lorekeep = useLorekeep();
  const [reason, setReason] = useState('');
  const act = async () => {
    await lorekeep.rejectProposals({ name, numbers: proposals.map(({ number }) => number), reason });
    onDone(`Rejected: ${named(proposals)}.`);
  };
  return (
    <Form title={`Reject ${named(proposals)}`} yes="Reject" grave ready={reason.trim() !== ''} {...{ act, onClose }}>
      <TextField
        name="Why"
        value={reason}
        onChange={setReason}
        required
        hint="Kept with it: the same is not proposed from a document again."
      />
    </Form>
  );
}

export function AssignForm({ name, proposals, onClose, onDone }: Props & { proposals: Proposal[] }) {
  const lorekeep = useLorekeep();
  const [who, setWho] = useState(proposals[0]!.assignee ?? '');
  const act = async () => {
    const assignee = who.trim() === '' ? null : who;
    await lorekeep.assignProposals({ name, numbers: proposals.map(({ number }) => number), assignee });
    onDone(assignee === null ? `Nobody's: ${named(proposals)}.` : `For ${assignee}: ${named(proposals)}.`);
  };
  return (
    <Form title={`Assign ${named(proposals)}`} yes="Assign" ready {...{ act, onClose }}>
      <TextField name="Who" value={who} onChange={setWho} hint="Empty for nobody." />
    </Form>
  );
}
