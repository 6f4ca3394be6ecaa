// Moves a memory or a tuned model to another base or precision of the same model.
import { type FormEvent, useState } from 'react';
import { useAction, useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { canAnswer } from './askable.ts';
import { Choice } from './fields.tsx';
import { Card } from './page.tsx';
import { Problem } from './states.tsx';

interface Props {
  /** The base that it is on. */
  base: string;
  move(base: string): Promise<void>;
}

export function MoveCard({ base, move }: Props) {
  const lorekeep = useLorekeep();
  const bases = useQuery('bases to move to', async (signal) =>
    (await lorekeep.listDownloadedModels({ signal }))
      .filter((model) => canAnswer(model) && model.source !== 'upstream')
      .map(({ model_name: value, precision }) => ({
        value,
        name: precision && precision !== 'none' ? `${value} (${precision})` : value,
      })),
  );
  const [chosen, setChosen] = useState(base);
  const { run, busy, error } = useAction(async () => await move(chosen));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Card title="Move to another precision">
      <form className="stack" onSubmit={submit}>
        <p>
          Facts that are recited word for word there are taken over, the others are taught again. Choose its own base if
          that was deleted and downloaded again in another precision.
        </p>
        {bases.error && <Problem error={bases.error} again={bases.again} />}
        {bases.value && <Choice name="Base" value={chosen} onChange={setChosen} of={bases.value} />}
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="submit" disabled={busy || !bases.value}>
            Move it
          </button>
        </div>
      </form>
    </Card>
  );
}
