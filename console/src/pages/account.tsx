// Page "You": sessions, password, and theme.
import type { ListSessionsAnswer } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago, browserName, formatDateTime, pluralize } from '../format.ts';
import { Choice, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { useAction, useQuery } from '../query.ts';
import { useLorekeep, useSession } from '../session.tsx';
import { applyTheme, currentTheme, type Theme } from '../theme.ts';

type SessionListed = ListSessionsAnswer['sessions'][number];

export function AccountPage() {
  const { session, lorekeep, change } = useSession();
  const sessions = useQuery('sessions', async (signal) => (await lorekeep.listSessions({ signal })).sessions);
  const [theme, setTheme] = useState(currentTheme);
  const out = useAction(async (everywhere: boolean) => {
    if (everywhere) await lorekeep.signOutEverywhere();
    else await lorekeep.signOut();
    change(null);
  });
  return (
    <Page
      title="You"
      lead={`Signed in as ${session.account.name} until ${formatDateTime(session.expires_at)}.`}
      actions={
        <>
          <button type="button" disabled={out.busy} onClick={() => out.run(true)}>
            Sign out everywhere
          </button>
          <button type="button" className="main" disabled={out.busy} onClick={() => out.run(false)}>
            Sign out
          </button>
        </>
      }
    >
      {out.error && <Problem error={out.error} />}
      <div className="columns">
        <Password onChanged={sessions.again} />
        <Card title="Theme">
          <Choice
            name="Light or dark"
            value={theme}
            onChange={(value) => {
              applyTheme(value as Theme);
              setTheme(value as Theme);
            }}
            of={[
              { value: 'system', name: 'System setting' },
              { value: 'light', name: 'Light' },
              { value: 'dark', name: 'Dark' },
            ]}
          />
        </Card>
      </div>
      <h2>Where you are signed in</h2>
      <List<SessionListed>
        what="sessions"
        asked={sessions}
        id={({ id }) => id}
        text={({ browser }) => browserName(browser)}
        empty={<Empty title="Nowhere">Sign in again.</Empty>}
        columns={[
          {
            name: 'Browser',
            cell: ({ browser, current }) => (
              <span className="row">
                {browserName(browser)} {current && <span className="pill calm">here</span>}
              </span>
            ),
          },
          { name: 'Signed in', short: true, cell: ({ created_at }) => ago(created_at) },
          { name: 'Until', short: true, cell: ({ expires_at }) => formatDateTime(expires_at) },
        ]}
      />
    </Page>
  );
}

function Password({ onChanged }: { onChanged(): void }) {
  const lorekeep = useLorekeep();
  const [present, setPresent] = useState('');
  const [next, setNext] = useState('');
  const [done, setDone] = useState<number>();
  const { run, busy, error } = useAction(async () => {
    setDone(undefined);
    const { signed_out } = await lorekeep.changePassword({ password: present, new_password: next });
    setPresent('');
    setNext('');
    setDone(signed_out);
    onChanged();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Card title="Password">
      <form className="stack" onSubmit={submit}>
        <TextField
          name="Present password"
          type="password"
          value={present}
          onChange={setPresent}
          autoComplete="current-password"
          required
        />
        <TextField
          name="New password"
          type="password"
          value={next}
          onChange={setNext}
          autoComplete="new-password"
          minLength={10}
          hint="At least 10 characters. Other browsers are signed out."
          required
        />
        {error && <Problem error={error} />}
        {done !== undefined && (
          <p className="note good" role="status">
            The password is changed; {pluralize(done, 'other session')} ended.
          </p>
        )}
        <div className="row end">
          <button type="submit" disabled={busy}>
            Change it
          </button>
        </div>
      </form>
    </Card>
  );
}
