// Plain text: paragraphs between blank lines, common conventions for headings and lists, and text laid out with spaces.
import { type Block, blocks, cleanText, type FileToRead, type Parsed } from '../block.ts';
import { decodedFile } from './encoding.ts';
import { areKeyed, isKeyed, keyedBlocks } from './keyed.ts';
import { type Line, linesOf } from './lines.ts';

/** Maximum length of a paragraph, more than people write. */
const maxParagraphLength = 8192;

export async function* parseText(file: FileToRead): AsyncGenerator<Parsed> {
  const reader = new Paragraphs();
  for await (const lines of linesOf(decodedFile(file))) for (const line of lines) yield* reader.line(line);
  yield* reader.end();
}

/** Converts lines to blocks. */
export class Paragraphs {
  #lines: string[] = [];
  #first = 1;
  #length = 0;
  #afterBlank = true;

  *line({ text, number, goesOn }: Line): Generator<Block> {
    const clean = cleanText(text).trimEnd();
    if (clean === '' && !goesOn) {
      yield* this.end();
      this.#afterBlank = true;
      return;
    }
    if (this.#length > 0 && (startsItem(clean) || this.#length + clean.length > maxParagraphLength)) yield* this.end();
    if (this.#lines.length === 0) this.#first = number;
    this.#lines.push(clean);
    this.#length += clean.length + 1;
  }

  *end(): Generator<Block> {
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#length = 0;
    const afterBlank = this.#afterBlank;
    this.#afterBlank = false;
    let line = this.#first;
    for (const [at, part] of (isWhole(lines) ? [lines] : atIntendedBreaks(lines)).entries()) {
      yield* blocksOf(part, line, afterBlank && at === 0 ? headingLevel(part) : undefined);
      line += part.length;
    }
  }
}

function* blocksOf(lines: string[], line: number, level: number | undefined): Generator<Block> {
  if (level) yield* blocks({ kind: 'heading', level, text: lines.join(' '), line });
  else if (isSet(lines)) yield* blocks({ kind: 'code', text: lines.join('\n'), line });
  else if (startsItem(lines[0]!)) yield* blocks({ kind: 'item', level: 1, text: joined(lines), line });
  else if (areKeyed(lines)) yield* keyedBlocks(lines, line);
  else yield* blocks({ kind: 'paragraph', text: joined(lines), line });
}

const isWhole = (lines: string[]) => isSet(lines) || areKeyed(lines);

/** Minimum width of a text whose lines are wrapped or whole paragraphs, and the share of it below which a line was ended on purpose. */
const minWidth = 60;
const maxShare = 0.75;

/**
 * Splits lines where the next word would have had room, and before key-value lines, so that the break is the author's and not that of
 * wrapping.
 */
function atIntendedBreaks(lines: string[]): string[][] {
  const width = Math.max(...lines.map((line) => line.length));
  const listed = lines.filter(isKeyed).length > 1;
  const parts: string[][] = [];
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    const [word = ''] = line.trim().split(/\s/, 1);
    const hadRoom = before !== undefined && before.length + 1 + word.length < maxShare * width;
    const isEarly = width >= minWidth && hadRoom && !/^\p{Ll}/u.test(word);
    if (before === undefined || isEarly || (listed && isKeyed(line))) parts.push([line]);
    else parts.at(-1)!.push(line);
  }
  return parts;
}

const startsItem = (line: string) => /^\s{0,8}([-*+•‣▪–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+\S/.test(line);

/** Whether a short line between blank ones is a heading: in capitals, or numbered as in standards. */
function headingLevel(lines: string[]): number | undefined {
  const [line, ...more] = lines;
  if (more.length > 0 || !line || line.length > 80 || /^\s/.test(line)) return undefined;
  const numbered = /^(\d+(?:\.\d+)*)\.?\s+\p{Lu}[^.;:]*$/u.exec(line);
  if (numbered) return Math.min(6, numbered[1]!.split('.').length);
  return /^\p{Lu}[\p{Lu}\d\s&/()',-]{2,}$/u.test(line) && line.split(/\s+/).length <= 10 ? 1 : undefined;
}

/** Whether lines are columns or drawings laid out with spaces, which joining would destroy. */
function isSet(lines: string[]): boolean {
  if (lines.length < 2) return false;
  const spaced = lines.filter((line) => /\S {3,}\S|\S\t+\S|^\s*[|+][-=+|]{3,}/.test(line)).length;
  return spaced > lines.length / 2;
}

/** Joins lines of prose. A hyphen at the end of a line is kept, since only the author knows whether it belongs to the word. */
const joined = (lines: string[]) => lines.map((line) => line.trim()).join(' ');
