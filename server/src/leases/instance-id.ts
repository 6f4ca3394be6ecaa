// Instance id of a running server, and the check whether the process of an id is still alive. It needs no heartbeat.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const dayMs = 86_400_000;

/**
 * The scope in which a process id is unique: this boot of this machine, and the PID namespace. Containers may share a host name
 * and each have a process 1.
 */
const hostScope = `${hostname()
  .replace(/[^A-Za-z0-9]/g, '_')
  .slice(0, 40)}${bootAndNamespaceHash()}`;

function bootAndNamespaceHash(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const space = readlinkSync('/proc/self/ns/pid');
    return `_${createHash('sha256')
      .update(boot + space)
      .digest('hex')
      .slice(0, 12)}`;
  } catch {
    // On systems other than Linux, the host name has to suffice.
    return '';
  }
}

export function newInstance(): string {
  return `${hostScope}.${process.pid}.${randomBytes(6).toString('hex')}`;
}

/** The host of an id, for display. */
export const hostOf = (instance: string): string => instance.split('.')[0]!.replace(/_[0-9a-f]{12}$/, '');

/** True if the process of another id is alive; undefined if this machine cannot tell. */
export function isRunning(instance: string): boolean | undefined {
  const [where, pid] = instance.split('.');
  if (where !== hostScope) return undefined;
  // An earlier process had the same process id.
  if (Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** An id that cannot be checked (shared storage, an earlier container) counts as alive for a day after its last write. */
export function isAlive(instance: string, own: string, lastWrite: number, now = Date.now()): boolean {
  return instance === own || (isRunning(instance) ?? now - lastWrite < dayMs);
}
