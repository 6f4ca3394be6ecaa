// Figures and moments as people read them.
const number = new Intl.NumberFormat('en');
export const count = (value: number) => number.format(value);

/** `some(1, 'row')` is "1 row", `some(2, 'row')` "2 rows". */
export const some = (value: number, one: string, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function bytes(value: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  let left = value;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1000;
    at++;
  }
  return at === 0 ? some(value, 'byte') : `${left.toFixed(left < 10 ? 1 : 0)} ${units[at]}`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return 'under a second';
  if (seconds < 90) return some(Math.round(seconds), 'second');
  if (seconds < 5400) return some(Math.round(seconds / 60), 'minute');
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1).replace('.0', '')} hours`;
  return some(Math.round(seconds / 86_400), 'day');
}

export function when(moment: string): string {
  return new Date(moment).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

export function clock(moment: string): string {
  return new Date(moment).toLocaleTimeString('en-GB');
}

export function ago(moment: string): string {
  const seconds = (Date.now() - Date.parse(moment)) / 1000;
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`;
}

export const percent = (share: number) => `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)}%`;
export const short = (text: string, most = 80) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

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

/** The name by which people know a browser, told from what it says of itself; the first that fits, since most name each other. */
export function browserName(said: string): string {
  const of = (known: [pattern: RegExp, name: string][]) => known.find(([pattern]) => pattern.test(said))?.[1];
  const browser = of(browsers);
  const system = of(systems);
  if (!browser) return said ? short(said) : 'a browser that does not say what it is';
  return system ? `${browser} on ${system}` : browser;
}
