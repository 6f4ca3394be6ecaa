// Processor time in seconds of a process and of all its descendants, ended ones included: read from /proc.
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

export function processorSeconds(pid: number): number {
  const children = new Map<number, number[]>();
  const own = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program is in parentheses and may contain any character.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const parent = Number(fields[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
      // utime, stime, and those of ended children
      own.set(
        Number(name),
        fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
      );
    } catch {
      // gone meanwhile
    }
  }
  const total = (one: number): number =>
    (own.get(one) ?? 0) + (children.get(one) ?? []).reduce((sum, child) => sum + total(child), 0);
  return total(pid) / ticksPerSecond;
}
