// Cells of the tables in a passage, each with the names of its row and column, since a quotation of a table is one cell.

export interface Cell {
  /** The first cell of the row, which names it; a code with the cells that say what it stands for: "MF-1001 Hex bolt, Stainless". */
  row: string;
  /** Header of the column; null if the table has no header. */
  column: string | null;
  /** Header of the first column. */
  named: string | null;
  /** The whole header. A table of two columns may have one or not, so it is compared but not shown. */
  header: string;
  value: string;
  /** Offsets of the value in the text of the passage. */
  start: number;
  end: number;
  /** Indexes of the row in the passage, and of the column. */
  line: number;
  at: number;
}

const between = ' | ';
export const isRow = (line: string): boolean => line.includes(between);

const maxCells = 400;

/** `header` is the header row of a table that begins in an earlier passage. */
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

/** Handles an empty first cell, which has no space before the first bar. */
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
    const name = wide ? rowName(row.trim(), values.toSpliced(index, 1)) : row.trim();
    return [{ row: name, column, named, header: names.join(' '), value: value.trim(), ...place }];
  });
}

const maxNaming = 3;

/** A row whose first cell is a code is named by its first cells of words, too. */
function rowName(first: string, others: string[]): string {
  if (!/^[^\s]*\d[^\s]*$/.test(first)) return first;
  const naming = others.filter((cell) => /\p{Ll}{2}/u.test(cell) || /\d\s?x\s?\d/i.test(cell)).slice(0, maxNaming);
  return naming.length === 0 ? first : `${first} ${naming.map((cell) => cell.trim()).join(', ')}`;
}

/** Whether the first row is a header: it has names above numbers. */
function namesColumns(first: string[], next: string | undefined): boolean {
  if (next === undefined || !isRow(next)) return false;
  const bare = (cell: string) => /^[^\p{L}\d]{0,3}\d[\d.,\s]*\D{0,10}$/u.test(cell) && !/^(?:19|20)\d\d$/.test(cell);
  if (first.length > 2) return !first.slice(1).every(bare);
  return first.every((cell) => !/\d/.test(cell)) && /\d/.test(splitRow(next)[1] ?? '');
}

/** A cell as text with row, column and value: "DP-40, Weight: 4.3 kg". */
export const cellText = ({ row, column, value }: Pick<Cell, 'row' | 'column' | 'value'>): string =>
  column === null ? `${row}: ${value}` : row === '' ? `${column}: ${value}` : `${row}, ${column}: ${value}`;

/** A cell as text for a reverse lookup, which asks for the row by a value: "Plan: Studio (Support: telephone)". */
export const rowText = ({ row, column, named, value }: Cell): string => {
  const name = named === null || named === '' ? row : `${named}: ${row}`;
  return column === null ? `${name} (${value})` : `${name} (${column}: ${value})`;
};
