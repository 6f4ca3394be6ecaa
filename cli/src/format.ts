// Formats and parses numbers, times and sizes.
import { UsageError } from './exit.ts';

/** Formats seconds: 1 h 5 min, 3 min, 12 s. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const count = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** A time without fractions of a second. */
export const shortTime = (iso: string) =>
  iso
    .replace('T', ' ')
    .replace(/\.\d+/, '')
    .replace(/:\d\dZ?$/, '');

/** Parses 30s, 15m, 24h, 30d to seconds. */
export function seconds(text: string, option: string): number {
  const [, number, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  if (!number || !unit) throw new UsageError(`--${option} "${text}" is not a time; it takes 30s, 15m, 24h or 30d.`);
  return Number(number) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}

/** Parses the number of a job, a key, and so on. */
export function wholeNumber(text: string | undefined, what: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text ?? '')) throw new UsageError(`"${text}" is not the number of ${what}.`);
  return Number(text);
}
