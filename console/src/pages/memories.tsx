// Page of memories, the named objects whose versions are tuned models.
import type { NamedMemory } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { ago, count, pluralize } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { useAction, usePages, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

export function MemoriesPage() {
  const lorekeep = useLorekeep();
  const memories = usePages(
    'memories',
    async (after, signal) => {
      const { memories, next } = await lorekeep.listMemories({ ...(after !== undefined && { after }) }, { signal });
      return { items: memories, next };
    },
    { every: (found) => (found.some(({ changes_open }) => changes_open > 0) ? 2000 : undefined) },
  );
  const [making, setMaking] = useState(false);
  return (
    <Page
      title="Memories"
      lead="A memory has a name that programs ask, and versions. Facts are added, changed and withdrawn; each change makes a version."
      actions={
        <button type="button" className="main" onClick={() => setMaking(true)}>
          Make a memory
        </button>
      }
    >
      <List<NamedMemory>
        what="memories"
        asked={memories}
        id={({ name }) => name}
        text={({ name, base_model }) => `${name} ${base_model}`}
        empty={<Empty title="No memories yet">Make one of a tuned model: its facts can be changed from then on.</Empty>}
        columns={[
          {
            name: 'Name',
            wide: true,
            cell: ({ name }) => (
              <a className="row-link" href={routeAddress('memories', name)}>
                {name}
              </a>
            ),
          },
          { name: 'Version', short: true, cell: ({ version }) => version ?? 'none yet' },
          { name: 'Facts', number: true, cell: ({ facts }) => count(facts) },
          { name: 'Open changes', number: true, cell: ({ changes_open }) => count(changes_open) },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
        ]}
      />
      {making && (
        <NewMemory
          onClose={() => setMaking(false)}
          onMade={() => {
            setMaking(false);
            memories.again();
          }}
        />
      )}
    </Page>
  );
}

function NewMemory({ onClose, onMade }: { onClose(): void; onMade(): void }) {
  const lorekeep = useLorekeep();
  const models = useQuery('tuned models', async (signal) => (await lorekeep.listTunedModels({}, { signal })).models);
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('');
  const all = models.value ?? [];
  const model = chosen || all[0]?.model_name || '';
  const { run, busy, error } = useAction(async () => {
    await lorekeep.createMemory({ name: name.trim(), model_name: model });
    onMade();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Dialog title="Make a memory" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField name="Name" value={name} onChange={setName} placeholder="such as: house-facts" required />
        <Choice
          name="Of the tuned model"
          value={model}
          onChange={setChosen}
          of={all.map((one) => ({
            value: one.model_name,
            name: `${one.custom_model_name ?? one.model_name.slice(0, 16)}, ${pluralize(one.facts, 'fact')}`,
          }))}
        />
        {models.value?.length === 0 && <p>There is no tuned model yet: tune one first.</p>}
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className="main" disabled={busy || model === '' || name.trim() === ''}>
            Make it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
