// Word documents: headings, paragraphs, lists and tables of the body, then footnotes and endnotes. Deleted or moved text, hidden text,
// field codes and the fallback content for older programs are skipped.
import { type Block, blocks, type FileToRead, type Parsed, plainText, rowText } from '../block.ts';
import { readStyles, type Styles } from './docx-styles.ts';
import { OfficePackage } from './package.ts';
import { type Attributes, attribute, readXml } from './xml.ts';

export async function* parseDocx(file: FileToRead): AsyncGenerator<Parsed> {
  const office = await OfficePackage.open(file);
  try {
    const title = await office.title();
    if (title) yield { type: 'title', title: plainText(title) };
    const main = await office.main();
    const relations = await office.relations(main);
    const part = (type: string) => relations.find((relation) => relation.type === type)?.target;
    const styles = await readStyles(office, part('styles'));
    const lists = new Map<string, number>();
    yield* story(office, main, styles, lists);
    for (const type of ['footnotes', 'endnotes']) {
      const notes = part(type);
      if (notes && office.has(notes)) yield* story(office, notes, styles, lists);
    }
  } finally {
    office.close();
  }
}

async function* story(
  office: OfficePackage,
  part: string,
  styles: Styles,
  lists: Map<string, number>,
): AsyncGenerator<Parsed> {
  const body = new Body(styles, lists);
  for await (const _ of readXml(office.bytes(part), body)) yield* body.ready();
  yield* body.ready();
}

interface Paragraph {
  text: string;
  style: string;
  level: number | undefined;
  list: { id: string; level: number } | undefined;
  hidden: boolean;
}

interface Table {
  rows: number;
  cells: string[];
  cell: string[] | undefined;
  header: boolean;
}

const skipped = new Set([
  'del',
  'moveFrom',
  'Fallback',
  'instrText',
  'delText',
  'rPrChange',
  'pPrChange',
  'sectPrChange',
  'tblPrChange',
]);

class Body {
  readonly #styles: Styles;
  /** Current number of each level of each list. */
  readonly #numbers: Map<string, number>;
  #ready: Block[] = [];
  /** Stack of open paragraphs, since text boxes nest them. */
  #paragraphs: Paragraph[] = [];
  #tables: Table[] = [];
  #skipping = 0;
  #inText = false;
  #properties: 'paragraph' | 'run' | undefined;
  #vanished = false;
  #page = 1;
  #paged = false;

  constructor(styles: Styles, numbers: Map<string, number>) {
    this.#styles = styles;
    this.#numbers = numbers;
  }

  *ready(): Generator<Block> {
    const ready = this.#ready;
    this.#ready = [];
    yield* ready;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipping > 0 || skipped.has(name)) {
      this.#skipping++;
      return;
    }
    const value = () => attribute(attributes, 'val') ?? '';
    const paragraph = this.#paragraphs.at(-1);
    switch (name) {
      case 'footnote':
      case 'endnote':
        // Separator lines are stored as notes too.
        if (/separator/i.test(attribute(attributes, 'type') ?? '')) this.#skipping = 1;
        return;
      case 'p':
        this.#paragraphs.push({ text: '', style: '', level: undefined, list: undefined, hidden: false });
        return;
      case 'pPr':
        this.#properties = 'paragraph';
        return;
      case 'rPr':
        this.#properties ??= 'run';
        return;
      case 'pStyle':
        if (paragraph) paragraph.style = value();
        return;
      case 'outlineLvl':
        if (paragraph && Number(value()) < 9) paragraph.level = Math.min(6, Number(value()) + 1);
        return;
      case 'ilvl':
        if (paragraph) paragraph.list = { id: paragraph.list?.id ?? '', level: Number(value()) || 0 };
        return;
      case 'numId':
        if (paragraph)
          paragraph.list = value() === '0' ? undefined : { id: value(), level: paragraph.list?.level ?? 0 };
        return;
      case 'r':
        this.#vanished = false;
        return;
      case 'vanish':
        if (this.#properties === 'run' && value() !== '0' && value() !== 'false') this.#vanished = true;
        return;
      case 't':
        this.#inText = true;
        return;
      case 'tab':
        if (this.#properties === undefined) this.#write(' ');
        return;
      case 'br':
      case 'cr':
        this.#write('\n');
        return;
      case 'noBreakHyphen':
        this.#write('-');
        return;
      case 'lastRenderedPageBreak':
        this.#page++;
        this.#paged = true;
        return;
      case 'tbl':
        this.#tables.push({ rows: 0, cells: [], cell: undefined, header: false });
        return;
      case 'tblHeader': {
        const table = this.#tables.at(-1);
        if (table && value() !== '0' && value() !== 'false') table.header = true;
        return;
      }
      case 'tc': {
        const table = this.#tables.at(-1);
        if (table) table.cell = [];
      }
    }
  }

  text(text: string): void {
    if (this.#inText && this.#skipping === 0) this.#write(text);
  }

  #write(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph && !this.#vanished) paragraph.text += text;
  }

  close(name: string): void {
    if (this.#skipping > 0) {
      this.#skipping--;
      return;
    }
    switch (name) {
      case 't':
        this.#inText = false;
        return;
      case 'r':
        this.#vanished = false;
        return;
      case 'pPr':
        this.#properties = undefined;
        return;
      case 'rPr':
        if (this.#properties === 'run') this.#properties = undefined;
        return;
      case 'p':
        this.#endParagraph();
        return;
      case 'tc': {
        const table = this.#tables.at(-1);
        if (table?.cell) table.cells.push(table.cell.join(' '));
        if (table) table.cell = undefined;
        return;
      }
      case 'tr':
        this.#endRow();
        return;
      case 'tbl':
        this.#tables.pop();
    }
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (!paragraph) return;
    const text = paragraph.text.split('\n').map(plainText).join('\n').trim();
    const place = this.#paged ? { page: this.#page } : {};
    const style = this.#styles.get(paragraph.style);
    const list = paragraph.list ?? style?.list;
    const cell = this.#tables.at(-1)?.cell;
    if (cell) {
      if (text) cell.push(text);
      return;
    }
    const level = paragraph.level ?? style?.level;
    if (level !== undefined) this.#push({ kind: 'heading', level, text, ...place });
    else if (list && text)
      this.#push({ kind: 'item', level: list.level + 1, text: this.#number(list) + text, ...place });
    else this.#push({ kind: style?.code ? 'code' : 'paragraph', text, ...place });
  }

  /** Numbers of list items are kept, since other text may refer to them. */
  #number({ id, level }: { id: string; level: number }): string {
    if (!this.#styles.numbered(id, level)) return '';
    const key = `${id}/${level}`;
    const number = (this.#numbers.get(key) ?? 0) + 1;
    this.#numbers.set(key, number);
    for (let deeper = level + 1; deeper < 10; deeper++) this.#numbers.delete(`${id}/${deeper}`);
    return `${number}. `;
  }

  #endRow(): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    const { cells } = table;
    table.cells = [];
    const text = rowText(cells);
    const outer = this.#tables.at(-2)?.cell;
    if (outer) {
      if (text) outer.push(text);
      return;
    }
    const header = table.rows === 0 && (table.header || cells.every((cell) => cell.length < 60)) && cells.length > 1;
    if (text) table.rows++;
    table.header = false;
    this.#push({
      kind: cells.length > 1 ? 'row' : 'paragraph',
      text,
      ...(header ? { header } : {}),
      ...(this.#paged ? { page: this.#page } : {}),
    });
  }

  #push(block: Omit<Block, 'type'>): void {
    this.#ready.push(...blocks(block));
  }
}
