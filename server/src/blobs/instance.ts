// Names a running server, and tells of such a name whether its process still lives. No heartbeat is written for it.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

const day = 86_400_000;

export function newInstance(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9]/g, '_')
    .slice(0, 40);
  return `${host}.${process.pid}.${randomBytes(6).toString('hex')}`;
}

/**
 * A process of this machine is asked for; one of another machine (shared storage) is believed alive for a day after its last write.
 * A process number that was given out again only delays the answer, except our own: then the name tells.
 */
export function isAlive(instance: string, own: string, lastWrite: number): boolean {
  if (instance === own) return true;
  const [host, pid] = instance.split('.');
  if (host !== own.split('.')[0]) return Date.now() - lastWrite < day;
  if (Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
