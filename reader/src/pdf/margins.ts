// Removes running heads and page numbers: text in the margin that repeats at the same position on a neighbouring page, with equal
// numbers or with page numbers. Lines that differ by other numbers are kept.
import type { Segment } from './lines.ts';

export interface PageSegments {
  number: number;
  width: number;
  height: number;
  segments: Segment[];
}

/** Height of a margin as a share of the page height. */
const marginShare = 0.12;
/** Maximum lines per edge, since a page of few words is not all margin. */
const maxLines = 3;

/** Returns the page without running heads. Two pages before and after are compared, since left and right pages may differ. */
export function withoutMargins(page: PageSegments, neighbours: PageSegments[]): Segment[] {
  const known = new Map<string, { numbers: number[]; page: number }[]>();
  const counting = new Set<number>();
  for (const other of neighbours) {
    for (const line of marginLines(other)) {
      const { place, numbers } = signature(line, other);
      known.set(place, [...(known.get(place) ?? []), { numbers, page: other.number }]);
      for (const ahead of aheadOf(line, other)) counting.add(ahead);
    }
  }
  const isKnown = (line: Segment[]) => {
    const { place, numbers } = signature(line, page);
    return (known.get(place) ?? []).some((other) =>
      numbers.every((number, at) => {
        const further = number - other.numbers[at]!;
        return further === 0 || further === page.number - other.page;
      }),
    );
  };
  const isNumber = (line: Segment[]) =>
    line.length === 1 &&
    /^[\divxlc.–-]+$/i.test(line[0]!.text) &&
    aheadOf(line, page).some((ahead) => counting.has(ahead));
  const dropped = marginLines(page).filter((line) => isKnown(line) || isNumber(line));
  const gone = new Set(dropped.flat());
  return page.segments.filter((segment) => !gone.has(segment));
}

/** Differences between the numbers at the ends of a line and the page index. They are constant for page numbers. */
function aheadOf(line: Segment[], page: PageSegments): number[] {
  const text = line.map((segment) => segment.text).join(' ');
  const ends = [/^\D{0,3}([\divxlc]+)\b/i.exec(text)?.[1], /\b([\divxlc]+)\D{0,3}$/i.exec(text)?.[1]];
  return ends.flatMap((end) => {
    const number = end === undefined ? undefined : /^\d{1,5}$/.test(end) ? Number(end) : roman(end);
    return number === undefined ? [] : [number - page.number];
  });
}

function roman(text: string): number | undefined {
  const values: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
  const digits = Array.from(text.toLowerCase(), (letter) => values[letter]);
  if (digits.some((digit) => digit === undefined)) return undefined;
  return digits.reduce<number>((sum, digit, at) => sum + (digit! < (digits[at + 1] ?? 0) ? -digit! : digit!), 0);
}

/** The outermost lines as segments. */
function marginLines({ segments, height }: PageSegments): Segment[][] {
  const lines = new Map<number, Segment[]>();
  for (const segment of segments) {
    if (segment.turn !== 0) continue;
    if (segment.baseline > height * marginShare && segment.baseline < height * (1 - marginShare)) continue;
    const key = Math.round(segment.baseline);
    lines.set(key, [...(lines.get(key) ?? []), segment]);
  }
  const sorted = [...lines].sort(([one], [other]) => one - other).map(([, line]) => line);
  const upper = sorted.filter(([first]) => first!.baseline < height / 2).slice(0, maxLines);
  const lower = sorted.filter(([first]) => first!.baseline >= height / 2).slice(-maxLines);
  return [...upper, ...lower].filter((line) => line.length < 10 && isRunning(line));
}

/** Whether a line has words or a single number. Several numbers are a table row that continues across pages. */
const isRunning = (line: Segment[]) => line.length === 1 || line.some(({ text }) => /\p{L}{2}/u.test(text));

/** Key of a line: its text without numbers and its height. The horizontal position may vary. */
function signature(line: Segment[], { height }: PageSegments): { place: string; numbers: number[] } {
  const segments = line
    .map(({ text }) => ({ text, masked: text.replace(/\d+/g, '#').toLowerCase() }))
    .sort((one, other) => (one.masked < other.masked ? -1 : one.masked > other.masked ? 1 : 0));
  const text = segments.map(({ masked }) => masked).join(' ');
  return {
    place: `${text}@${Math.round((line[0]!.baseline / height) * 200)}`,
    numbers: segments.flatMap(({ text }) => (text.match(/\d+/g) ?? []).map(Number)),
  };
}
