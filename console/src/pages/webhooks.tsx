// Page of webhooks, addresses that receive a message when a job ends. Their secret is shown once.
import type { CreateWebhookAnswer, Webhook } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago } from '../format.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Page } from '../parts/page.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { useAction, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

export function WebhooksPage() {
  const lorekeep = useLorekeep();
  const webhooks = useQuery('webhooks', async (signal) => (await lorekeep.listWebhooks({ signal })).webhooks);
  const [making, setMaking] = useState(false);
  const [newWebhook, setNewWebhook] = useState<CreateWebhookAnswer>();
  const [removing, setRemoving] = useState<Webhook>();
  return (
    <Page
      title="Webhooks"
      lead="Addresses of your own programs that receive a message when a tuning job ends, so that they need not poll."
      actions={
        <button type="button" className="main" onClick={() => setMaking(true)}>
          Add an address
        </button>
      }
    >
      <List<Webhook>
        what="webhooks"
        asked={webhooks}
        id={({ id }) => id}
        text={({ url }) => url}
        empty={
          <Empty title="No webhooks yet">
            Add the address of a program: whenever one of your jobs ends, it gets a message with the job’s state.
          </Empty>
        }
        columns={[
          {
            name: 'Address',
            cell: ({ id, url }) => (
              <a className="row-link" href={routeAddress('webhooks', id)}>
                {url}
              </a>
            ),
          },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
          {
            name: 'Change',
            bare: true,
            cell: (webhook) => (
              <span className="row close">
                <a className="button small" href={routeAddress('webhooks', webhook.id)}>
                  Messages<span className="seen-only"> to {webhook.url}</span>
                </a>
                <button type="button" className="small grave" onClick={() => setRemoving(webhook)}>
                  Delete<span className="seen-only"> {webhook.url}</span>
                </button>
              </span>
            ),
          },
        ]}
      />
      {making && (
        <NewWebhook
          onClose={() => setMaking(false)}
          onCreated={(webhook) => {
            setMaking(false);
            setNewWebhook(webhook);
            webhooks.again();
          }}
        />
      )}
      {newWebhook && (
        <ShownOnce
          title="The secret of this webhook"
          secret={newWebhook.secret}
          what="secret"
          about="Each message is signed with it, in the header Lorekeep-Signature: so the program knows that it comes from here."
          onClose={() => setNewWebhook(undefined)}
        />
      )}
      {removing && (
        <Confirm
          title="Delete this webhook?"
          yes="Delete it"
          onClose={() => setRemoving(undefined)}
          onYes={async () => {
            await lorekeep.deleteWebhook({ id: removing.id });
            webhooks.again();
          }}
        >
          {removing.url} is told nothing more, not even what is still to be sent.
        </Confirm>
      )}
    </Page>
  );
}

function NewWebhook({ onClose, onCreated }: { onClose(): void; onCreated(webhook: CreateWebhookAnswer): void }) {
  const lorekeep = useLorekeep();
  const [url, setUrl] = useState('');
  const { run, busy, error } = useAction(async () => onCreated(await lorekeep.createWebhook({ url: url.trim() })));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title="Add an address" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField
          name="Address"
          type="url"
          value={url}
          onChange={setUrl}
          placeholder="https://ci.example.org/tuned"
          hint="It must take POST requests from the machine that Lorekeep runs on."
          required
        />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className="main" disabled={busy || url.trim() === ''}>
            Add it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
