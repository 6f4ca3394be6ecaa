// The output of every parser, whatever the format: blocks in reading order, each with its place, and now and then a
// progress message.

export type BlockKind = 'heading' | 'paragraph' | 'item' | 'row' | 'code';

/** A rectangle on a page in points, from the top left corner of the page as it is seen. */
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
  /** The row that names the columns of the rows after it. */
  header?: true;
  /** Page of a PDF, slide of a presentation, sheet of a workbook; from 1. */
  page?: number;
  box?: Box;
  /** Line of a text file or row of a sheet where it starts; from 1. */
  line?: number;
}

export type Parsed =
  | Block
  /** The document's own title, where it has one. */
  | { type: 'title'; title: string }
  /** A page is done; `pages` where their number is known. */
  | { type: 'page'; page: number; pages?: number }
  /** A page that shows something but holds no text, such as a scan. */
  | { type: 'wordless'; page: number }
  /** An embedded file, unpacked to `path` and read like an uploaded one. */
  | { type: 'part'; name: string; path: string; bytes: number }
  /** Something that was passed over, in words for people. */
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
}

export interface ParserLimits {
  pages: number;
  /** Files in an archive or attachments of a mail. */
  parts: number;
  /** Bytes that compressed parts of the file may expand to, together. */
  expanded: number;
}

/** Longest text of a block. What is longer comes as several blocks, so that no line or paragraph has to fit into memory twice. */
export const maxBlockLength = 16_384;

/** Control characters, byte order marks and broken halves of characters have no meaning for a reader and break what comes after. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/[\p{Cc}--[\t\n]]|[\ufeff\ufffe\uffff]/gv, '');
}

/** Text as it reads: runs of white space are one space, soft hyphens are gone. */
export function plainText(text: string): string {
  return cleanText(text)
    .replace(/\u00ad/g, '')
    .replace(/[\s\u200b]+/g, ' ')
    .trim();
}

/** Cells of a row as one line of text; empty cells at its end are left out. */
export function rowText(cells: string[]): string {
  const texts = cells.map((cell) => (cell === '' ? '' : plainText(cell)));
  while (texts.length > 0 && texts.at(-1) === '') texts.pop();
  return texts.join(' | ');
}

/** One block, or several where the text is longer than a block may be; none where there is nothing to read. */
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

/** The last good place to cut a text before `end`: after a line, a sentence or a word, never inside a character. */
export function cutBefore(text: string, end: number): number {
  const from = Math.floor(end / 2);
  const part = text.slice(from, end);
  const line = part.lastIndexOf('\n');
  if (line >= 0) return from + line + 1;
  for (const mark of [/[.!?。！？؟।]\s|[。！？]/g, /\s/g]) {
    let last = 0;
    for (const found of part.matchAll(mark)) last = found.index + found[0].length;
    if (last > 0) return from + last;
  }
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
