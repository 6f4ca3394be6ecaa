// Names of blobs. Each contains the instance id of its writer, so that a sweep spares the drafts of a server that is alive.
import { basename } from 'node:path';
import { isAlive } from '../leases/instance-id.ts';

/** Batch size, since a database statement accepts a limited number of values. */
const namesPerStatement = 1000;

export const nameOfDraft = (kind: string, instance: string, count: number): string =>
  `${kind}/${instance}-${count.toString(36)}`;

/** Whether the writer of this name is dead; `touched` is the time of its last write. */
export function isAbandoned(name: string, own: string, touched: number, now?: number): boolean {
  const file = basename(name);
  return !isAlive(file.slice(0, file.lastIndexOf('-')), own, touched, now);
}

/** Returns the names that `isKnown` does not know. */
export async function unknownNames(
  names: string[],
  isKnown: (names: string[]) => Promise<Set<string>>,
): Promise<string[]> {
  const unknown: string[] = [];
  for (let at = 0; at < names.length; at += namesPerStatement) {
    const some = names.slice(at, at + namesPerStatement);
    const known = await isKnown(some);
    unknown.push(...some.filter((name) => !known.has(name)));
  }
  return unknown;
}
