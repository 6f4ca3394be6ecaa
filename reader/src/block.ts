// Output of every parser for all formats: blocks in reading order, each with its place, and occasional progress
// messages.

export type BlockKind = 'heading' | 'paragraph' | 'item' | 'row' | 'code';

/** A rectangle on a page in points, from the top left corner of the page as displayed. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Block {
  type: 'block';
  kind: BlockKind;
  text: string;
  /** Level of a heading (1 to 6), or depth of a list item (from 1). */
  level?: number;
  /** True for the header row of a table. */
  header?: true;
  /** Page of a PDF, slide of a presentation or sheet of a workbook, from 1. */
  page?: number;
  box?: Box;
  /** Line of a text file or row of a sheet where the block starts, from 1. */
  line?: number;
}

export type Parsed =
  | Block
  /** The document's own title, if it has one. */
  | { type: 'title'; title: string }
  /** A page is finished; `pages` is set if their number is known. */
  | { type: 'page'; page: number; pages?: number }
  /** A page with content but without text, such as a scan. */
  | { type: 'wordless'; page: number }
  /** An embedded file, unpacked to `path`, to be read like an uploaded one. */
  | { type: 'part'; name: string; path: string; bytes: number }
  /** A message for people about skipped content. */
  | { type: 'notice'; text: string };

export type Parser = (file: FileToRead) => AsyncIterable<Parsed>;

export interface FileToRead {
  path: string;
  /** Display name. Never used as a path. */
  name: string;
  bytes: number;
  /** A folder that the parser may write to. */
  scratch: string;
  limits: ParserLimits;
  /** Called with the number of bytes of each part of the file that is read, by formats that are read from beginning to end. */
  onBytes?(bytes: number): void;
}

export interface ParserLimits {
  pages: number;
  /** Files in an archive or attachments of a mail. */
  parts: number;
  /** Bytes that compressed parts of the file may expand to, together. */
  expanded: number;
}

/** Maximum length of a block. Longer text is split into several blocks, so that no line or paragraph has to fit into memory twice. */
export const maxBlockLength = 16_384;

/** Removes control characters, byte order marks and lone surrogates, which are meaningless to readers and break later steps. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/[\p{Cc}--[\t\n]]|[\ufeff\ufffe\uffff]/gv, '');
}

/** Normalises white space to single spaces and removes soft hyphens. */
export function plainText(text: string): string {
  return cleanText(text)
    .replace(/\u00ad/g, '')
    .replace(/[\s\u200b]+/g, ' ')
    .trim();
}

/** Joins the cells of a row to one line of text, without trailing empty cells. */
export function rowText(cells: string[]): string {
  const texts = cells.map((cell) => (cell === '' ? '' : plainText(cell)));
  while (texts.length > 0 && texts.at(-1) === '') texts.pop();
  return texts.join(' | ');
}

/** Makes one block, several for a long text, or none for an empty one. */
export function* blocks(block: Omit<Block, 'type'>): Generator<Block> {
  let rest = block.text;
  while (rest.length > maxBlockLength) {
    const cut = cutBefore(rest, maxBlockLength);
    const text = rest.slice(0, cut).trim();
    if (text) yield { type: 'block', ...block, text };
    rest = rest.slice(cut);
  }
  const text = block.kind === 'code' ? rest.replace(/^\n+|\s+$/g, '') : rest.trim();
  if (text.trim()) yield { type: 'block', ...block, text };
}

/** The last suitable offset to split a text before `end`: after a line, a sentence or a word, never inside of a character. */
export function cutBefore(text: string, end: number): number {
  const from = Math.floor(end / 2);
  const part = text.slice(from, end);
  const line = part.lastIndexOf('\n');
  if (line >= 0) return from + line + 1;
  for (const upToLast of [/^.*(?:[.!?。！？؟।]\s|[。！？])/s, /^.*\s/s]) {
    const found = upToLast.exec(part);
    if (found) return from + found[0].length;
  }
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
