// Streaming HTML parser: tags are processed as they come, without a tree, so that neither depth nor size matters. Scripts, styles and
// navigation are dropped; tables and lists become rows and items.
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
import { decodedFile, firstBytes } from './text/encoding.ts';
import { areKeyed, isQuestionWithAnswer } from './text/keyed.ts';

export async function* parseHtml(file: FileToRead): AsyncGenerator<Parsed> {
  yield* htmlBlocks(decodedFile(file, declaredEncoding(await firstBytes(file.path, 4096))));
}

export async function* htmlBlocks(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Parsed> {
  const page = new Page();
  // The parser's table of implicitly closed tags fits real-world HTML.
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

/** Converts a piece of HTML to one line of text. */
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

/** Maximum depth, since the cost of the parser grows quadratically with it. */
const maxDepth = 20_000;

const dropped = new Set(
  'script style noscript template svg math nav head iframe object select datalist button canvas audio video map dialog menu'.split(
    ' ',
  ),
);
/** Inline math elements keep their text. */
dropped.delete('math');
dropped.delete('head');
dropped.delete('object');
const breaking = new Set(
  `address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup
  hr html legend li main ol optgroup option p pre section summary table tbody td tfoot th thead tr ul`.split(/\s+/),
);
const navigation = /^(nav|navbar|navigation|navheader|navfooter|breadcrumbs?|skip-?links?|site-?nav|menu-?bar)$/i;

/** A cell that continues in the rows below it (rowspan). */
interface Span {
  column: number;
  rows: number;
  text: string;
}

interface Table {
  /** True for a layout table, whose cells hold paragraphs, lists or tables. Its cells are read one by one. */
  layout: boolean;
  cells: string[];
  /** Number of the row's own cells, and whether it has cells from rows above. */
  own: number;
  carried: boolean;
  /** Column span and row span of the open cell. */
  wide: number;
  high: number;
  /** Spanning cells of rows above, and those that begin in this row. */
  spans: Span[];
  begun: Span[];
  inRow: boolean;
  header: boolean;
  rows: number;
}

/** Maximum number of cells in a row, including repeated ones of spanning cells. */
const maxCells = 200;
/** Maximum length of a spanning cell's text that is repeated; a longer one appears only once. */
const maxRepeated = 200;

/** Explicit line break. Its first character never occurs in kept text. */
const lineEnd = '\v\n';
/** Maximum length of a term that is joined with its definition. */
const maxTerm = 80;

/** Converts tags and text to blocks. */
class Page {
  #ready: Parsed[] = [];
  #text = '';
  #kind: BlockKind = 'paragraph';
  #level: number | undefined;
  /** Stack of open elements inside of a dropped one; nothing is read until it is empty. */
  #hidden: string[] = [];
  #lists: { ordered: boolean; next: number }[] = [];
  #tables: Table[] = [];
  #pre = 0;
  #depth = 0;
  #inTitle = false;
  #title = '';
  #mark = '';
  /** A term of a list of definitions, until its definition comes. */
  #term: string | undefined;
  #inTerm = false;

  *ready(): Generator<Parsed> {
    const ready = this.#ready;
    this.#ready = [];
    yield* ready;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > maxDepth) throw new Unreadable('nested', { limit: maxDepth });
    if (this.#hidden.length > 0 || isHidden(name, attributes)) {
      if (!voidElements.has(name)) this.#hidden.push(name);
      return;
    }
    if (name === 'title' && this.#title === '' && this.#tables.length === 0) this.#inTitle = true;
    if (name === 'br') this.#text += lineEnd;
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
    // In a cell a line break is a space; block content makes the table a layout table.
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
    } else if (name === 'dt') {
      this.#endTerm();
      this.#become('item', Math.max(1, this.#lists.length + 1));
      this.#inTerm = true;
    } else if (name === 'dd') this.#inTerm = false;
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
      // A closing tag without an opening one is ignored. Unclosed tags are closed with their parent.
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
    if (name === 'dt') this.#inTerm = false;
    if (name === 'dl') this.#endTerm();
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
    // A row with one cell is a framed paragraph, whatever its column span.
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

  /** Turns the collected text into blocks. */
  flush(): void {
    const lines = this.#pre > 0 ? [] : this.#text.split(lineEnd).map(plainText).filter(Boolean);
    const text = this.#pre > 0 ? cleanText(this.#text) : plainText(this.#text);
    this.#text = '';
    if (text.trim() !== '') {
      if (this.#inTerm && text.length <= maxTerm) {
        this.#endTerm();
        this.#term = this.#mark + text;
      } else if (this.#kind === 'paragraph' && (areKeyed(lines) || isQuestionWithAnswer(lines)))
        for (const line of areKeyed(lines) ? lines : [lines[0]!, lines.slice(1).join(' ')]) this.#push(line);
      else this.#push(text);
      this.#mark = '';
    } else if (this.#kind === 'item') return; // `<li><p>`: the paragraph is the item
    this.#become(this.#pre > 0 ? 'code' : 'paragraph');
  }

  #push(text: string): void {
    const defines = this.#term !== undefined && this.#kind === 'paragraph';
    const whole = defines ? `${this.#term!.replace(/\s*:$/, '')}: ${text}` : this.#mark + text;
    if (defines) this.#term = undefined;
    else this.#endTerm();
    const block: Omit<Block, 'type'> = { kind: defines ? 'item' : this.#kind, text: whole };
    const level = defines ? Math.max(1, this.#lists.length + 1) : this.#level;
    if (level !== undefined) block.level = level;
    this.#ready.push(...blocks(block));
  }

  /** A term without a definition is an item by itself. */
  #endTerm(): void {
    const text = this.#term;
    this.#term = undefined;
    if (text !== undefined)
      this.#ready.push(...blocks({ kind: 'item', level: Math.max(1, this.#lists.length + 1), text }));
  }
}

const newTable = (): Table => ({
  ...{ layout: false, cells: [], own: 0, carried: false, wide: 1, high: 1, spans: [], begun: [] },
  ...{ inRow: false, header: true, rows: 0 },
});

const spanOf = (said: string | undefined): number =>
  Math.min(maxCells, Math.max(1, Number.parseInt(said ?? '1', 10) || 1));

/** Repeats a spanning cell in each column, so that all values stay below the right header. */
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

/** Inserts cells that continue from rows above at the current column. */
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
  // Spans that this row did not reach end here, since rows may be shorter than declared.
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
