// Cells of the tables in a passage, each with the names of its row and column, since a quotation of a table is one cell. A table is made
// of lines with bars, or of lines of plain text whose columns are aligned by spaces.

export interface Cell {
  /** The first cell of the row, which names it; a code with the cells that explain it: "MF-1001 Hex bolt, Stainless". */
  row: string;
  /** Other cells of the row that consist of words and may name it, too. */
  others: string[];
  /** Other cells of a number and a unit or of a code, which may tell rows of one name apart. */
  sizes: string[];
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

/** Text of a cell with its offsets in its line. */
interface Part {
  text: string;
  from: number;
  to: number;
}

const cellSeparator = ' | ';
/** Columns of plain text are at least three spaces apart, or two after a colon. */
const columnGap = /(?<=\S) {3,}(?=\S)|(?<=:) {2,}(?=\S)/gu;
const maxCells = 400;

const hasBars = (line: string): boolean => line.includes(cellSeparator);
/** Whether the line is a row of a table. */
export const isRow = (line: string): boolean => hasBars(line) || line.slice(0, 400).trim().search(columnGap) >= 0;

/** Whether the line is a label and a text, "Present:   61 members", which reads as a sentence. */
export const isLabelled = (line: string): boolean =>
  /^\s*[^:|]{1,40}: {2,}(?:\S+ {1,2})*\S+\s*$/u.test(line) && isRow(line);

/** `header` is the header row of a table that begins in an earlier passage. */
export function cellsOf(text: string, header: string | null): Cell[] {
  const found: Cell[] = [];
  let names: Part[] = [];
  let namedRows = 0;
  let at = 0;
  const lines = text.split('\n');
  for (const [line, whole] of lines.entries()) {
    const row = isRow(whole);
    const begins = row && !(isRow(lines[line - 1] ?? '') && hasBars(whole) === hasBars(lines[line - 1]!));
    const goesOn = begins && line === 0 && header !== null && header !== whole;
    const parts = row ? partsOf(whole) : [];
    if (begins) {
      const first = goesOn ? partsOf(header) : parts;
      const isHeader =
        !goesOn &&
        namesColumns(first.map(textOf), lines[line + 1]) &&
        (hasBars(whole) || first.every(({ text }) => headerTitle.test(text)));
      names = goesOn || isHeader ? first : [];
      namedRows = isHeader ? 1 : 0;
      if (isHeader && hasSecondHeaderRow(first, lines[line + 1]!)) {
        names = mergedHeader(first, partsOf(lines[line + 1]!));
        namedRows = 2;
      }
    }
    if (row && namedRows === 0 && found.length < maxCells)
      found.push(...rowCells(parts, at, line, names, hasBars(whole)));
    if (row && namedRows > 0) namedRows--;
    at += whole.length + 1;
  }
  return found;
}

/** A header of plain text: a few words that begin with a capital letter. */
const headerTitle = /^\P{L}*\p{Lu}[^,;]{0,40}$/u;
const textOf = ({ text }: Part): string => text;

/** Handles an empty first cell, which has no space before the first bar. */
function partsOf(line: string): Part[] {
  const parts: Part[] = [];
  const add = (from: number, to: number) => parts.push({ text: line.slice(from, to), from, to });
  let from = 0;
  if (hasBars(line)) {
    if (line.startsWith('| ')) {
      add(0, 0);
      from = 2;
    }
    for (let to = line.indexOf(cellSeparator, from); to >= 0; to = line.indexOf(cellSeparator, from)) {
      add(from, to);
      from = to + cellSeparator.length;
    }
    add(from, line.length);
    return parts;
  }
  from = line.length - line.trimStart().length;
  for (const mark of line.matchAll(columnGap)) {
    if (mark.index < from) continue;
    add(from, mark.index);
    from = mark.index + mark[0].length;
  }
  add(from, line.trimEnd().length);
  return parts;
}

/** A header of two rows repeats the name of the first column, since that cell spans both. */
function hasSecondHeaderRow(first: Part[], below: string): boolean {
  const second = partsOf(below);
  return (
    hasBars(below) &&
    second.length === first.length &&
    first[0]!.text.trim() !== '' &&
    second[0]!.text.trim() === first[0]!.text.trim() &&
    !second.some(({ text }) => isNumeric(text))
  );
}

const mergedHeader = (first: Part[], second: Part[]): Part[] =>
  first.map((part, at) => {
    const below = second[at]!.text.trim();
    return below === '' || below === part.text.trim() ? part : { ...part, text: `${part.text.trim()}, ${below}` };
  });

function rowCells(parts: Part[], offset: number, line: number, names: Part[], bars: boolean): Cell[] {
  const wide = names.length > 2 || (!bars && names.length === 2);
  const naming = bars ? groupColumns(names) : 1;
  const header = names.map(textOf).join(' ');
  const first = parts
    .slice(0, naming)
    .map(({ text }) => text.trim().replace(/\s*:$/, ''))
    .filter((text, at, all) => text !== '' && text !== all[at - 1])
    .join(', ');
  return parts.slice(naming).flatMap((part, index) => {
    const at = index + naming;
    const value = part.text.trim();
    if (value === '') return [];
    const above = wide ? (bars ? { name: names[at], own: true } : headerAbove(part, names)) : undefined;
    const left = parts[at - 1]!.text.trim();
    // Two tables side by side: the cell before the value names it, and one header stands above both.
    const beside = above && !above.own && /\p{L}/u.test(left) && !/\d/.test(left);
    const rest = parts.filter((_, place) => place >= naming && place !== at).map(textOf);
    return [
      {
        row: beside ? left : wide ? rowName(first, rest) : first,
        sizes: beside || !wide ? [] : rest.map((text) => text.trim()).filter((text) => sizeForm.test(text)),
        others: beside || !wide ? [] : rest.map((text) => text.trim()).filter((text) => /\p{L}{3}/u.test(text)),
        column: above?.name?.text.trim() || null,
        named: (wide && names[0]?.text.trim()) || null,
        header,
        value,
        ...{ start: offset + part.from, end: offset + part.to, line, at },
      },
    ];
  });
}

/** Number of first columns under one repeated name: a group and what is in it. */
function groupColumns(names: Part[]): number {
  const [first, second] = names.map(({ text }) => text.trim());
  return names.length > 3 && first !== '' && first === second ? 2 : 1;
}

/** The header above a column of plain text; without its own header, the nearest to its left. */
function headerAbove({ from, to }: Part, names: Part[]): { name: Part | undefined; own: boolean } {
  const own = names.find((name) => name.from < to && from < name.to);
  return own ? { name: own, own: true } : { name: names.findLast((name) => name.from < to), own: false };
}

/** A number with a unit, or a code: "50 m", "A5". A bare number is more likely a value. */
const sizeForm = /^(?:\d[\d.,]*\s?\p{L}{1,3}[²³]?|\p{L}{1,3}-?\d[\d.,]*)$/u;

const maxNameCells = 3;

/** A row whose first cell is a code is named by its first cells of words, too. */
function rowName(first: string, others: string[]): string {
  if (!/^[^\s]*\d[^\s]*$/.test(first)) return first;
  const naming = others.filter((cell) => /\p{Ll}{2}/u.test(cell) || /\d\s?x\s?\d/i.test(cell)).slice(0, maxNameCells);
  return naming.length === 0 ? first : `${first} ${naming.map((cell) => cell.trim()).join(', ')}`;
}

const isNumeric = (cell: string) => /^[^\p{L}\d]{0,3}\d[\d.,\s]*\D{0,10}$/u.test(cell) && !/^(?:19|20)\d\d$/.test(cell);

/** The first cell of a row if it is a code or a number. */
const codeOf = (line: string): string => /^[A-Z]{0,3}-?\d{1,4}$/.exec(partsOf(line)[0]!.text.trim())?.[0] ?? '';

/** Whether the first row is a header: it has names above numbers. */
function namesColumns(first: string[], next: string | undefined): boolean {
  if (next === undefined || !isRow(next)) return false;
  if (first.length > 2) return !first.slice(1).every(isNumeric) && !/:$/.test(first[0]!);
  return first.every((cell) => !/\d|:$/.test(cell)) && /\d/.test(`${partsOf(next)[1]?.text ?? ''} ${codeOf(next)}`);
}

/** A cell as text with row, column and value: "DP-40, Weight: 4.3 kg". */
export const cellText = ({ row, column, value }: Pick<Cell, 'row' | 'column' | 'value'>): string =>
  column === null ? `${row}: ${value}` : row === '' ? `${column}: ${value}` : `${row}, ${column}: ${value}`;

/** A cell as text for a reverse lookup, which asks for the row by a value: "Plan: Studio (Support: telephone)". */
export const rowText = ({ row, column, named, value }: Cell): string => {
  const name = named === null || named === '' ? row : `${named}: ${row}`;
  return column === null ? `${name} (${value})` : `${name} (${column}: ${value})`;
};
