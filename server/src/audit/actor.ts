// The actor of a change, for the audit log: taken from the request while its handler runs, or from the command on the host.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditRow } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';

export type Actor = AuditRow['actor'];

const actorStorage = new AsyncLocalStorage<Actor>();

const server: Actor = { kind: 'server', account_id: null, name: 'server', key_id: null };
const host: Actor = { kind: 'host', account_id: null, name: 'host', key_id: null };

/** Runs work as the caller, whose changes are recorded as its own. Without a caller the actor is the server, as for public calls. */
export function actingAs<Result>(caller: Caller | null, work: () => Result): Result {
  return caller ? actorStorage.run(actorOf(caller), work) : work();
}

export const actingOnHost = <Result>(work: () => Result): Result => actorStorage.run(host, work);

export const currentActor = (): Actor => actorStorage.getStore() ?? server;

function actorOf({ account, key, sessionId }: Caller): Actor {
  const kind = sessionId === undefined ? 'key' : 'session';
  return { kind, account_id: account.id, name: account.name, key_id: key.id };
}
