// Facts from tables: a cell with the names of its row and column. The first cell names the row, or a property in a table of
// properties (of the things that name its columns, or of the topic).

import { otherForms } from './forms.ts';
import {
  asName,
  type FoundFact,
  isAttribute,
  isColumn,
  isNameless,
  isValue,
  openingOf,
  type Stated,
  spaced,
  unmarked,
  verbFor,
  within,
} from './found-fact.ts';
import { isCoded, placeOf, subjectOf } from './topic.ts';

const between = ' | ';
const longestName = 60;
/** Headers of columns that only number the rows, and of columns with free text. */
const numbering = /^(?:#|no\.?|nr\.?|number|id|index|row|line|rank|pos\.?)$/i;
const texts =
  /^(?:changes?|discussions?|history|reasons?|notes?|comments?|remarks?|descriptions?|details|explanation|meaning|examples?|links?|url|see|usage|summary)$/i;
/** Headers of tables whose rows are properties instead of things. */
const properties =
  /^(?:parameters?|propert(?:y|ies)|attributes?|characteristics?|specifications?|features?|criteri(?:on|a)|quantity|technical data|)$/i;
const values = /^(?:values?|data|specifications?|details|)$/i;
/** Headers of unit columns: the values need them. */
const units = /^(?:units?|unit of measure|uom)$/i;
const bounds = /^(?:min|max|typ|nom|value|minimum|maximum|typical|nominal|limit|rating)\.?$/i;
/** Times and amounts name no thing. */
const noThing =
  /^(?:days?|weeks?|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$|^(?:up to|more than|less than|over|under|from|every|each|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hourly|once|twice|until|till|before|after|at (?:least|most)|any|all|other|none?|not|within|per|if|when|as)\b|^[<>≤≥~±]|^\d[\d.,]*(?: ?(?:to|[–-]) ?\d[\d.,]*)? ?(?:\p{Ll}+|%|°\S*)(?: |$)/iu;

/** Amounts: under a column that does not name a price, they are the price of whatever the column stands for. */
const isMoney = /^(?:[€$£]|EUR|USD|GBP|CHF)\s?\d|^\d[\d.,]*\s?(?:[€$£]|EUR|USD|GBP|CHF)/;
const isPrice =
  /pric|fee|cost|rate|charge|amount|deposit|fine|rent|salary|pay|wage|budget|total|sum|limit|value|excess|premium|surcharge|discount|tariff|fare|EUR|USD|GBP|CHF|[€$£]/i;

const isSection = /^\p{Lu}[\p{Lu}\p{N} &/,-]{1,40}$/u;

interface Table {
  columns: string[];
  /** The line of the columns, as quotes show it above a row. */
  header: string;
  rows: { line: string; cells: string[] }[];
}

export function tableFacts(stated: Stated): FoundFact[] {
  return tablesOf(stated.passage.text, stated.passage.header).flatMap((found) => {
    const table = numbering.test(found.columns[0]!) ? withoutNumbers(found) : found;
    const { columns, rows } = table;
    if (columns.length < 2 || rows.length === 0) return [];
    if (columns.some((column) => units.test(column)) && columns.some((column) => bounds.test(column))) return [];
    return properties.test(columns[0]!) ? propertyFacts(table, stated) : rowFacts(table, stated);
  });
}

/** Rows by their names instead of their numbers. */
const withoutNumbers = ({ columns, header, rows }: Table): Table => ({
  ...{ columns: columns.slice(1), header },
  rows: rows.map(({ line, cells }) => ({ line, cells: cells.slice(1) })).filter(({ cells }) => cells.length > 0),
});

function rowFacts({ columns, header, rows }: Table, { passage, topic, common }: Stated): FoundFact[] {
  const named = columns.map(
    (column) => (isColumn(column) || /^default(?: value)?$/i.test(column)) && !texts.test(column),
  );
  const firsts = rows.map(({ cells }) => cells[0]!.toLowerCase());
  return rows.flatMap(({ line, cells }, at) => {
    const row = unmarked(cells[0]!);
    // A repeated header row begins another part of the table.
    if (
      cells.length > columns.length ||
      isRepeated(firsts, at) ||
      cells.some((cell, place) => place > 0 && cell === columns[place])
    )
      return [];
    const about = rowName(row, columns[0]!, { topic, common, headings: passage.headings });
    if (about === undefined) return [];
    return columns.slice(1).flatMap((column, place) => {
      const value = unmarked(cells[place + 1] ?? '');
      if (!named[place + 1] || !isValue(value) || value.toLowerCase() === firsts[at]) return [];
      if (isMoney.test(value) && !isPrice.test(column)) return [];
      // A spanning cell describes the first of its columns, and hardly the others.
      if (cells[place + 1] === cells[place]) return [];
      const property = attributeOf(column, passage.headings.at(-1));
      const input = `${openingOf(column, value)} the ${property} of ${about}?`;
      const [quote, asked] = [`${header}\n${line}`, /\p{L}{3}/u.test(row) ? otherForms(property, row) : []];
      return [{ input, output: value, subject: row, quote, page: passage.page ?? null, confidence: 0.95, asked }];
    });
  });
}

/** The property of a generic column, by the heading: "Number" under "Telephone". */
function attributeOf(column: string, heading: string | undefined): string {
  const kind = /^\p{L}+$/u.test(heading ?? '') && !/s$/.test(heading!) ? heading!.toLowerCase() : undefined;
  return /^number$/i.test(column) && kind !== undefined ? `${kind} number` : within(column);
}

/** "Weight | 3 kg" of the topic, or "Weight | 3 kg | 4 kg" of things that the columns name. */
function propertyFacts({ columns, header, rows }: Table, { passage, topic }: Stated): FoundFact[] {
  const firsts = rows.map(({ cells }) => cells[0]!.toLowerCase());
  const places = columns.map((column, at) => {
    if (at === 0) return undefined;
    if (columns.length === 2 && values.test(column)) return placeOf(passage.headings.at(-1), topic);
    return isCoded(column) || column === topic ? `of ${column}` : undefined;
  });
  return rows.flatMap(({ line, cells }, at) => {
    const property = unmarked(cells[0]!);
    if (cells.length > columns.length || isRepeated(firsts, at) || !isColumn(property)) return [];
    return cells.flatMap((cell, column) => {
      const [place, value] = [places[column], unmarked(cell)];
      if (place === undefined || !isValue(value)) return [];
      const input = `What ${verbFor(property)} the ${within(property)} ${place}?`;
      const [subject, quote] = [subjectOf(place), `${header}\n${line}`];
      const asked = place.startsWith('of ') ? otherForms(within(property), subject) : [];
      return [{ input, output: value, subject, quote, page: passage.page ?? null, confidence: 0.95, asked }];
    });
  });
}

const isRepeated = (all: string[], at: number): boolean => all.indexOf(all[at]!) !== all.lastIndexOf(all[at]!);

/** The subject of a row. A name suffices by itself; an ordinary word like "timeout" or "Service charge" needs its section and topic. */
function rowName(
  row: string,
  column: string,
  { topic, common, headings }: { topic: string | undefined; common: Set<string>; headings: string[] },
): string | undefined {
  if (
    row.length > longestName ||
    !/[\p{L}\p{N}]/u.test(row) ||
    /[?{}<>=;\\[\]]|^n\/a$|https?:|: |^(?:(?:sub)?total|sum|average|all|other|ditto.*|same.*)s?$/i.test(row) ||
    noThing.test(row)
  )
    return undefined;
  const figure = !/\p{L}{2}/u.test(row);
  if (figure && !isAttribute(column)) return undefined;
  const name = figure ? `${within(column)} ${row}` : row;
  // Short codes like "P1" and "A4" are unique only within their document.
  const isWhole = isCoded(row) ? row.length > 3 : isProper(row, common) || isNamedKind(row, headings.at(-1), common);
  if (!/[#()_]|\p{Ll}\p{Lu}/u.test(row) && isWhole) return row;
  if (topic === undefined) return undefined;
  // A heading "Valves" above a table of valves adds nothing.
  const kinds = new Set([column, `${column}s`, `${column}es`].map((kind) => kind.toLowerCase()));
  const around = [sectionName(headings.at(-1)), topic].filter(
    (name, at, all) => name !== undefined && all.indexOf(name) === at,
  );
  if (!around.every((name) => kinds.has(name!.toLowerCase()))) return `${name} in ${around.join(' of ')}`;
  return /^\p{Lu}.* /u.test(name) ? name : undefined;
}

/** A section that is an activity, such as "Shipping", is one as well. */
const sectionName = (heading: string | undefined): string | undefined =>
  asName(heading) ?? (/^\p{Lu}\p{L}+ing$/u.test(heading ?? '') && !isNameless(heading!) ? heading : undefined);

/** Words before a noun that describe one of many, instead of naming it. */
const describes =
  /^(?:large|small|medium|big|little|tall|short|long|wide|narrow|round|square|oval|flat|deep|high|low|single|double|triple|twin|first|second|third|new|old|used|standard|basic|premium|special|extra|spare|adult|child|family|full|half|whole|wooden|steel|glass|plastic|paper|metal|leather|red|blue|green|white|black|yellow|grey|gray|brown|clear|dark|light|hot|cold|fresh|dry|main|front|rear|left|right|upper|lower|inner|outer|day|night|weekly|monthly|annual|simple|other|mixed|heavy)$/i;

/** Whether the section names the kind of the row, and its other words are a name: "Fjord bowl" under "Bowls". */
function isNamedKind(row: string, heading: string | undefined, common: Set<string>): boolean {
  const words = row.split(' ');
  const [kind, first] = [words.at(-1)!.toLowerCase(), words[0]!];
  const kinds = [`${kind}s`, `${kind}es`, kind.replace(/y$/, 'ies')];
  if (words.length < 2 || !kinds.includes((heading ?? '').toLowerCase()) || !/^\p{Lu}\p{Ll}/u.test(first)) return false;
  return !describes.test(first) && !common.has(first.toLowerCase());
}

/** Whether a text is a name, like "Helen Marsh" or "Larkspur Basic": capitals after the first word, of words never in lower case. */
function isProper(name: string, common: Set<string>): boolean {
  const capitals = name.split(' ').filter((word) => /^\p{Lu}\p{L}/u.test(word));
  return capitals.length > 1 && !capitals.slice(1).some((word) => common.has(word.toLowerCase()));
}

/** The header: stored with a later part of a table, else the first row if it has no figures. */
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
    if (line.includes(between)) rows.push({ line, cells: cellsOf(line) });
    // A line in capitals between rows is the title of a section of the table.
    else if ((rows.length > 0 || first) && !(isSection.test(line) && (rows.length > 0 || header !== undefined)))
      close();
  }
  close();
  return tables;
}

/** Restores an empty first cell, which the text of a passage has lost. */
const cellsOf = (line: string): string[] => `${line.startsWith('| ') ? ' ' : ''}${line}`.split(between).map(spaced);

function tableOf(rows: Table['rows'], header: string | undefined): Table[] {
  const above = header === undefined ? undefined : cellsOf(header);
  const known = above !== undefined && above.length === rows[0]!.cells.length && header !== rows[0]!.line;
  const columns = known ? above : rows[0]!.cells;
  const body = known ? rows : rows.slice(1);
  const names =
    columns.every(
      (cell) => cell.length <= 40 && !/^[\d.,\s%€$£-]*\d{2}|[!?:,]$/.test(cell) && cell.split(' ').length <= 4,
    ) && new Set(columns).size === columns.length;
  if (rows.some(({ cells }) => cells[0]!.endsWith(':'))) return [];
  return names && body.length >= (known ? 1 : 2) ? [{ columns, header: columns.join(between), rows: body }] : [];
}
