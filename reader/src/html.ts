// HTML as a stream of tags, which are taken as they come: no tree is built, so that neither depth nor size matters. Scripts, styles and
// navigation are dropped; what a table or a list says, it says as rows and items.
import { Parser } from 'htmlparser2';
import {
  type Block,
  type BlockKind,
  blocks,
  cleanText,
  type FileToRead,
  type Parsed,
  plainText,
  rowText,
} from './block.ts';
import { Unreadable } from './failures.ts';
import { decodedFile, headOf } from './text/encoding.ts';

export async function* parseHtml(file: FileToRead): AsyncGenerator<Parsed> {
  yield* htmlBlocks(decodedFile(file.path, declaredEncoding(await headOf(file.path, 4096))));
}

export async function* htmlBlocks(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Parsed> {
  const page = new Page();
  // The parser's own table of tags that close others is for browsers' HTML, which is what most people send.
  const parser = new Parser(page, { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: true });
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += 65_536) {
      parser.write(chunk.slice(at, at + 65_536));
      yield* page.ready();
    }
  }
  parser.end();
  page.flush();
  yield* page.ready();
}

/** A piece of HTML as one line of text. */
export function htmlText(html: string): string {
  if (!/[<&]/.test(html)) return html;
  let text = '';
  let hidden = 0;
  const parser = new Parser({
    onopentag: (name) => {
      if (dropped.has(name)) hidden++;
      if (name === 'br') text += '\n';
    },
    ontext: (part) => {
      if (hidden === 0) text += part;
    },
    onclosetag: (name) => {
      if (dropped.has(name)) hidden--;
    },
  });
  parser.end(html);
  return text;
}

function declaredEncoding(head: Buffer): string | undefined {
  const text = head.toString('latin1');
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(text)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/.exec(text)?.[1]
  );
}

/** The parser's own work grows with the square of the depth. */
const deepest = 20_000;

const dropped = new Set(
  'script style noscript template svg math nav head iframe object select datalist button canvas audio video map dialog menu'.split(
    ' ',
  ),
);
/** math elements inside a sentence keep their text. */
dropped.delete('math');
dropped.delete('head');
dropped.delete('object');
const breaking = new Set(
  `address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup
  hr html legend li main ol optgroup option p pre section summary table tbody td tfoot th thead tr ul`.split(/\s+/),
);
const navigation = /^(nav|navbar|navigation|navheader|navfooter|breadcrumbs?|skip-?links?|site-?nav|menu-?bar)$/i;

/** A cell that goes on in the rows below it. */
interface Span {
  column: number;
  rows: number;
  text: string;
}

interface Table {
  /** Cells hold paragraphs, lists or other tables: it is there for the layout, its cells are read one after the other. */
  layout: boolean;
  cells: string[];
  /** Cells that the row has itself, and whether it has others. */
  own: number;
  carried: boolean;
  /** Columns and rows that the open cell takes. */
  wide: number;
  high: number;
  /** From rows above, and from this one for those below. */
  spans: Span[];
  begun: Span[];
  inRow: boolean;
  header: boolean;
  rows: number;
}

/** Cells of a row, those that are repeated because a cell spans columns or rows with them. */
const maxCells = 200;
/** A longer text of a cell that spans several columns or rows stands in the first one alone. */
const maxRepeated = 200;

/** Takes tags and text, gives blocks. */
class Page {
  #ready: Parsed[] = [];
  #text = '';
  #kind: BlockKind = 'paragraph';
  #level: number | undefined;
  /** Names of the open elements inside something that is dropped; nothing is read until it is empty again. */
  #hidden: string[] = [];
  #lists: { ordered: boolean; next: number }[] = [];
  #tables: Table[] = [];
  #pre = 0;
  #depth = 0;
  #inTitle = false;
  #title = '';
  #mark = '';

  *ready(): Generator<Parsed> {
    const ready = this.#ready;
    this.#ready = [];
    yield* ready;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > deepest) throw new Unreadable('nested', { limit: deepest });
    if (this.#hidden.length > 0 || isHidden(name, attributes)) {
      if (!voidElements.has(name)) this.#hidden.push(name);
      return;
    }
    if (name === 'title' && this.#title === '' && this.#tables.length === 0) this.#inTitle = true;
    if (name === 'br') this.#text += '\n';
    if (name === 'img' && attributes.alt) this.#text += ` ${attributes.alt.slice(0, 500)} `;
    if (breaking.has(name)) this.#open(name, attributes);
  }

  #open(name: string, attributes: Record<string, string>): void {
    const table = this.#tables.at(-1);
    if (name === 'tr' && table) {
      this.#openRow(table);
      return;
    }
    if ((name === 'td' || name === 'th') && table) {
      this.#openCell(table, name, attributes);
      return;
    }
    if (/^(tbody|thead|tfoot)$/.test(name)) return;
    // In a cell, a line break is a space; what needs a block of its own makes the table one of layout.
    if (table?.inRow && !table.layout) {
      if (!/^(h[1-6]|ul|ol|table|pre|blockquote)$/.test(name)) {
        this.#text += ' ';
        return;
      }
      this.#toLayout(table);
    }
    this.flush();
    if (/^h[1-6]$/.test(name)) this.#become('heading', Number(name[1]));
    else if (name === 'pre') {
      this.#pre++;
      this.#become('code');
    } else if (name === 'ul' || name === 'ol')
      this.#lists.push({ ordered: name === 'ol', next: Number.parseInt(attributes.start ?? '1', 10) || 1 });
    else if (name === 'li') {
      this.#become('item', Math.max(1, this.#lists.length));
      const list = this.#lists.at(-1);
      this.#mark = list?.ordered ? `${list.next++}. ` : '';
    } else if (name === 'dt') this.#become('item', Math.max(1, this.#lists.length + 1));
    else if (name === 'table') this.#tables.push(newTable());
  }

  ontext(text: string): void {
    if (this.#hidden.length > 0) return;
    if (this.#inTitle) {
      if (this.#title.length < 1000) this.#title += text;
      return;
    }
    this.#text += text;
    if (this.#text.length > 262_144) this.flush();
  }

  onclosetag(name: string): void {
    this.#depth--;
    if (this.#hidden.length > 0) {
      // A closing tag without an opening one closes nothing. Tags left open inside are closed with their parent.
      const at = this.#hidden.lastIndexOf(name);
      if (at >= 0) this.#hidden.length = at;
      return;
    }
    if (name === 'title' && this.#inTitle) {
      this.#inTitle = false;
      const title = plainText(this.#title);
      if (title) this.#ready.push({ type: 'title', title });
    }
    if (breaking.has(name)) this.#close(name);
  }

  #close(name: string): void {
    const table = this.#tables.at(-1);
    if (name === 'td' || name === 'th') {
      this.#closeCell(table);
      return;
    }
    if (name === 'tr') {
      this.#closeRow(table);
      return;
    }
    if (table?.inRow && !table.layout && name !== 'table') {
      this.#text += ' ';
      return;
    }
    if (name === 'table') {
      if (table) this.#closeRow(table);
      this.#tables.pop();
      this.flush();
      return;
    }
    this.flush();
    if (name === 'pre') this.#pre = Math.max(0, this.#pre - 1);
    if (name === 'ul' || name === 'ol') this.#lists.pop();
  }

  #openRow(table: Table): void {
    this.#closeRow(table);
    this.flush();
    table.inRow = true;
    table.header = true;
  }

  #openCell(table: Table, name: string, { colspan, rowspan }: Record<string, string>): void {
    if (table.layout) {
      this.flush();
      return;
    }
    if (table.inRow) this.#text = '';
    else this.#openRow(table);
    if (name === 'td') table.header = false;
    [table.wide, table.high] = [spanOf(colspan), spanOf(rowspan)];
  }

  #closeCell(table: Table | undefined): void {
    if (!table?.inRow || table.layout) {
      this.flush();
      return;
    }
    takeSpans(table);
    addCell(table, plainText(this.#text));
    this.#text = '';
  }

  #closeRow(table: Table | undefined): void {
    if (!table?.inRow) return;
    if (plainText(this.#text) !== '' && !table.layout) this.#closeCell(table);
    table.inRow = false;
    takeSpans(table);
    const header = table.header && table.rows === 0 && table.cells.length > 1;
    // A table row with one cell is a framed paragraph, however many columns the cell spans.
    const alone = table.own === 1 && !table.carried;
    const text = rowText(alone ? table.cells.slice(0, 1) : table.cells);
    const kind = table.cells.length > 1 && !alone ? 'row' : 'paragraph';
    endRow(table);
    if (!text) return;
    table.rows++;
    this.#ready.push(...blocks({ kind, text, ...(header ? { header } : {}) }));
  }

  #toLayout(table: Table): void {
    const { cells } = table;
    table.layout = true;
    endRow(table);
    for (const text of cells) this.#ready.push(...blocks({ kind: 'paragraph', text }));
  }

  #become(kind: BlockKind, level?: number): void {
    this.#kind = kind;
    this.#level = level;
  }

  /** Turns the gathered text into a block. */
  flush(): void {
    const text = this.#pre > 0 ? cleanText(this.#text) : plainText(this.#text);
    this.#text = '';
    if (text.trim() !== '') {
      const block: Omit<Block, 'type'> = { kind: this.#kind, text: this.#mark + text };
      if (this.#level !== undefined) block.level = this.#level;
      this.#ready.push(...blocks(block));
      this.#mark = '';
    } else if (this.#kind === 'item') return; // `<li><p>`: the paragraph is the item
    this.#become(this.#pre > 0 ? 'code' : 'paragraph');
  }
}

const newTable = (): Table => ({
  ...{ layout: false, cells: [], own: 0, carried: false, wide: 1, high: 1, spans: [], begun: [] },
  ...{ inRow: false, header: true, rows: 0 },
});

const spanOf = (said: string | undefined): number =>
  Math.min(maxCells, Math.max(1, Number.parseInt(said ?? '1', 10) || 1));

/** A cell that spans columns stands in each, so that every value stays below the name of its column. */
function addCell(table: Table, text: string): void {
  const { cells, wide, high } = table;
  for (let at = 0; at < wide && cells.length < maxCells; at++) {
    const told = at === 0 || text.length <= maxRepeated ? text : '';
    if (high > 1)
      table.begun.push({ column: cells.length, rows: high - 1, text: text.length <= maxRepeated ? text : '' });
    cells.push(told);
  }
  table.own++;
  [table.wide, table.high] = [1, 1];
}

/** The cells of rows above that stand next in this row. */
function takeSpans(table: Table): void {
  for (;;) {
    const span = table.spans.find(({ column }) => column === table.cells.length);
    if (!span) return;
    table.cells.push(span.text);
    table.carried = true;
    span.rows--;
    if (span.rows === 0) table.spans.splice(table.spans.indexOf(span), 1);
    else table.begun.push(...table.spans.splice(table.spans.indexOf(span), 1));
  }
}

function endRow(table: Table): void {
  // Those that this row did not reach are over with it: rows may be shorter than they say.
  table.spans = table.begun;
  [table.begun, table.cells, table.own, table.carried] = [[], [], 0, false];
}

const voidElements = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

function isHidden(name: string, { class: classes, role, style, hidden, ...rest }: Record<string, string>): boolean {
  return (
    dropped.has(name) ||
    hidden !== undefined ||
    rest['aria-hidden'] === 'true' ||
    role === 'navigation' ||
    (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) ||
    (classes !== undefined &&
      name !== 'body' &&
      name !== 'html' &&
      classes.split(/\s+/).some((one) => navigation.test(one)))
  );
}
