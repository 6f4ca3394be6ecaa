// Joins text runs to segments (pieces of a line without a wide gap), and segments to lines.
import type { Run } from './runs.ts';

export interface Segment {
  text: string;
  x: number;
  right: number;
  top: number;
  bottom: number;
  baseline: number;
  size: number;
  font: string;
  mono: boolean;
  rtl: boolean;
  turn: Run['turn'];
  element: Run['element'];
  /** Index in drawing order. */
  order: number;
}

/** Segments of one line in reading order; a cell has wide gaps around it. */
export interface Line {
  cells: Segment[];
  x: number;
  right: number;
  top: number;
  bottom: number;
  baseline: number;
  size: number;
}

/** Gap, relative to the text size, above which it is more than a word space. */
const cellGap = 1;
const wordGap = 0.16;

/** Joins consecutively drawn runs that are adjacent. */
export function segmentsOf(runs: Run[]): Segment[] {
  const segments: Segment[] = [];
  let last: Segment | undefined;
  let spaced = false;
  let fonts = new Map<string, number>();
  for (const run of runs) {
    if (run.text === ' ') {
      spaced = true;
      continue;
    }
    const text = run.text.trim();
    if (last && follows(last, run)) {
      const gap = run.rtl && last.rtl ? last.x - (run.x + run.width) : run.x - last.right;
      const apart = spaced || run.text.startsWith(' ') || last.text.endsWith(' ') || gap > run.size * wordGap;
      last.text += (apart && !last.text.endsWith(' ') ? ' ' : '') + text + (run.text.endsWith(' ') ? ' ' : '');
      last.mono &&= run.mono;
      last.font = leading(fonts, run.font, text.length);
      last.x = Math.min(last.x, run.x);
      last.right = Math.max(last.right, run.x + run.width);
      last.top = Math.min(last.top, run.baseline - run.size * 0.8);
      last.bottom = Math.max(last.bottom, run.baseline + run.size * 0.2);
      if (run.size > last.size * 1.05)
        Object.assign(last, { size: run.size, baseline: run.baseline, font: run.font, mono: run.mono });
    } else {
      fonts = new Map([[run.font, text.length]]);
      last = {
        text: text + (run.text.endsWith(' ') ? ' ' : ''),
        x: run.x,
        right: run.x + run.width,
        top: run.baseline - run.size * 0.8,
        bottom: run.baseline + run.size * 0.2,
        baseline: run.baseline,
        size: run.size,
        font: run.font,
        mono: run.mono,
        rtl: run.rtl,
        turn: run.turn,
        element: run.element,
        order: segments.length,
      };
      segments.push(last);
    }
    spaced = false;
  }
  for (const segment of segments) segment.text = segment.text.trim();
  return segments.filter(({ text }) => text !== '');
}

/** The most common font by characters. */
function leading(fonts: Map<string, number>, font: string, length: number): string {
  fonts.set(font, (fonts.get(font) ?? 0) + length);
  return [...fonts].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function follows(last: Segment, run: Run): boolean {
  if (last.turn !== run.turn || !sameLine(last, run.baseline, run.size)) return false;
  if (last.element?.role === 'cell' && last.element !== run.element) return false;
  const size = Math.max(last.size, run.size);
  const gap = run.rtl && last.rtl ? last.x - (run.x + run.width) : run.x - last.right;
  return gap > -size * 0.5 && gap < size * cellGap;
}

/** Assigns superscripts and subscripts to the line beside them. */
function sameLine(last: { baseline: number; size: number }, baseline: number, size: number): boolean {
  const away = Math.abs(last.baseline - baseline);
  const larger = Math.max(last.size, size);
  return away < larger * (Math.min(last.size, size) < larger * 0.8 ? 0.55 : 0.3);
}

/** Groups the segments of one region into lines from top to bottom. */
export function linesOf(segments: Segment[]): Line[] {
  const lines: Segment[][] = [];
  let current: Segment[] = [];
  let leader: Segment | undefined;
  for (const segment of segments.toSorted((one, other) => one.baseline - other.baseline || one.x - other.x)) {
    if (leader && sameLine(leader, segment.baseline, segment.size)) current.push(segment);
    else {
      current = [segment];
      lines.push(current);
      leader = segment;
    }
    if (segment.size > leader.size) leader = segment;
  }
  return lines.map(lineOf).sort((one, other) => one.baseline - other.baseline);
}

export function lineOf(segments: Segment[]): Line {
  const rtl = segments.filter((segment) => segment.rtl).length * 2 > segments.length;
  const sorted = segments.toSorted((one, other) => (rtl ? other.right - one.right : one.x - other.x));
  const cells: Segment[] = [];
  for (const segment of sorted) {
    const last = cells.at(-1);
    const gap = last ? (rtl ? last.x - segment.right : segment.x - last.right) : 0;
    const sameCell = last?.element?.role !== 'cell' || last.element === segment.element;
    if (last && sameCell && gap < Math.max(last.size, segment.size) * cellGap)
      cells[cells.length - 1] = joined(last, segment, gap);
    else cells.push(segment);
  }
  const size = Math.max(...cells.map((cell) => cell.size));
  return {
    cells,
    x: Math.min(...cells.map((cell) => cell.x)),
    right: Math.max(...cells.map((cell) => cell.right)),
    top: Math.min(...cells.map((cell) => cell.top)),
    bottom: Math.max(...cells.map((cell) => cell.bottom)),
    baseline: cells.find((cell) => cell.size === size)!.baseline,
    size,
  };
}

function joined(one: Segment, other: Segment, gap: number): Segment {
  const larger = other.size > one.size ? other : one;
  return {
    ...larger,
    mono: one.mono && other.mono,
    font: one.text.length >= other.text.length ? one.font : other.font,
    text: one.text + (gap > larger.size * wordGap ? ' ' : '') + other.text,
    x: Math.min(one.x, other.x),
    right: Math.max(one.right, other.right),
    top: Math.min(one.top, other.top),
    bottom: Math.max(one.bottom, other.bottom),
    element: one.element,
    order: one.order,
  };
}

/** Text of a line, cells separated by a space. */
export const lineText = (line: Line) => line.cells.map(({ text }) => text).join(' ');
