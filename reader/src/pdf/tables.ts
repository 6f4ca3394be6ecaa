// Tables without lines or tags: neighbouring lines whose cells begin, end or are centred at the same places.
import type { Group } from './group.ts';
import type { Line, Segment } from './lines.ts';

export interface TableRun {
  groups: Group[];
  /** The line after the last one. */
  until: number;
}

/** Tables by the line at which they begin. */
export function tableRuns(lines: Line[]): Map<number, TableRun> {
  const runs = new Map<number, TableRun>();
  let at = 0;
  while (at < lines.length) {
    const until = runFrom(lines, at);
    const rows = lines.slice(at, until);
    if (rows.filter(isRow).length >= 2) {
      runs.set(at, { groups: rowGroups(rows), until });
      at = until;
    } else at++;
  }
  return runs;
}

/** Typewriter text keeps its columns by its spaces. */
const isRow = (line: Line) => line.cells.length > 1 && !line.cells.every(({ mono }) => mono);

/** Index behind the lines that fit together. A line of one cell belongs to them where it continues a cell. */
function runFrom(lines: Line[], start: number): number {
  if (!isRow(lines[start]!)) return start;
  let last = start;
  let at = start + 1;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const row = lines[last]!;
    if ((line.baseline - lines[at - 1]!.baseline) / line.size > 4) break;
    if (isRow(line)) {
      if (!aligned(row, line)) break;
      last = at;
    } else if (!continues(row, line)) break;
  }
  return last + 1 + trailing(lines, last, at);
}

/** Continuations after the last row belong to it as long as they hang below one of its cells but the first. */
function trailing(lines: Line[], last: number, end: number): number {
  let count = 0;
  for (let at = last + 1; at < end; at++, count++) if (cellBelow(lines[last]!, lines[at]!.cells[0]!) <= 0) break;
  return count;
}

/** Two places in common, one of them not the first column; or as many as the smaller has. */
function aligned(one: Line, other: Line): boolean {
  const near = (a: Segment, b: Segment) => {
    const close = (x: number, y: number) => Math.abs(x - y) < Math.max(a.size, b.size) * 0.6;
    return close(a.x, b.x) || close(a.right, b.right) || close((a.x + a.right) / 2, (b.x + b.right) / 2);
  };
  const common = other.cells.filter((cell) => one.cells.some((above) => near(above, cell))).length;
  return common >= 2 || common >= Math.min(one.cells.length, other.cells.length);
}

function continues(row: Line, line: Line): boolean {
  return (
    (line.baseline - row.baseline) / line.size < 8 &&
    cellBelow(row, line.cells[0]!) >= 0 &&
    line.cells[0]!.mono === row.cells[0]!.mono
  );
}

/** The column of a piece of text in the row; -1 for none. */
function cellBelow(row: Line, segment: Segment): number {
  return row.cells.findIndex((cell, index) => {
    const next = row.cells[index + 1];
    return Math.abs(segment.x - cell.x) < segment.size && (!next || segment.right < next.x + segment.size * 0.5);
  });
}

function rowGroups(lines: Line[]): Group[] {
  const distances = lines
    .filter(isRow)
    .slice(1)
    .map((line, index) => line.baseline - lines.filter(isRow)[index]!.baseline);
  const tight = Math.min(...distances);
  const columns = columnsOf(lines.filter(isRow));
  const groups: Group[] = [];
  let last: Line | undefined;
  for (const line of lines) {
    const cells = cellTexts(line, columns);
    const row = groups.at(-1);
    const close =
      last !== undefined &&
      line.baseline - last.baseline < Math.max(line.size * 1.45, Math.min(tight * 0.8, line.size * 1.6));
    // Without a first cell, or close below a row that is else far from the next: more text of the same row.
    if (row && last && close && (cells[0] === '' || (!isRow(line) && tight > line.size * 1.6))) {
      for (const [index, text] of cells.entries())
        if (text) row.cells![index] = [row.cells![index], text].filter(Boolean).join(' ');
      row.lines.push(line);
    } else groups.push({ lines: [line], kind: 'row', cells, header: false, apart: 2 });
    last = line;
  }
  const [first, ...others] = groups;
  // The first row names the columns where its font is another one or where it alone has no numbers.
  const font = first!.lines[0]!.cells[0]!.font;
  const numbers = (group: Group) => group.cells!.filter((cell) => /\d/.test(cell)).length;
  first!.header =
    others.length > 0 &&
    first!.cells!.every((cell) => cell !== '') &&
    (others.every((group) => group.lines[0]!.cells[0]!.font !== font) ||
      (numbers(first!) === 0 && others.every((group) => numbers(group) > 0)));
  return groups;
}

/** Left edges of columns: the overlapping intervals in which cells of several rows stand. */
function columnsOf(rows: Line[]): { from: number; to: number }[] {
  const columns: { from: number; to: number }[] = [];
  const widest = Math.max(...rows.map(({ cells }) => cells.length));
  // Rows with the most cells tell the columns best.
  for (const row of rows.filter(({ cells }) => cells.length === widest)) {
    for (const { x, right } of row.cells) {
      const known = columns.find(({ from, to }) => x < to && right > from);
      if (known) {
        known.from = Math.min(known.from, x);
        known.to = Math.max(known.to, right);
      } else columns.push({ from: x, to: right });
    }
  }
  return columns.sort((one, other) => one.from - other.from);
}

function cellTexts(line: Line, columns: { from: number; to: number }[]): string[] {
  const texts = columns.map(() => '');
  for (const cell of line.cells) {
    let best = 0;
    let maxScore = Number.NEGATIVE_INFINITY;
    for (const [index, { from, to }] of columns.entries()) {
      const overlap = Math.min(cell.right, to) - Math.max(cell.x, from);
      if (overlap > maxScore) {
        maxScore = overlap;
        best = index;
      }
    }
    texts[best] = [texts[best], cell.text].filter(Boolean).join(' ');
  }
  return texts;
}
