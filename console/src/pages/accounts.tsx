// Page of accounts for the operator: create, invite, limit, disable, delete.
import type { Account } from '@lorekeep/client';
import { type FormEvent, useRef, useState } from 'react';
import { ago, bytes, formatDateTime, pluralize } from '../format.ts';
import { Copy } from '../parts/copy.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { useAction, useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';

interface Invitation {
  name: string;
  address: string;
  until: string;
}

/** Stored amounts, shown beside their limits. */
const countLimits: [key: 'data_points' | 'requests_per_minute' | 'jobs', one: string, many: string][] = [
  ['data_points', 'fact a job', 'facts a job'],
  ['requests_per_minute', 'request a minute', 'requests a minute'],
  ['jobs', 'job at once', 'jobs at once'],
];

function Limits({ limits }: Pick<Account, 'limits'>) {
  return (
    <span className="stack tight">
      {countLimits.map(
        ([key, one, many]) => limits[key] !== null && <span key={key}>{pluralize(limits[key], one, many)}</span>,
      )}
      {countLimits.every(([key]) => limits[key] === null) && 'none'}
    </span>
  );
}

export function AccountsPage() {
  const lorekeep = useLorekeep();
  const accounts = useQuery('accounts', async (signal) => (await lorekeep.listAccounts({ signal })).accounts);
  const [making, setMaking] = useState(false);
  const [invitation, setInvitation] = useState<Invitation>();
  const shownLink = useRef<HTMLElement>(null);
  const [limiting, setLimiting] = useState<Account>();
  const [removing, setRemoving] = useState<Account>();
  const invite = useAction(async ({ id, name }: Pick<Account, 'id' | 'name'>) => {
    const { path, expires_at } = await lorekeep.createSignInLink({ id });
    setInvitation({ name, address: location.origin + path, until: expires_at });
  });
  const disable = useAction(async ({ id, disabled_at }: Account) => {
    await lorekeep.changeAccount({ id, disabled: disabled_at === null });
    accounts.again();
  });
  return (
    <Page
      title="Accounts"
      lead="Each account sees its own data, models and keys, and nobody else’s."
      actions={
        <button type="button" className="main" onClick={() => setMaking(true)}>
          Invite somebody
        </button>
      }
    >
      {[invite.error, disable.error].map((error) => error && <Problem key={error.message} error={error} />)}
      <List<Account>
        what="accounts"
        asked={accounts}
        id={({ id }) => id}
        text={({ name, role }) => `${name} ${role}`}
        empty={<Empty title="No accounts">Invite somebody.</Empty>}
        columns={[
          {
            name: 'Name',
            cell: ({ name, role, disabled_at }) => (
              <span className="row">
                <strong>{name}</strong>
                {role === 'operator' && <span className="pill calm">operator</span>}
                {disabled_at && <span className="pill bad">disabled</span>}
              </span>
            ),
          },
          {
            name: 'Stored',
            short: true,
            cell: ({ storage_used_bytes, limits }) =>
              limits.storage_bytes === null
                ? bytes(storage_used_bytes)
                : `${bytes(storage_used_bytes)} of ${bytes(limits.storage_bytes)}`,
          },
          {
            name: 'Limits',
            cell: ({ limits }) => <Limits limits={limits} />,
          },
          { name: 'Since', cell: ({ created_at }) => ago(created_at) },
          {
            name: 'Change',
            bare: true,
            cell: (account) => (
              <span className="row close">
                <button type="button" className="small" disabled={invite.busy} onClick={() => invite.run(account)}>
                  Sign-in link<span className="seen-only"> for {account.name}</span>
                </button>
                <button type="button" className="small" onClick={() => setLimiting(account)}>
                  Limits<span className="seen-only"> of {account.name}</span>
                </button>
                {account.role !== 'operator' && (
                  <>
                    <button
                      type="button"
                      className="small"
                      disabled={disable.busy}
                      onClick={() => disable.run(account)}
                    >
                      {account.disabled_at === null ? 'Disable' : 'Enable'}
                      <span className="seen-only"> {account.name}</span>
                    </button>
                    <button type="button" className="small grave" onClick={() => setRemoving(account)}>
                      Delete<span className="seen-only"> {account.name}</span>
                    </button>
                  </>
                )}
              </span>
            ),
          },
        ]}
      />
      {making && (
        <NewAccount
          onClose={() => setMaking(false)}
          onMade={(account) => {
            setMaking(false);
            accounts.again();
            invite.run(account);
          }}
        />
      )}
      {invitation && (
        <Dialog title={`A link for ${invitation.name}`} onClose={() => setInvitation(undefined)}>
          <p>
            Whoever opens it sets the password of this account, once, until {formatDateTime(invitation.until)}. Give it
            to nobody else.
          </p>
          <pre className="secret">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by the keyboard too */}
            <code tabIndex={0} ref={shownLink}>
              {invitation.address}
            </code>
          </pre>
          <div className="row end">
            <Copy text={invitation.address} what="Copy the link" textElement={shownLink} />
            <button type="button" className="main" onClick={() => setInvitation(undefined)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
      {limiting && (
        <LimitsForm
          account={limiting}
          onClose={() => setLimiting(undefined)}
          onDone={() => {
            setLimiting(undefined);
            accounts.again();
          }}
        />
      )}
      {removing && (
        <Confirm
          title={`Delete the account “${removing.name}”?`}
          yes="Delete it"
          onClose={() => setRemoving(undefined)}
          onYes={async () => {
            await lorekeep.deleteAccount({ id: removing.id });
            accounts.again();
          }}
        >
          All its keys, datasets, models and documents are gone with it.
        </Confirm>
      )}
    </Page>
  );
}

function NewAccount({ onClose, onMade }: { onClose(): void; onMade(account: Account): void }) {
  const lorekeep = useLorekeep();
  const [name, setName] = useState('');
  const { run, busy, error } = useAction(async () => onMade(await lorekeep.createAccount({ name })));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField name="Name of the account" value={name} onChange={setName} hint="Signing in asks for it." required />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className="main" disabled={busy || name.trim() === ''}>
            Make the account and a link
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const limitFields: [key: keyof Account['limits'], name: string][] = [
  ['requests_per_minute', 'Requests a minute'],
  ['data_points', 'Facts of a job'],
  ['jobs', 'Jobs at once'],
  ['storage_bytes', 'Bytes stored'],
  ['keys', 'Keys that work'],
];

function LimitsForm({ account, onClose, onDone }: { account: Account; onClose(): void; onDone(): void }) {
  const lorekeep = useLorekeep();
  const [values, setValues] = useState(() =>
    Object.fromEntries(limitFields.map(([key]) => [key, String(account.limits[key] ?? '')])),
  );
  const { run, busy, error } = useAction(async () => {
    const changes = Object.fromEntries(
      limitFields
        .filter(([key]) => values[key] !== String(account.limits[key] ?? ''))
        .map(([key]) => [key, values[key] === '' ? ('none' as const) : Number(values[key])]),
    );
    await lorekeep.changeAccount({ id: account.id, limits: changes });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title={`Limits of ${account.name}`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="hint">Empty is no limit.</p>
        {limitFields.map(([key, name]) => (
          <TextField
            key={key}
            name={name}
            inputMode="numeric"
            value={values[key] ?? ''}
            onChange={(value) => setValues({ ...values, [key]: value })}
          />
        ))}
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Leave them
          </button>
          <button type="submit" className="main" disabled={busy}>
            Set them
          </button>
        </div>
      </form>
    </Dialog>
  );
}
