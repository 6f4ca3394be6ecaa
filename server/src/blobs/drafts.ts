// Names of blobs: each carries the process that wrote it, by which a sweep tells what a living server is about to finish.
import { basename } from 'node:path';
import { isAlive } from '../leases/instance-id.ts';

export const nameOfDraft = (kind: string, instance: string, count: number): string =>
  `${kind}/${instance}-${count.toString(36)}`;

/** Whether the writer of this name is no more; `touched` is when it wrote last. */
export function isLeft(name: string, own: string, touched: number, now?: number): boolean {
  const file = basename(name);
  return !isAlive(file.slice(0, file.lastIndexOf('-')), own, touched, now);
}
