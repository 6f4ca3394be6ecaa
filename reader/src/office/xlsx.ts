// Workbooks: a sheet is a page with its name as heading, and rows have their numbers. Formulas give their last computed values, dates are
// formatted as dates. Empty rows cost nothing.
import { blocks, cleanText, type FileToRead, type Parsed, plainText, rowText } from '../block.ts';
import { Unreadable } from '../failures.ts';
import { isTitle, maxTitleRows, namesColumns } from '../text/csv.ts';
import { OfficePackage } from './package.ts';
import { dateFormats, dateText } from './xlsx-dates.ts';
import { type Attributes, attribute, readXml, type XmlHandler } from './xml.ts';

export async function* parseXlsx(file: FileToRead): AsyncGenerator<Parsed> {
  const office = await OfficePackage.open(file);
  try {
    const title = await office.title();
    if (title) yield { type: 'title', title: plainText(title) };
    const { main, sheets, from1904 } = await workbookOf(office);
    const relations = await office.relations(main);
    const part = (type: string) => relations.find((relation) => relation.type === type)?.target ?? '';
    const texts = await sharedTexts(office, part('sharedStrings'));
    const isDate = await dateFormats(office, part('styles'));
    if (sheets.length > file.limits.pages)
      throw new Unreadable('pages', { count: sheets.length, limit: file.limits.pages });
    for (const [index, { name, target }] of sheets.entries()) {
      const page = index + 1;
      yield* blocks({ kind: 'heading', level: 1, text: plainText(name), page });
      if (office.has(target)) {
        const sheet = new Sheet(page, texts, isDate, from1904);
        for await (const _ of readXml(office.bytes(target), sheet)) yield* sheet.ready();
        yield* sheet.ready();
      }
      yield { type: 'page', page, pages: sheets.length };
    }
  } finally {
    office.close();
  }
}

async function workbookOf(
  office: OfficePackage,
): Promise<{ main: string; sheets: { name: string; target: string }[]; from1904: boolean }> {
  const main = await office.main();
  const targets = new Map((await office.relations(main)).map(({ id, target }) => [id, target]));
  const sheets: { name: string; target: string }[] = [];
  let from1904 = false;
  await office.read(main, {
    open: (name, attributes) => {
      if (name === 'workbookPr') from1904 = /^(1|true)$/.test(attribute(attributes, 'date1904') ?? '');
      if (name !== 'sheet') return;
      const key = Object.keys(attributes).find((one) => one.endsWith(':id')) ?? '';
      sheets.push({ name: attribute(attributes, 'name') ?? '', target: targets.get(attributes[key] ?? '') ?? '' });
    },
  });
  return { main, sheets, from1904 };
}

/** Shared strings, which cells refer to by number, without phonetic readings. */
async function sharedTexts(office: OfficePackage, part: string): Promise<string[]> {
  const texts: string[] = [];
  let text: string | undefined;
  let inText = false;
  let inReading = false;
  await office.read(part, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') inReading = true;
      else if (name === 't') inText = true;
    },
    text: (part) => {
      if (inText && !inReading && text !== undefined) text += part;
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') inReading = false;
      else if (name === 'si') {
        texts.push(cleanText(text ?? ''));
        text = undefined;
      }
    },
  });
  return texts;
}

/** Number of columns after which empty cells of a row are skipped. */
const maxDenseColumns = 200;

class Sheet implements XmlHandler {
  readonly #page: number;
  readonly #texts: string[];
  readonly #isDate: (style: number) => boolean;
  readonly #from1904: boolean;
  #ready: Parsed[] = [];
  #row = 0;
  #rows = 0;
  /** True while only title rows were read. */
  #first = true;
  #cells: { column: number; text: string }[] = [];
  #column = 0;
  #type = '';
  #style = 0;
  #value = '';
  #inValue = false;
  #inReading = false;

  constructor(page: number, texts: string[], isDate: (style: number) => boolean, from1904: boolean) {
    this.#page = page;
    this.#texts = texts;
    this.#isDate = isDate;
    this.#from1904 = from1904;
  }

  *ready(): Generator<Parsed> {
    const ready = this.#ready;
    this.#ready = [];
    yield* ready;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') {
      this.#row = Number(attributes.r) || this.#row + 1;
      this.#cells = [];
      this.#column = 0;
    } else if (name === 'c') {
      this.#column = columnOf(attributes.r) ?? this.#column + 1;
      this.#type = attributes.t ?? 'n';
      this.#style = Number(attributes.s) || 0;
      this.#value = '';
    } else if (name === 'v' || name === 't') this.#inValue = !this.#inReading;
    else if (name === 'rPh') this.#inReading = true;
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#inValue = false;
    else if (name === 'rPh') this.#inReading = false;
    else if (name === 'c') {
      const text = this.#cellText();
      if (text !== '') this.#cells.push({ column: this.#column, text });
    } else if (name === 'row' && this.#cells.length > 0) this.#endRow();
  }

  #cellText(): string {
    const value = this.#value;
    if (this.#type === 's') return this.#texts[Number(value)] ?? '';
    if (this.#type === 'b') return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : '';
    if (this.#type === 'n' && value !== '' && this.#isDate(this.#style))
      return dateText(Number(value), this.#from1904) ?? value;
    // Numbers are stored with binary rounding noise, which spreadsheets do not display.
    if (this.#type === 'n' && /\d\.\d{13,}/.test(value)) return String(Number(Number(value).toPrecision(15)));
    return value;
  }

  #endRow(): void {
    const last = this.#cells.at(-1)!.column;
    let texts = this.#cells.map(({ text }) => text);
    if (last <= maxDenseColumns) {
      const filled: string[] = Array.from({ length: last }, () => '');
      for (const { column, text } of this.#cells) filled[column - 1] = text;
      texts = filled;
    }
    const header = this.#first && this.#cells.length > 1 && this.#type !== 'n' && namesColumns(texts);
    this.#first &&= !header && ++this.#rows < maxTitleRows && isTitle(texts);
    this.#ready.push(
      ...blocks({
        kind: 'row',
        text: rowText(texts),
        page: this.#page,
        line: this.#row,
        ...(header ? { header } : {}),
      }),
    );
  }
}

/** Column number of a cell reference: "AB12" is column 28. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (!letters) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
