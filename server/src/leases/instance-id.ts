// Names a running server, and tells of such a name whether its process still lives. No heartbeat is written for it.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const day = 86_400_000;

/**
 * The place in which a process number identifies a process: this machine since its start, and the PID namespace.
 * Containers may share a host name and each have a process 1.
 */
const place = `${hostname()
  .replace(/[^A-Za-z0-9]/g, '_')
  .slice(0, 40)}${numbersHere()}`;

function numbersHere(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const space = readlinkSync('/proc/self/ns/pid');
    return `_${createHash('sha256')
      .update(boot + space)
      .digest('hex')
      .slice(0, 12)}`;
  } catch {
    // No Linux: the host name has to do.
    return '';
  }
}

export function newInstance(): string {
  return `${place}.${process.pid}.${randomBytes(6).toString('hex')}`;
}

/** The host in a name, for people. */
export const hostOf = (instance: string): string => instance.split('.')[0]!.replace(/_[0-9a-f]{12}$/, '');

/** True if the process of another name lives; undefined if that cannot be told from here. */
export function lives(instance: string): boolean | undefined {
  const [where, pid] = instance.split('.');
  if (where !== place) return undefined;
  // Our number was given to a process before us.
  if (Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A name that cannot be checked (shared storage, an earlier container) is believed for a day after its last write. */
export function isAlive(instance: string, own: string, lastWrite: number, now = Date.now()): boolean {
  return instance === own || (lives(instance) ?? now - lastWrite < day);
}
