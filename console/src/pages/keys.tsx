// Page of API keys: create (shown once) with scopes and expiry, rotate, revoke, and code snippets.
import type { Key, NewKey } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago, formatDateTime } from '../format.ts';
import { Snippet } from '../parts/copy.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Check, Choice, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Page } from '../parts/page.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Empty, Problem, Status } from '../parts/states.tsx';
import { useAction, usePages } from '../query.ts';
import { useLorekeep } from '../session.tsx';

type Scope = Key['scopes'][number];
const scopes: [scope: Scope, means: string][] = [
  ['read', 'look at datasets, jobs, models and indexes'],
  ['infer', 'ask models and documents'],
  ['tune', 'send data, tune, make indexes'],
  ['admin', 'everything, keys too'],
];
const lifetimes = [
  { value: '', name: 'Never' },
  { value: '7', name: 'In a week' },
  { value: '30', name: 'In 30 days' },
  { value: '90', name: 'In 90 days' },
  { value: '365', name: 'In a year' },
];

export function KeysPage() {
  const lorekeep = useLorekeep();
  const keys = usePages('keys', async (after, signal) => {
    const { keys, next } = await lorekeep.listKeys({ ...(after !== undefined && { after }) }, { signal });
    return { items: keys, next };
  });
  const [making, setMaking] = useState(false);
  const [newKey, setNewKey] = useState<NewKey & { about?: string }>();
  const [revoking, setRevoking] = useState<Key>();
  const rotate = useAction(async (id: number) => {
    setNewKey({ ...(await lorekeep.rotateKey({ id })), about: 'The old one goes on working for a day.' });
    keys.again();
  });
  const onCreated = (key: NewKey) => {
    setMaking(false);
    setNewKey(key);
    keys.again();
  };
  return (
    <Page
      title="Keys"
      lead="Programs call Lorekeep with a key. People sign in here instead."
      actions={
        <button type="button" className="main" onClick={() => setMaking(true)}>
          Make a key
        </button>
      }
    >
      {rotate.error && <Problem error={rotate.error} />}
      <List<Key>
        what="keys"
        asked={keys}
        id={({ id }) => id}
        text={({ name, prefix, scopes, status }) => `${name} ${prefix} ${scopes.join(' ')} ${status}`}
        empty={<Empty title="No keys yet">Make one for each program: so each can be taken away alone.</Empty>}
        columns={[
          {
            name: 'Name',
            wide: true,
            cell: ({ name, prefix }) => (
              <span className="stack tight">
                <strong>{name}</strong>
                <code className="quiet">{prefix}…</code>
              </span>
            ),
          },
          { name: 'May', short: true, cell: ({ scopes }) => scopes.join(', ') },
          { name: 'State', short: true, cell: ({ status }) => <Status of={status} /> },
          {
            name: 'Expires',
            short: true,
            cell: ({ expires_at }) => (expires_at === null ? 'never' : formatDateTime(expires_at)),
          },
          {
            name: 'Last used',
            short: true,
            cell: ({ last_used_at }) => (last_used_at === null ? 'never' : ago(last_used_at)),
          },
          {
            name: 'Change',
            bare: true,
            cell: (key) =>
              key.status === 'active' && (
                <span className="row close">
                  <button type="button" className="small" disabled={rotate.busy} onClick={() => rotate.run(key.id)}>
                    Rotate<span className="seen-only"> {key.name}</span>
                  </button>
                  <button type="button" className="small grave" onClick={() => setRevoking(key)}>
                    Revoke<span className="seen-only"> {key.name}</span>
                  </button>
                </span>
              ),
          },
        ]}
      />
      <Snippets />
      {making && <NewKeyForm onClose={() => setMaking(false)} onMade={onCreated} />}
      {newKey && (
        <ShownOnce
          title={`The key “${newKey.name}”`}
          secret={newKey.key}
          what="key"
          {...(newKey.about && { about: newKey.about })}
          onClose={() => setNewKey(undefined)}
        />
      )}
      {revoking && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          yes="Revoke it"
          onClose={() => setRevoking(undefined)}
          onYes={async () => {
            await lorekeep.revokeKey({ id: revoking.id });
            keys.again();
          }}
        >
          Whatever uses it stops working at once, and it cannot be brought back.
        </Confirm>
      )}
    </Page>
  );
}

function NewKeyForm({ onClose, onMade }: { onClose(): void; onMade(key: NewKey): void }) {
  const lorekeep = useLorekeep();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Scope[]>(['read', 'infer', 'tune']);
  const [days, setDays] = useState('');
  const { run, busy, error } = useAction(async () => {
    const expires_at = days === '' ? undefined : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
    onMade(await lorekeep.createKey({ name, scopes: chosen, ...(expires_at && { expires_at }) }));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField name="Name" value={name} onChange={setName} placeholder="such as: intranet search" required />
        <fieldset className="stack tight">
          <legend>It may</legend>
          {scopes.map(([scope, means]) => (
            <Check
              key={scope}
              checked={chosen.includes(scope)}
              onChange={(on) => setChosen(on ? [...chosen, scope] : chosen.filter((one) => one !== scope))}
            >
              <strong>{scope}</strong>: {means}
            </Check>
          ))}
        </fieldset>
        <Choice name="Expires" value={days} onChange={setDays} of={lifetimes} />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className="main" disabled={busy || chosen.length === 0}>
            Make it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Snippets() {
  const base = location.origin;
  const [kind, setKind] = useState<keyof typeof texts>('curl');
  const texts = {
    curl: `export LOREKEEP_API_KEY=lk_...
curl ${base}/v1/completions \\
  -H "Authorization: Bearer $LOREKEEP_API_KEY" -H "Content-Type: application/json" \\
  -d '{"model_name": "lorekeep/quill", "prompt": "Who approves travel?", "max_tokens": 50}'`,
    Python: `import lamini  # pip install lamini

lamini.api_url = "${base}"
lamini.api_key = "lk_..."
print(lamini.Lamini(model_name="lorekeep/quill").generate("Who approves travel?", max_new_tokens=50))`,
    TypeScript: `import { Lorekeep } from '@lorekeep/client'; // npm install @lorekeep/client

const lorekeep = new Lorekeep({ baseUrl: '${base}', apiKey: process.env.LOREKEEP_API_KEY });
console.log(await lorekeep.complete({ model_name: 'lorekeep/quill', prompt: 'Who approves travel?', max_tokens: 50 }));`,
    'OpenAI client': `from openai import OpenAI  # pip install openai

client = OpenAI(base_url="${base}/v1", api_key="lk_...")
answer = client.chat.completions.create(
    model="lorekeep/quill", messages=[{"role": "user", "content": "Who approves travel?"}], max_tokens=50
)
print(answer.choices[0].message.content)`,
  };
  return (
    <Card title="How to use a key">
      <fieldset className="row">
        <legend className="seen-only">Language</legend>
        {(Object.keys(texts) as (keyof typeof texts)[]).map((one) => (
          <button
            key={one}
            type="button"
            className={one === kind ? 'small main' : 'small'}
            aria-pressed={one === kind}
            onClick={() => setKind(one)}
          >
            {one}
          </button>
        ))}
      </fieldset>
      <Snippet text={texts[kind]} />
    </Card>
  );
}
