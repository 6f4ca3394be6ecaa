// Rows of tables in the lines of a passage: cells between bars, as the reader writes tables, or columns of plain text that are aligned
// by spaces or tabs.
import { spaced } from './found-fact.ts';

export const cellSeparator = ' | ';

export interface Row {
  line: string;
  cells: string[];
}

/** Maximum distance in characters between the start of a cell and that of its column. */
const maxColumnShift = 3;
const minTableRows = 3;
const columnGap = /(?<=\S)(?: {2,}|\s*\t\s*)(?=\S)/;

interface Line {
  line: string;
  row?: Row;
  /** A row whose cells cannot be separated. */
  isUnclear?: true;
}

/** Each line, with its cells if it is a row. */
export function rowsOf(text: string): Line[] {
  const lines = text.split('\n');
  const cells: (string[] | 'unclear' | undefined)[] = lines.map((line) =>
    line.includes(cellSeparator) ? splitCells(line) : undefined,
  );
  let begin = 0;
  for (let at = 0; at <= lines.length; at++) {
    if (at < lines.length && cells[at] === undefined && columnGap.test(lines[at]!)) continue;
    if (at - begin >= minTableRows)
      for (const [place, row] of aligned(lines.slice(begin, at)).entries()) cells[begin + place] = row ?? 'unclear';
    begin = at + 1;
  }
  return lines.map((line, at) => {
    const its = cells[at];
    if (its === undefined) return { line };
    return its === 'unclear' ? { line, isUnclear: true } : { line, row: { line, cells: its } };
  });
}

/** Restores an empty first cell, which the text of a passage has lost. */
export const splitCells = (line: string): string[] =>
  `${line.startsWith('| ') ? ' ' : ''}${line}`.split(cellSeparator).map(spaced);

interface Cell {
  text: string;
  from: number;
  to: number;
}

/** Cells of lines by the columns of the first one. A cell that reaches into the next column makes the whole row unclear. */
function aligned(lines: string[]): (string[] | undefined)[] {
  const rows = lines.map(cellsOf);
  const [first] = rows;
  return rows.map((row) => {
    const places = row.map((cell) => first!.findIndex((column) => overlaps(column, cell)));
    const inOrder = places.every((place, at) => place >= 0 && (at === 0 || place > places[at - 1]!));
    if (places[0] !== 0 || !inOrder) return undefined;
    if (row.some(({ to }, at) => to > (first![places[at]! + 1]?.from ?? Number.POSITIVE_INFINITY))) return undefined;
    return first!.map((_, place) => row[places.indexOf(place)]?.text ?? '');
  });
}

const overlaps = (column: Cell, cell: Cell): boolean =>
  Math.abs(column.from - cell.from) <= maxColumnShift || (cell.from < column.to && column.from < cell.to);

function cellsOf(line: string): Cell[] {
  const cells: Cell[] = [];
  let from = 0;
  for (const text of line.split(columnGap)) {
    const start = line.indexOf(text, from);
    cells.push({ text: spaced(text), from: start, to: start + text.length });
    from = start + text.length;
  }
  return cells;
}
