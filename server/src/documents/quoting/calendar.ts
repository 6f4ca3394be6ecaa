// Days and months in the words of a text: a range such as "Tuesday to Friday" or "Apr–Oct" is one word that stands for all within, so
// that "on Wednesdays" finds its column. In English, German, French and Spanish.

const days: string[][] = [
  'monday mon montag mo lundi lun lunes',
  'tuesday tues tue dienstag di mardi mar martes',
  'wednesday wed mittwoch mi mercredi mer miercoles',
  'thursday thurs thur thu donnerstag do jeudi jeu jueves',
  'friday fri freitag fr vendredi ven viernes',
  'saturday sat samstag sonnabend sa samedi sam sabado',
  'sunday sun sonntag so dimanche dim domingo',
].map((names) => names.split(' '));
const months: string[][] = [
  'january jan januar janvier enero',
  'february feb februar fevrier febrero',
  'march mar marz mars marzo',
  'april apr avril abril',
  'may mai mayo',
  'june jun juni juin junio',
  'july jul juli juillet julio',
  'august aug aout agosto',
  'september sept sep septembre septiembre',
  'october oct oktober okt octobre octubre',
  'november nov novembre noviembre',
  'december dec dezember dez decembre diciembre',
].map((names) => names.split(' '));

/** Abbreviations shorter than this count only within a range, since "do" and "sun" are words, too. */
const minNameLength = 4;
const weekdays = [0, 1, 2, 3, 4];
const weekend = [5, 6];

interface Members {
  kind: 'day' | 'month';
  at: number[];
}

/** Members of a day or a month by its full names, and of "weekdays" and "weekend" in the singular. */
const named = new Map<string, Members>();
for (const [at, names] of days.entries()) for (const name of full(names)) named.set(name, { kind: 'day', at: [at] });
for (const [at, names] of months.entries())
  for (const name of full(names)) named.set(name, { kind: 'month', at: [at] });
for (const name of ['weekday', 'wochentag', 'werktag']) named.set(name, { kind: 'day', at: weekdays });
for (const name of ['weekend', 'wochenende']) named.set(name, { kind: 'day', at: weekend });

function full(names: string[]): string[] {
  return names.filter((name) => name.length >= minNameLength || name === 'may' || name === 'mai');
}

const one = (lists: string[][]) => `(${lists.flat().join('|')})s?\\.?`;
const rangeOf = (lists: string[][]) =>
  new RegExp(
    String.raw`(?<!\p{L})${one(lists)}\s*(?:to|until|till|through|bis|au|à|a|al|-|–|—)\s*${one(lists)}(?!\p{L})`,
    'giu',
  );
const dayRange = rangeOf(days);
const monthRange = rangeOf(months);

/** The text, without accents, with each range as one word: "day_1_4" is Tuesday to Friday. */
export function withRanges(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const placed = (lists: string[][], name: string) => lists.findIndex((names) => names.includes(name.toLowerCase()));
  return plain
    .replace(dayRange, (_, from: string, to: string) => `day_${placed(days, from)}_${placed(days, to)}`)
    .replace(monthRange, (_, from: string, to: string) => `month_${placed(months, from)}_${placed(months, to)}`);
}

function membersOf(word: string): Members | undefined {
  // Words are compared by the thousand, and few have a low line.
  const range = word.includes('_') ? /^(day|month)_(\d+)_(\d+)$/.exec(word) : null;
  if (!range) return named.get(word);
  const kind = range[1] as Members['kind'];
  const [from, to] = [Number(range[2]), Number(range[3])];
  const size = kind === 'day' ? days.length : months.length;
  const length = ((to - from + size) % size) + 1;
  return { kind, at: Array.from({ length }, (_, more) => (from + more) % size) };
}

/** Whether all days or months of one word are among those of the other; undefined if they are no such words, or the same one. */
export function isWithin(one: string, other: string): boolean | undefined {
  const inner = membersOf(one);
  const outer = inner && membersOf(other);
  if (!outer || inner.kind !== outer.kind) return undefined;
  const [small, large] = inner.at.length <= outer.at.length ? [inner, outer] : [outer, inner];
  return small.at.every((at) => large.at.includes(at));
}

/** Whether a word in lower case names a day or a month, which is no proper name. */
export const isCalendarWord = (word: string): boolean => named.has(word) || named.has(word.replace(/s$/, ''));
