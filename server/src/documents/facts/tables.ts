// Facts of tables: the cell of a row under the name of a column. The first cell names the row.
import { asName, type FoundFact, isAttribute, isValue, type Stated, spaced, verbFor, within } from './found-fact.ts';

const between = ' | ';
const longestName = 60;
/** Columns of names; others number the rows or hold text. */
const numbering = /^(?:#|no\.?|nr\.?|number|id|index|row|line|rank|pos\.?)$/i;
const texts =
  /^(?:changes?|discussions?|history|reasons?|notes?|comments?|remarks?|descriptions?|details|explanation|meaning|examples?|links?|url|see|usage|summary)$/i;

export function tableFacts({ passage, topic }: Stated): FoundFact[] {
  return tablesOf(passage.text, passage.header).flatMap(({ columns, rows }) => {
    if (columns.length < 2 || rows.length === 0 || numbering.test(columns[0]!)) return [];
    const named = columns.map(
      (column) => (isAttribute(column) || /^default(?: value)?$/i.test(column)) && !texts.test(column),
    );
    const firsts = rows.map(({ cells }) => cells[0]!.toLowerCase());
    return rows.flatMap(({ line, cells }, at) => {
      const row = cells[0]!;
      if (
        cells.length !== columns.length ||
        firsts.indexOf(row.toLowerCase()) !== firsts.lastIndexOf(row.toLowerCase())
      )
        return [];
      const about = rowName(row, columns[0]!, topic, passage.headings);
      if (about === undefined) return [];
      return columns.slice(1).flatMap((column, place) => {
        const value = cells[place + 1]!;
        if (!named[place + 1] || !isValue(value) || value.toLowerCase() === firsts[at]) return [];
        const input = `What ${verbFor(column)} the ${within(column)} of ${about}?`;
        const quote = `${columns.join(between)}\n${line}`;
        return [{ input, output: value, subject: row, quote, page: passage.page ?? null, confidence: 0.95 }];
      });
    });
  });
}

/** A name with a capital or a figure stands by itself; a word like "timeout" needs what it belongs to. */
function rowName(row: string, column: string, topic: string | undefined, headings: string[]): string | undefined {
  if (
    row.length > longestName ||
    !/[\p{L}\p{N}]/u.test(row) ||
    /[?{}<>=;\\[\]]|^n\/a$|https?:|: |^(?:total|sum|average|all|other)s?$/i.test(row)
  )
    return undefined;
  const figure = !/\p{L}{2}/u.test(row);
  if (figure && !isAttribute(column)) return undefined;
  const name = figure ? `${within(column)} ${row}` : row;
  const alone =
    /^\p{Lu}.*[\p{L}\p{N}]{2}/u.test(row) &&
    (/\d/.test(row) || row.split(' ').length > 1) &&
    !/[#()_]|\p{Ll}\p{Lu}/u.test(row);
  if (alone) return row;
  const section = asName(headings.at(-1));
  const whole = topic;
  if (whole === undefined) return undefined;
  const around = [section, whole].filter((name, at, all) => name !== undefined && all.indexOf(name) === at);
  return `${name} in ${around.join(' of ')}`;
}

interface Table {
  columns: string[];
  rows: { line: string; cells: string[] }[];
}

/** A later part of a table has its header beside it; else the first row names the columns, where it has no figures. */
function tablesOf(text: string, header: string | undefined): Table[] {
  const tables: Table[] = [];
  let rows: Table['rows'] = [];
  let first = true;
  const close = () => {
    if (rows.length > 0) tables.push(...tableOf(rows, first ? header : undefined));
    rows = [];
    first = false;
  };
  for (const line of text.split('\n')) {
    if (line.includes(between)) rows.push({ line, cells: line.split(between).map(spaced) });
    else if (rows.length > 0 || first) close();
  }
  close();
  return tables;
}

function tableOf(rows: Table['rows'], header: string | undefined): Table[] {
  const above = header?.split(between).map(spaced);
  const known = above !== undefined && above.length === rows[0]!.cells.length && header !== rows[0]!.line;
  const columns = known ? above : rows[0]!.cells;
  const body = known ? rows : rows.slice(1);
  const names =
    columns.every((cell) => cell.length <= 40 && !/\d{2}|[.!?:,]$/.test(cell) && cell.split(' ').length <= 4) &&
    new Set(columns).size === columns.length;
  if (rows.some(({ cells }) => cells[0]!.endsWith(':'))) return [];
  return names && body.length >= (known ? 1 : 2) ? [{ columns, rows: body }] : [];
}
