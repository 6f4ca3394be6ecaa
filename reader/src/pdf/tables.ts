// Detects tables without rules or tags: adjacent lines whose cells are aligned left, right or centred.
import type { Group } from './group.ts';
import type { Line, Segment } from './lines.ts';

export interface TableRun {
  groups: Group[];
  /** Index after the last line. */
  until: number;
}

/** Tables by the index of their first line. */
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

/** Monospaced text is skipped, since its spaces keep the columns. */
const isRow = (line: Line) => line.cells.length > 1 && !line.cells.every(({ mono }) => mono);

/** Index after the aligned lines. A line with one cell belongs to them if it continues a cell. */
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

/** Continuation lines after the last row belong to it if they are below one of its cells except the first. */
function trailing(lines: Line[], last: number, end: number): number {
  let count = 0;
  for (let at = last + 1; at < end; at++, count++) if (cellBelow(lines[last]!, lines[at]!.cells[0]!) <= 0) break;
  return count;
}

/** Whether two lines are aligned: in two columns, not only the first, or in all columns of the smaller one. */
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

/** Column of a cell; -1 if none. */
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
    // A line without a first cell, or unusually close to the row above, continues that row.
    if (row && last && close && (cells[0] === '' || (!isRow(line) && tight > line.size * 1.6))) {
      for (const [index, text] of cells.entries())
        if (text) row.cells![index] = [row.cells![index], text].filter(Boolean).join(' ');
      row.lines.push(line);
    } else groups.push({ lines: [line], kind: 'row', cells, header: false, apart: 2 });
    last = line;
  }
  const [first, ...others] = groups;
  // The first row is a header if its font differs, or if it alone has no numbers.
  const font = first!.lines[0]!.cells[0]!.font;
  const numbers = (group: Group) => group.cells!.filter((cell) => /\d/.test(cell)).length;
  first!.header =
    others.length > 0 &&
    first!.cells!.every((cell) => cell !== '') &&
    (others.every((group) => group.lines[0]!.cells[0]!.font !== font) ||
      (numbers(first!) === 0 && others.every((group) => numbers(group) > 0)));
  return groups;
}

/** Columns: overlapping horizontal intervals of cells from several rows. */
function columnsOf(rows: Line[]): { from: number; to: number }[] {
  const columns: { from: number; to: number }[] = [];
  const widest = Math.max(...rows.map(({ cells }) => cells.length));
  // Rows with the most cells define the columns best.
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
