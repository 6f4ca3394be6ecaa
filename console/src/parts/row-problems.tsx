// Shows the problems of rows, each at its row.
import { LorekeepError } from '@lorekeep/client';
import { Problem } from './states.tsx';

export function RowProblems({ error }: { error: Error }) {
  const mistakes = error instanceof LorekeepError ? error.mistakes : [];
  if (mistakes.length === 0) return <Problem error={error} />;
  return (
    <div className="note bad stack tight" role="alert">
      <p>
        <strong>Nothing was stored.</strong> These rows need to be corrected:
      </p>
      <ul>
        {mistakes.map(({ loc, msg }) => (
          <li key={`${loc.join('.')} ${msg}`}>{msg}</li>
        ))}
      </ul>
    </div>
  );
}
