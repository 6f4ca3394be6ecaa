// The session: the signed-in account and its API client.
import { Lorekeep, type Session } from '@lorekeep/client';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { Problem, Waiting } from './parts/states.tsx';

const csrfHeader = 'x-lorekeep-csrf';
/** Client for calls without a session, such as signing in. */
export const anonymousClient = new Lorekeep({ apiKey: null, retries: 0, headers: { [csrfHeader]: 'sign-in' } });

interface Signed {
  session: Session;
  lorekeep: Lorekeep;
  /** Called when the session was replaced or has ended. */
  change(session: Session | null): void;
}

const Context = createContext<Signed | null>(null);

export function useSession(): Signed {
  const signed = useContext(Context);
  if (!signed) throw new Error('Only pages of a signed-in user may use this.');
  return signed;
}
export const useLorekeep = () => useSession().lorekeep;

interface GateProps {
  /** Content before sign-in. */
  closed(enter: (session: Session) => void): ReactNode;
  children: ReactNode;
}

export function SessionGate({ closed, children }: GateProps) {
  const [session, setSession] = useState<Session | null>();
  const [error, setError] = useState<Error>();
  const ask = () => {
    setError(undefined);
    anonymousClient.showSession().then(({ session }) => setSession(session), setError);
  };
  useEffect(ask, []);

  const signed = useMemo<Signed | null>(() => {
    if (!session) return null;
    const lorekeep = new Lorekeep({
      apiKey: null,
      headers: { [csrfHeader]: session.csrf },
      onWarning: () => {},
      // The session has expired or was ended elsewhere, so the sign-in page is shown.
      fetch: async (...given) => {
        const response = await fetch(...given);
        if (response.status === 401 && (await isSessionOver(response.clone()))) setSession(null);
        return response;
      },
    });
    return { session, lorekeep, change: setSession };
  }, [session]);

  if (error)
    return (
      <Centre>
        <Problem error={error} again={ask} />
      </Centre>
    );
  if (session === undefined)
    return (
      <Centre>
        <Waiting what="Lorekeep" />
      </Centre>
    );
  if (!signed) return closed(setSession);
  return <Context.Provider value={signed}>{children}</Context.Provider>;
}

const Centre = ({ children }: { children: ReactNode }) => <main className="gate">{children}</main>;

async function isSessionOver(response: Response): Promise<boolean> {
  const body = (await response.json().catch(() => ({}))) as { code?: string };
  return body.code === 'session_over' || body.code === 'key_missing';
}
