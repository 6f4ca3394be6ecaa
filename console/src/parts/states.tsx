// What stands where something is not there yet, not there at all, or could not be had.
import { LorekeepError } from '@lorekeep/client';
import type { ReactNode } from 'react';

/** `asked`: somebody has just asked for it on a page that is there already. */
export function Waiting({ what, asked = false }: { what: string; asked?: boolean }) {
  return (
    <div className={asked ? 'ghosts asked' : 'ghosts'} role="status" aria-label={`Waiting for ${what}`}>
      <div className="ghost" />
      <div className="ghost" />
      <div className="ghost" />
    </div>
  );
}

/** The sentence of a refusal, and each of its mistakes where there are several. */
export function Problem({ error, again }: { error: Error; again?: () => void }) {
  const mistakes = error instanceof LorekeepError ? error.mistakes : [];
  return (
    <div className="note bad stack tight" role="alert">
      {mistakes.length > 1 ? (
        <ul>
          {mistakes.map(({ loc, msg }) => (
            <li key={`${loc.join('.')} ${msg}`}>
              {loc.join('.')}: {msg}
            </li>
          ))}
        </ul>
      ) : (
        <p>{error.message}</p>
      )}
      {again && (
        <div>
          <button type="button" className="small" onClick={again}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}

const tones: Record<string, string> = {
  COMPLETED: 'good',
  completed: 'good',
  available: 'good',
  active: 'good',
  done: 'good',
  delivered: 'good',
  'given up': 'bad',
  'PARTIALLY COMPLETED': 'warm',
  FAILED: 'bad',
  failed: 'bad',
  'TIMED OUT': 'bad',
  CANCELLED: '',
  cancelled: '',
  CREATED: 'calm',
  QUEUED: 'calm',
  queued: 'calm',
  waiting: 'calm',
  reading: 'warm',
  running: 'warm',
  downloading: 'warm',
  'LOADING DATA': 'warm',
  'TRAINING MODEL': 'warm',
  'EVALUATING MODEL': 'warm',
  'SAVING MODEL': 'warm',
};

/** Of what the page is about it is `live`: readers of the screen are told when it becomes another one. */
export function Status({ of, live = false }: { of: string; live?: boolean }) {
  const words = of.charAt(0).toUpperCase() + of.slice(1).toLowerCase();
  const pill = <span className={`pill ${tones[of] ?? ''}`}>{words}</span>;
  return live ? <span role="status">{pill}</span> : pill;
}
