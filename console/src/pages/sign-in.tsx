// Sign-in page: by a password, or by a link that sets one.
import type { Session } from '@lorekeep/client';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { TextField } from '../parts/fields.tsx';
import { Mark } from '../parts/mark.tsx';
import { Problem, Waiting } from '../parts/states.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, useRoute } from '../route.ts';
import { anonymousClient } from '../session.tsx';

const minPasswordLength = 10;

export function SignInPages({ enter }: { enter(session: Session): void }) {
  const [first, token] = useRoute().path;
  return first === 'welcome' && token ? <Welcome token={token} enter={enter} /> : <SignIn enter={enter} />;
}

function Gate({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Lorekeep`;
  }, [title]);
  return (
    <main className="gate">
      <div className="card">
        <div className="brand">
          <Mark /> Lorekeep
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

function SignIn({ enter }: { enter(session: Session): void }) {
  const [account, setAccount] = useState('operator');
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => enter(await anonymousClient.signIn({ account, password })));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Gate title="Sign in">
      <form className="stack" onSubmit={submit}>
        <TextField name="Account" value={account} onChange={setAccount} autoComplete="username" required />
        <TextField
          name="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          required
        />
        {error && <Problem error={error} />}
        <button type="submit" className="main" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p className="hint">
        Never been here? The link that sets the first password is in the terminal where <code>./lorekeep up</code> runs.
        Whoever has forgotten theirs gets a new link from the operator, or with{' '}
        <code>./lorekeep accounts link NAME</code>.
      </p>
    </Gate>
  );
}

function Welcome({ token, enter }: { token: string; enter(session: Session): void }) {
  const link = useQuery(`link ${token}`, async (signal) => await anonymousClient.showSignInLink({ token }, { signal }));
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const { run, busy, error } = useAction(async () => {
    if (password !== again) throw new Error('The two passwords are not the same. Type the second one once more.');
    const session = await anonymousClient.redeemSignInLink({ token, password });
    go('#/');
    enter(session);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  if (link.error)
    return (
      <Gate title="This link does not work">
        <Problem error={link.error} />
        <a href="#/">Sign in with a password</a>
      </Gate>
    );
  if (!link.value)
    return (
      <Gate title="Welcome">
        <Waiting what="the link" />
      </Gate>
    );
  return (
    <Gate title="Welcome">
      <p>
        Choose the password for the account <strong>{link.value.account}</strong>. This link works once.
      </p>
      <form className="stack" onSubmit={submit}>
        <input type="text" name="account" value={link.value.account} autoComplete="username" readOnly hidden />
        <TextField
          name="New password"
          type="password"
          hint={`At least ${minPasswordLength} characters: a sentence is good.`}
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          minLength={minPasswordLength}
          required
        />
        <TextField
          name="Repeat the password"
          type="password"
          value={again}
          onChange={setAgain}
          autoComplete="new-password"
          minLength={minPasswordLength}
          required
        />
        {error && <Problem error={error} />}
        <button type="submit" className="main" disabled={busy}>
          {busy ? 'Setting it …' : 'Set the password and go on'}
        </button>
      </form>
    </Gate>
  );
}
