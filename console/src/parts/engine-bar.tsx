// Status bar below every page while the engine is not ready, with its progress.
import { useEngine } from '../engine.ts';
import { capital } from '../format.ts';

const progressPattern = /(\d[\d,]*) of (\d[\d,]*)/;

export function EngineBar() {
  const words = useEngine();
  if (words === undefined) return null;
  const [what, ...more] = words.split(': ');
  const [, done, total] = progressPattern.exec(words) ?? [];
  return (
    <aside className="engine" aria-label="The engine">
      <p>
        <strong role="status">The engine is {what}.</strong>{' '}
        {more.length > 0 && <span>{capital(more.join(': '))}.</span>}{' '}
        <span className="hint">What needs a model waits for it; everything else can be used.</span>
      </p>
      <progress
        {...(done && total && { value: parseCount(done), max: parseCount(total) })}
        aria-label="Progress of the engine"
      />
    </aside>
  );
}

const parseCount = (text: string) => Number(text.replaceAll(',', ''));
