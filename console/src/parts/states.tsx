// Placeholders for data that is loading, empty, or not available.
import { errorInWords, type JobStatus, LorekeepError, mistakeInWords } from '@lorekeep/client';
import type { ReactNode } from 'react';
import { capital, forPeople } from '../format.ts';
import type { Query } from '../query.ts';

/** `asked`: a person has just requested it on a loaded page. */
export function Waiting({ what, asked = false }: { what: string; asked?: boolean }) {
  return (
    <div className={asked ? 'ghosts asked' : 'ghosts'} role="status" aria-label={`Waiting for ${what}`}>
      <div className="ghost" />
      <div className="ghost" />
      <div className="ghost" />
    </div>
  );
}

interface ArrivedProps<T> {
  asked: Query<T>;
  what: string;
  children(value: T): ReactNode;
}

/** Shows the requested data, or that it is loading, or why it failed. */
export function QueryResult<T>({ asked: { value, error, again }, what, children }: ArrivedProps<T>) {
  if (value !== undefined) return children(value);
  return error ? <Problem error={error} again={again} /> : <Waiting what={what} />;
}

/** The message of a refusal, with its individual mistakes. */
export function Problem({ error, again }: { error: Error; again?: () => void }) {
  const mistakes = error instanceof LorekeepError ? error.mistakes : [];
  return (
    <div className="note bad stack tight" role="alert">
      {mistakes.length > 1 ? (
        <ul>
          {mistakes.map((mistake) => (
            <li key={`${mistake.loc.join('.')} ${mistake.msg}`}>{forPeople(mistakeInWords(mistake))}</li>
          ))}
        </ul>
      ) : (
        <p>{forPeople(errorInWords(error))}</p>
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

const jobTones: Record<JobStatus, string> = {
  CREATED: 'calm',
  QUEUED: 'calm',
  'LOADING DATA': 'warm',
  'TRAINING MODEL': 'warm',
  'EVALUATING MODEL': 'warm',
  'SAVING MODEL': 'warm',
  COMPLETED: 'good',
  'PARTIALLY COMPLETED': 'warm',
  FAILED: 'bad',
  CANCELLED: '',
  'TIMED OUT': 'bad',
};
const tones: Record<string, string> = {
  ...jobTones,
  completed: 'good',
  available: 'good',
  active: 'good',
  alive: 'good',
  ready: 'good',
  starting: 'warm',
  silent: 'bad',
  draining: 'calm',
  lost: 'bad',
  done: 'good',
  delivered: 'good',
  'given up': 'bad',
  failed: 'bad',
  cancelled: '',
  queued: 'calm',
  waiting: 'calm',
  reading: 'warm',
  running: 'warm',
  downloading: 'warm',
  quantizing: 'warm',
};

/** `live` marks the state of the page's own object: screen readers announce its changes. */
export function Status({ of, live = false }: { of: string; live?: boolean }) {
  const words = capital(of.toLowerCase());
  const pill = <span className={`pill ${tones[of] ?? ''}`}>{words}</span>;
  return live ? <span role="status">{pill}</span> : pill;
}
