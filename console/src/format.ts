// Formats numbers, times and errors for people.
import { withoutCalls } from '@lorekeep/client';

const numberFormat = new Intl.NumberFormat('en');
export const count = (value: number) => numberFormat.format(value);

/** `pluralize(1, 'row')` is "1 row", `pluralize(2, 'row')` is "2 rows". */
export const pluralize = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`;

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function bytes(value: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  let left = value;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1000;
    at++;
  }
  return at === 0 ? pluralize(value, 'byte') : `${left.toFixed(left < 10 ? 1 : 0)} ${units[at]}`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return 'under a second';
  if (seconds < 90) return pluralize(Math.round(seconds), 'second');
  if (seconds < 5400) return pluralize(Math.round(seconds / 60), 'minute');
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1).replace('.0', '')} hours`;
  return pluralize(Math.round(seconds / 86_400), 'day');
}

export function formatDateTime(iso: string): string {
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

export function clock(iso: string): string {
  return new Date(iso).toLocaleTimeString('en-GB');
}

export function ago(iso: string): string {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`;
}

/** Percentage, rounded down: 99.96% is not shown as 100%. With a bar, it has enough digits to show on which side the share is. */
export function percent(share: number, against?: number | null): string {
  if (against != null && share === against) return bar(share);
  let digits = 1;
  while (against != null && digits < 6 && roundDown(share, digits) === roundDown(against, digits)) digits++;
  return `${roundDown(share, share === 0 || share === 1 ? 0 : digits)}%`;
}

/** A bar as a percentage with all its digits, up to six. */
export const bar = (share: number) => `${Number((share * 100).toFixed(6))}%`;

/** Corrects floating point errors below a billionth: 0.29 * 100 is 28.999999999999996. */
function roundDown(share: number, digits: number): string {
  const unit = 10 ** digits;
  const upper = share < 1 ? (100 * unit - 1) / unit : Number.POSITIVE_INFINITY;
  const lower = share > 0 ? 0 : Number.NEGATIVE_INFINITY;
  return Math.max(lower, Math.min(upper, Math.floor(share * 100 * unit + 1e-7) / unit)).toFixed(digits);
}

/** An error message without technical details such as HTTP calls. */
export const forPeople = (message: string): string =>
  withoutCalls(message) ||
  'The call failed: the server does not know it, or did not answer in time. Reload the page; the log of the server shows the reason.';
export const short = (text: string, maxLength = 80) =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;

const browsers: [pattern: RegExp, name: string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: [pattern: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** Name of a browser from its user agent. The first match counts, since most name each other. */
export function browserName(userAgent: string): string {
  const of = (known: [pattern: RegExp, name: string][]) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = of(browsers);
  const system = of(systems);
  if (!browser) return userAgent ? short(userAgent) : 'an unknown browser';
  return system ? `${browser} on ${system}` : browser;
}
