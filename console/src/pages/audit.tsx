// Page of the audit log: who did what and when; the operator can also verify its integrity.
import type { AuditRow } from '@lorekeep/client';
import { useState } from 'react';
import { count, formatDateTime, pluralize } from '../format.ts';
import { Choice, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { useAction, usePages } from '../query.ts';
import { useLorekeep, useSession } from '../session.tsx';

const subjects = [
  'account',
  'key',
  'session',
  'password',
  'link',
  'dataset',
  'job',
  'model',
  'memory',
  'proposals',
  'index',
  'webhook',
  'audit',
];

export function AuditPage() {
  const lorekeep = useLorekeep();
  const { session } = useSession();
  const [action, setAction] = useState('');
  const [subject, setSubject] = useState('');
  const rows = usePages(`audit ${action} ${subject}`, async (after, signal) => {
    const filters = { ...(action && { action }), ...(subject && { subject }) };
    const found = await lorekeep.listAudit(
      { ...filters, limit: 200, ...(after !== undefined && { after }) },
      { signal },
    );
    return { items: found.rows, next: found.next };
  });
  return (
    <Page
      title="Audit log"
      lead="Who did what and when. Rows are never changed; each holds the hash of the one before."
      actions={
        <a className="button" href="/v1/audit/export" download="audit.jsonl">
          Export as JSON lines
        </a>
      }
    >
      {session.account.role === 'operator' && <Verify />}
      <Card title="Show">
        <div className="columns">
          <Choice
            name="About"
            value={action}
            onChange={setAction}
            of={[{ value: '', name: 'everything' }, ...subjects.map((value) => ({ value, name: value }))]}
          />
          <TextField name="Id or name, whole" value={subject} onChange={setSubject} />
        </div>
      </Card>
      <List<AuditRow>
        what="rows"
        asked={rows}
        id={({ number }) => number}
        text={({ actor, action, subject, details }) => `${actor.name} ${action} ${subject} ${JSON.stringify(details)}`}
        empty={<Empty title="No such row">Choose other filters.</Empty>}
        columns={[
          { name: 'Number', number: true, cell: ({ number }) => count(number) },
          { name: 'Time', short: true, cell: ({ time }) => formatDateTime(time) },
          { name: 'Who', long: true, cell: ({ actor }) => <Who of={actor} /> },
          { name: 'Action', short: true, cell: ({ action }) => action },
          {
            name: 'What',
            long: true,
            cell: ({ subject }) => (subject.length > 40 ? `${subject.slice(0, 16)}…` : subject),
          },
          { name: 'Details', wide: true, cell: ({ details }) => <Details of={details} /> },
        ]}
      />
    </Page>
  );
}

function Who({ of: { kind, name, key_id } }: { of: AuditRow['actor'] }) {
  return (
    <span className="stack tight">
      <strong>{name}</strong>
      {key_id !== null && <span className="quiet">{kind === 'session' ? 'in the console' : `key ${key_id}`}</span>}
    </span>
  );
}

function Details({ of }: { of: AuditRow['details'] }) {
  const filled = Object.entries(of).filter(([, value]) => value !== null && value !== '');
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return filled.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${text(value)}`).join('; ') || '–';
}

function Verify() {
  const lorekeep = useLorekeep();
  const [said, setSaid] = useState<string>();
  const { run, busy, error } = useAction(async () => {
    const { fault, rows, last } = await lorekeep.verifyAudit();
    const whole = `${pluralize(rows, 'row')}, and each matches the one before. The last: ${last?.number ?? 0}:${last?.hash ?? ''}`;
    setSaid(fault ? `Row ${fault.number} does not match: ${fault.reason}.` : whole);
  });
  return (
    <Card title="Verify the log">
      <p>
        Every row is held against the one before. Keep the last number and hash somewhere else to hold the log against
        them later.
      </p>
      {error && <Problem error={error} />}
      <div className="row">
        <button type="button" disabled={busy} onClick={run}>
          Verify
        </button>
        {said && <p role="status">{said}</p>}
      </div>
    </Card>
  );
}
