// Facts from tables: a cell with the names of its row and column. The first cell names the row, or a property in a table of
// properties (of the things that name its columns, or of the topic).

import { cellSeparator, type Row, rowsOf, splitCells } from './columns.ts';
import { otherForms } from './forms.ts';
import {
  asName,
  type FoundFact,
  isAttribute,
  isColumn,
  isDays,
  isNameless,
  isOffice,
  isPerson,
  isRole,
  isValue,
  questionFor,
  type Stated,
  within,
  withoutFootnoteMarks,
} from './found-fact.ts';
import type { Language } from './language.ts';
import { forVariant, priceIn, variantColumns } from './prices.ts';
import { hoursOn, isCoded, placeOf, subjectOf } from './topic.ts';

const maxNameLength = 60;
/** Headers of columns that only number the rows, and of columns with free text. */
const numbering =
  /^(?:#|no\.?|nr\.?|number|id|index|row|line|rank|pos\.?|qty\.?|quantity|pcs\.?|pieces|anzahl|menge|stück)$/i;
const freeTextColumn =
  /^(?:changes?|discussions?|history|reasons?|notes?|comments?|remarks?|descriptions?|details|explanation|meaning|examples?|links?|url|see|usage|summary)$/i;
/** Headers of tables whose rows are properties instead of things. */
const properties =
  /^(?:parameters?|propert(?:y|ies)|attributes?|characteristics?|specifications?|features?|criteri(?:on|a)|quantity|technical data|)$/i;
const values = /^(?:values?|data|specifications?|details|)$/i;
/** Headers of unit columns, which qualify the values. The unit of a price is the quantity that it is for. */
const units = /^(?:units?|unit of measure|uom|per|sold (?:by|per)|basis|einheit|unité)$/i;
/** Columns to which a unit does not apply. */
const unitless =
  /code|no\.?$|number|name|model|type|colou?r|material|item|pack|qty|quantity|moq|make|^(?:size|class|group)$/i;
const bounds = /^(?:min|max|typ|nom|value|minimum|maximum|typical|nominal|limit|rating)\.?$/i;
const ofDays = /^(?:days?|weekdays?|dates?|when|)$/i;
/** Times and amounts name no thing. */
const noThing =
  /^(?:days?|weeks?|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$|^(?:up to|more than|less than|over|under|from|every|each|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hourly|once|twice|until|till|before|after|at (?:least|most)|any|all|other|none?|not|within|per|if|when|as)\b|^[<>≤≥~±]|^\d[\d.,]*(?: ?(?:to|[–-]) ?\d[\d.,]*)? ?(?:\p{Ll}+|%|°\S*)(?:[ ,]|$)/iu;

/** Amounts of money: in a column whose header names no price, they are the price of the thing that it names. */
const isMoney = /^(?:[€$£]|EUR|USD|GBP|CHF)\s?\d|^\d[\d.,]*\s?(?:[€$£]|EUR|USD|GBP|CHF)/;
const isPrice =
  /pric|fee|cost|rate|charge|amount|deposit|fine|rent|salary|pay|wage|budget|total|sum|limit|value|excess|premium|surcharge|discount|tariff|fare|EUR|USD|GBP|CHF|[€$£]/i;

const isSection = /^\p{Lu}[\p{Lu}\p{N} &/,–-]{1,40}(?: \(.*\))?$/u;

interface Table {
  /** Empty in a table without a header. */
  columns: string[];
  /** The line of the columns, as quotes show it above a row. */
  header: string;
  rows: Row[];
}

export function tableFacts(stated: Stated): FoundFact[] {
  return tablesOf(stated.passage.text, stated.passage.header).flatMap((found) => {
    if (found.columns.length === 0) return pairFacts(found, stated);
    const table = numbering.test(found.columns[0]!) ? withoutNumbers(found) : found;
    const { columns, rows } = table;
    if (columns.length < 2 || rows.length === 0) return [];
    if (columns.some((column) => units.test(column)) && columns.filter((column) => bounds.test(column)).length > 1)
      return [];
    return properties.test(columns[0]!) || isTransposed(table) ? propertyFacts(table, stated) : rowFacts(table, stated);
  });
}

/** "Item | Inverter | Battery" above "Weight", "Power" and "Place": properties of the things that name the columns. */
const isTransposed = ({ columns, rows }: Table): boolean =>
  columns.length > 2 &&
  /^(?:items?|data|key|)$/i.test(columns[0]!) &&
  rows.filter(({ cells }) => thingProperty.test(cells[0]!)).length > 1;
const thingProperty =
  /^(?:make|maker|manufacturer|model|type|serial|place|location|weight|power|size|dimensions|voltage|current|capacity|price|colou?r|year|built|width|height|length|depth|diameter|speed|material|warranty|efficiency|temperature|range|noise|pressure|seats|beds|area|rent|volume)\b/i;

/** Rows by their names instead of their numbers. */
const withoutNumbers = ({ columns, header, rows }: Table): Table => ({
  ...{ columns: columns.slice(1), header },
  rows: rows.map(({ line, cells }) => ({ line, cells: cells.slice(1) })).filter(({ cells }) => cells.length > 0),
});

function rowFacts(table: Table, stated: Stated): FoundFact[] {
  const { columns, header, rows } = namedByDescription(table);
  const { passage, language } = stated;
  const asks = columns.map((column) => isColumn(column) || /^default(?: value)?$/i.test(column));
  const body = rows.map(({ cells }) => cells);
  const variants = variantColumns(columns, body, stated);
  const firsts = rows.map(({ cells }) => cells[0]!.toLowerCase());
  return rows.flatMap(({ line, cells }, at) => {
    const row = withoutFootnoteMarks(cells[0]!);
    // A repeated header row begins another part of the table.
    if (
      cells.length > columns.length ||
      isRepeated(firsts, at) ||
      cells.some((cell, place) => place > 0 && cell === columns[place])
    )
      return [];
    const about = rowName(row, columns[0]!, stated);
    if (about === undefined) return [];
    return columns.slice(1).flatMap((column, place) => {
      const value = withoutFootnoteMarks(cells[place + 1] ?? '');
      const isVariant = variants.has(place + 1);
      if (!isVariant && (!asks[place + 1] || freeTextColumn.test(column))) return [];
      if (!isValue(value) || value.toLowerCase() === firsts[at]) return [];
      if (!isVariant && isMoney.test(value) && !isPrice.test(column)) return [];
      // A spanning cell describes the first of its columns, and hardly the others.
      if (!isVariant && cells[place + 1] === cells[place]) return [];
      const property = withUnit(attributeOf(column, passage.headings.at(-1), language), value, unitOf(columns, cells));
      if (property === undefined) return [];
      const input = isVariant ? priceQuestion(column, about, stated) : questionFor(property, value, about, language);
      const [quote, isWord] = [`${header}\n${line}`, /\p{L}{3}/u.test(row)];
      const asked = isWord && language === 'english' && !isVariant ? otherForms(property, row) : [];
      return [{ input, output: value, subject: row, quote, page: passage.page ?? null, confidence: 0.95, asked }];
    });
  });
}

const unitOf = (columns: string[], cells: string[]): string | undefined => {
  const place = columns.findIndex((column) => units.test(column));
  return place < 0 ? undefined : (cells[place] ?? '');
};

/** "weight in kg", "price per pair": a bare figure with the unit in another column. Undefined if the unit is missing. */
function withUnit(property: string, value: string, unit: string | undefined): string | undefined {
  if (unit === undefined || !/^[^\p{L}%°"']*\d[^\p{L}%°"']*$/u.test(value) || unitless.test(property)) return property;
  if (unit === '' || /^[–—-]$/.test(unit)) return undefined;
  return isPrice.test(property) ? `${property} per ${unit.replace(/^per /, '')}` : `${property} in ${unit}`;
}

/** Names of rows by their description instead of their article number: "Syringe 2 ml (A-1010)". */
function namedByDescription(table: Table): Table {
  const [first, second] = table.columns;
  if (!/^(?:art|article|item|part|order|cat|product|ref|code)\.? ?(?:no|nr|number|code)?\.?$/i.test(first!))
    return table;
  if (!/^(?:descriptions?|names?|articles?|items?|products?|designation|titles?)$/i.test(second!)) return table;
  return {
    ...{ columns: [second!, ...table.columns.slice(2)], header: table.header },
    rows: table.rows.map(({ line, cells: [code, name, ...rest] }) => ({
      line,
      cells: [name ? `${name} (${code})` : code!, ...rest],
    })),
  };
}

function priceQuestion(column: string, about: string, { language, currency }: Stated): string {
  if (language !== 'english') return questionFor(`${column}, ${priceIn[language]}`, '', about, language);
  const [, name = about.replace(/^of /, ''), place = ''] = /^of (.*)( in .*?)$/.exec(about) ?? [];
  const price = currency === undefined ? 'price' : `price in ${currency}`;
  return `What is the ${price} of ${name} ${forVariant(column)}${place}?`;
}

/** "Fax | 555 0100", "Chair | Ada Quist | 555 0101" or "Ada Quist | Chair" in a table without a header: properties of the topic. */
function pairFacts({ rows }: Table, { passage, topic, language }: Stated): FoundFact[] {
  const place = placeOf(passage.headings.at(-1), topic);
  const keys = rows.map(({ cells }) => cells[0]!.toLowerCase());
  return rows.flatMap(({ line, cells: [first = '', second = '', ...more] }, at) => {
    const isTurned = isRole(second, first);
    const [key, value] = isTurned ? [second, first] : [first.replace(/:$/, ''), second];
    if (place === undefined || isRepeated(keys, at) || !isValue(value, 120)) return [];
    // "Welfare | Ada Quist": the role of Ada Quist is unknown.
    if ((more.some(Boolean) || isPerson(key) || value.split(/, | and | & /).every(isPerson)) && !isRole(key, value))
      return [];
    const input = isDays(key)
      ? hoursOn(key, passage.headings.at(-1), topic)
      : isColumn(key) && questionFor(key, value, place, language);
    if (!input) return [];
    const subject = subjectOf(place);
    return [{ input, output: value, subject, quote: line, page: passage.page ?? null, confidence: 0.9 }];
  });
}

/** The property of a generic column, by the heading: "Number" under "Telephone". */
function attributeOf(column: string, heading: string | undefined, language: Language): string {
  if (language !== 'english') return column;
  const kind = /^\p{L}+$/u.test(heading ?? '') && !/s$/.test(heading!) ? heading!.toLowerCase() : undefined;
  return /^number$/i.test(column) && kind !== undefined ? `${kind} number` : within(column);
}

/** "Weight | 3 kg" of the topic, or "Weight | 3 kg | 4 kg" of things that the columns name. */
function propertyFacts(table: Table, { passage, topic, language }: Stated): FoundFact[] {
  const { columns, header, rows } = table;
  const firsts = rows.map(({ cells }) => cells[0]!.toLowerCase());
  const places = columns.map((column, at) => {
    if (at === 0) return undefined;
    const isValues =
      values.test(column) && columns.every((one, place) => place === 0 || place === at || units.test(one));
    if (isValues) return placeOf(passage.headings.at(-1), topic);
    if (isCoded(column) || column === topic) return `of ${column}`;
    if (!isTransposed(table) || topic === undefined || !isColumn(column)) return undefined;
    return / \p{Lu}/u.test(column) ? `of ${column}` : `of the ${within(column)} in ${topic}`;
  });
  return rows.flatMap(({ line, cells }, at) => {
    const property = withoutFootnoteMarks(cells[0]!);
    if (cells.length > columns.length || isRepeated(firsts, at) || !isColumn(property)) return [];
    return cells.flatMap((cell, column) => {
      const [place, value] = [places[column], withoutFootnoteMarks(cell)];
      if (place === undefined || !isValue(value)) return [];
      const named = withUnit(property, value, unitOf(columns, cells));
      if (named === undefined) return [];
      const input = questionFor(named, value, place, language);
      const [subject, quote] = [subjectOf(place), `${header}\n${line}`];
      const asked = language === 'english' && place.startsWith('of ') ? otherForms(within(property), subject) : [];
      return [{ input, output: value, subject, quote, page: passage.page ?? null, confidence: 0.95, asked }];
    });
  });
}

const isRepeated = (all: string[], at: number): boolean => all.indexOf(all[at]!) !== all.lastIndexOf(all[at]!);

/** The subject of a row, as a phrase after its property. A name suffices by itself; an ordinary word like "timeout" or "Service charge"
 * needs its section and topic. */
function rowName(
  row: string,
  column: string,
  { topic, common, passage: { headings }, language }: Stated,
): string | undefined {
  const section = sectionName(headings.at(-1));
  // The section of a title repeats its topic.
  const isTitle = topic !== undefined && section?.toLowerCase().includes(topic.toLowerCase());
  const around = [isTitle ? undefined : section, topic].filter((name) => name !== undefined);
  if (isDays(row))
    return topic && language === 'english' && ofDays.test(column) ? `on ${row} in ${around.join(' of ')}` : undefined;
  if (
    row.length > maxNameLength ||
    !/[\p{L}\p{N}]/u.test(row) ||
    /[?{}<>=;\\[\]]|^[–—-] |^n\/a$|https?:|: |^(?:(?:sub)?total|sum|average|all|other|ditto.*|same.*)s?$/i.test(row) ||
    noThing.test(row)
  )
    return undefined;
  const figure = !/\p{L}{2}/u.test(row);
  if (figure && !isAttribute(column)) return undefined;
  const name = figure ? `${within(column)} ${row}` : row;
  // Short codes like "P1" and "A4" are unique only within their document.
  const isWhole = isCoded(row) ? row.length > 3 : isProper(row, common) || isNamedKind(row, headings.at(-1), common);
  if (!/[#()_]|\p{Ll}\p{Lu}/u.test(row) && isWhole) return `of ${row}`;
  if (topic === undefined) return undefined;
  // A heading "Valves" above a table of valves adds nothing.
  const kinds = new Set([column, `${column}s`, `${column}es`].map((kind) => kind.toLowerCase()));
  if (around.every((name) => kinds.has(name!.toLowerCase())))
    return /^\p{Lu}.* /u.test(name) ? `of ${name}` : undefined;
  return language === 'english'
    ? `of ${name} in ${around.join(' of ')}`
    : `of ${name} (${around.reverse().join(', ')})`;
}

/** The name of a section, which may also be an activity, such as "Shipping". */
const sectionName = (heading: string | undefined): string | undefined =>
  asName(heading) ?? (/^\p{Lu}\p{L}+ing$/u.test(heading ?? '') && !isNameless(heading!) ? heading : undefined);

/** Words before a noun that describe one of many, instead of naming it. */
const descriptiveWord =
  /^(?:large|small|medium|big|little|tall|short|long|wide|narrow|round|square|oval|flat|deep|high|low|single|double|triple|twin|first|second|third|new|old|used|standard|basic|premium|special|extra|spare|adult|child|family|full|half|whole|wooden|steel|glass|plastic|paper|metal|leather|red|blue|green|white|black|yellow|grey|gray|brown|clear|dark|light|hot|cold|fresh|dry|main|front|rear|left|right|upper|lower|inner|outer|day|night|weekly|monthly|annual|simple|other|mixed|heavy)$/i;

/** Whether the section names the kind of the row, and its other words are a name: "Fjord bowl" under "Bowls". */
function isNamedKind(row: string, heading: string | undefined, common: Set<string>): boolean {
  const words = row.split(' ');
  const [kind, first] = [words.at(-1)!.toLowerCase(), words[0]!];
  const kinds = [`${kind}s`, `${kind}es`, kind.replace(/y$/, 'ies')];
  if (words.length < 2 || !kinds.includes((heading ?? '').toLowerCase()) || !/^\p{Lu}\p{Ll}/u.test(first)) return false;
  return !descriptiveWord.test(first) && !common.has(first.toLowerCase());
}

/** Whether a text is a name, like "Helen Marsh" or "Larkspur Basic": capitals after the first word, of words never in lower case. */
function isProper(name: string, common: Set<string>): boolean {
  const capitals = name.split(' ').filter((word) => /^\p{Lu}\p{L}/u.test(word));
  return capitals.length > 1 && !capitals.slice(1).some((word) => common.has(word.toLowerCase()));
}

/** The header: stored with a later part of a table, else the first row if it has no figures. */
const tablesOf = (text: string, header: string | undefined): Table[] =>
  runsOf(text, header).flatMap(({ rows, isFirst }) =>
    rows.length > 0 ? tableOf(rows, isFirst ? header : undefined) : [],
  );

/** The header of the table that continues after the end of a text, if any. */
export function openHeader(text: string, header: string | undefined): string | undefined {
  const last = runsOf(text, header).at(-1)!;
  if (last.rows.length === 0) return last.isFirst ? header : undefined;
  const known = last.isFirst && header !== undefined && fits(splitCells(header), last.rows[0]!.cells);
  if (known) return header;
  const [{ line, cells }] = last.rows as [Row];
  return areNames(cells) ? line : undefined;
}

/** Runs of consecutive rows. A line in capitals between rows is the title of a section of the table. */
function runsOf(text: string, header: string | undefined): { rows: Row[]; isFirst: boolean }[] {
  const runs: { rows: Row[]; isFirst: boolean }[] = [{ rows: [], isFirst: true }];
  for (const { line, row, isUnclear } of rowsOf(text)) {
    const { rows, isFirst } = runs.at(-1)!;
    if (isUnclear) continue;
    if (row) rows.push(row);
    else if ((rows.length > 0 || isFirst) && !(isSection.test(line) && (rows.length > 0 || header !== undefined)))
      runs.push({ rows: [], isFirst: false });
  }
  return runs;
}

/** Empty cells at the end of a row are lost, so that a row may have fewer cells than columns. */
const fits = (columns: string[], cells: string[]): boolean => columns.length >= cells.length && cells.length > 1;

const areNames = (columns: string[]): boolean =>
  new Set(columns).size === columns.length &&
  !columns.some((column) => holdsValue.test(column)) &&
  columns.every(
    (cell, at) =>
      (at > 0 && /^\d{1,6} ?\+?$/.test(cell)) ||
      (cell.length <= 40 && !/^[\d.,\s%€$£-]*\d{2}|[!?:,]$/.test(cell) && cell.split(' ').length <= 4),
  );

function tableOf(rows: Row[], header: string | undefined): Table[] {
  const above = header === undefined ? undefined : splitCells(header);
  const known = above !== undefined && fits(above, rows[0]!.cells) && header !== rows[0]!.line;
  const columns = known ? above : rows[0]!.cells;
  const body = known ? rows : rows.slice(1);
  if (
    rows.some(({ cells }) => cells[0]!.endsWith(':')) ||
    columns.some((column) => holdsValue.test(column)) ||
    isLikeRows(columns, body)
  )
    return [{ columns: [], header: '', rows }];
  const line = known ? columns.join(cellSeparator) : rows[0]!.line;
  return areNames(columns) && body.length >= (known ? 1 : 2) ? [{ columns, header: line, rows: body }] : [];
}

/** Whether a first row names a person or an office like those below it. */
const isLikeRows = (columns: string[], rows: Row[]): boolean =>
  columns.some((column, at) =>
    [isPerson, isOffice].some(
      (is) => is(column) && (at > 0 || is === isOffice) && rows.some(({ cells }) => is(cells[at] ?? '')),
    ),
  );

/** An address, a telephone number, an amount or a time: no name of a column. */
const holdsValue = /@|\d[\d ()/-]{5,}\d|(?:[€$£]|EUR|CHF|USD|GBP) ?\d|\d ?(?:€|EUR|CHF)|\d[:.]\d\d(?!\d)/;
