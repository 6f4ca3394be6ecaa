// Cells of the tables of a passage, each with the name of its row and of its column: what is quoted of a table is one cell.

export interface Cell {
  /** The first cell of the row, which names it. */
  row: string;
  /** Header of the column; null where no row names the columns. */
  column: string | null;
  /** Header of the column of names. */
  named: string | null;
  /** The whole header: a table of two columns may have one or none, so it is compared and not shown. */
  header: string;
  value: string;
  /** Place of the value in the text of the passage. */
  start: number;
  end: number;
  /** Number of the row in the passage, and of the column. */
  line: number;
  at: number;
}

const between = ' | ';
export const isRow = (line: string): boolean => line.includes(between);

const maxCells = 400;

/** `header` is the row of names of a table whose beginning stands in an earlier passage. */
export function cellsOf(text: string, header: string | null): Cell[] {
  const found: Cell[] = [];
  let names: string[] = [];
  let at = 0;
  const lines = text.split('\n');
  for (const [line, whole] of lines.entries()) {
    const begins = isRow(whole) && !isRow(lines[line - 1] ?? '');
    const goesOn = begins && line === 0 && header !== null && header !== whole;
    if (begins) names = splitRow(goesOn ? header : whole);
    const isHeader = begins && !goesOn && namesColumns(names, lines[line + 1]);
    if (begins && !goesOn && !isHeader) names = [];
    if (isRow(whole) && !isHeader && found.length < maxCells) found.push(...rowCells(whole, at, line, names));
    at += whole.length + 1;
  }
  return found;
}

/** The space before the first bar is lost where the first cell is empty. */
const splitRow = (line: string) => (line.startsWith('| ') ? ` ${line}` : line).split(between);

function rowCells(whole: string, offset: number, line: number, names: string[]): Cell[] {
  const [row = '', ...values] = splitRow(whole);
  const wide = names.length > 2;
  let at = offset + row.length - (whole.startsWith('| ') ? 1 : 0);
  return values.flatMap((value, index) => {
    const start = at + between.length;
    at = start + value.length;
    if (value.trim() === '') return [];
    const column = (wide && names[index + 1]?.trim()) || null;
    const named = (wide && names[0]?.trim()) || null;
    const place = { start, end: start + value.length, line, at: index + 1 };
    return [{ row: row.trim(), column, named, header: names.join(' '), value: value.trim(), ...place }];
  });
}

/** Whether the first row of a table names its columns: no number stands below the names. */
function namesColumns(first: string[], next: string | undefined): boolean {
  if (next === undefined || !isRow(next)) return false;
  const bare = (cell: string) => /^[^\p{L}\d]{0,3}\d[\d.,\s]*\D{0,10}$/u.test(cell) && !/^(?:19|20)\d\d$/.test(cell);
  if (first.length > 2) return !first.slice(1).every(bare);
  return first.every((cell) => !/\d/.test(cell)) && /\d/.test(splitRow(next)[1] ?? '');
}

/** "DP-40, Weight: 4.3 kg": the row, the column and its value. */
export const cellText = ({ row, column, value }: Pick<Cell, 'row' | 'column' | 'value'>): string =>
  column === null ? `${row}: ${value}` : row === '' ? `${column}: ${value}` : `${row}, ${column}: ${value}`;

/** "Plan: Studio (Support: telephone)": the row is asked for by what stands in it. */
export const rowText = ({ row, column, named, value }: Cell): string => {
  const name = named === null || named === '' ? row : `${named}: ${row}`;
  return column === null ? `${name} (${value})` : `${name} (${column}: ${value})`;
};
