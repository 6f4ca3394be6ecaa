// Sections of text without headings: a short line above key-value lines or a table is their heading. Without it, the facts of a
// section would be taken for facts about the whole document.
import type { StoredPassage } from '../stored-passages.ts';
import { isKey, spaced } from './found-fact.ts';

/** Heading for lines under a line that cannot be distinguished from a value, so that their subject is unknown. */
export const unknownSection = '?';

const isRow = (line: string | undefined): boolean => line?.includes(' | ') === true;
const keyed = /^(?:[-*•–]\s+)?(\p{Lu}[^:|]{1,40}?)\s*:\s+\S/u;
/** "2.1) " before a line. A number without punctuation after it may belong to the key: "24 Hour hotline", "1.5 Litre bottle". */
export const listed = /^\d+(?:\.\d+)*[.)]\s+/;

/** Whether a line has the form of a property with its value. */
export const isKeyed = (line: string | undefined): boolean =>
  isKey(keyed.exec(spaced(line ?? '').replace(listed, ''))?.[1] ?? '');

/** Whether a line can be a title: short, capitalized, without an end of a sentence. */
export const isTitle = (line: string): boolean =>
  /^\p{Lu}[^|]{1,78}[\p{L}\p{N})]$/u.test(line) && line.split(' ').length <= 8 && !/[:.!?] |, /.test(line);

/** Splits a passage into parts, each with the heading of its lines. */
export function sectioned(passage: StoredPassage): StoredPassage[] {
  const lines = passage.text.split('\n');
  const starts = lines.flatMap((line, at) => (startsSection(lines, at, passage) ? [{ at, line: spaced(line) }] : []));
  if (starts.length === 0) return [passage];
  const parts: StoredPassage[] = [];
  const add = (from: number, to: number, headings: string[]) => {
    const text = lines.slice(from, to).join('\n');
    if (text.trim() !== '') parts.push({ ...passage, text, headings });
  };
  add(0, starts[0]!.at, passage.headings);
  for (const [place, { at, line }] of starts.entries()) {
    const below = lines.slice(at + 1, starts[place + 1]?.at);
    const until = at + 1 + linesBeforeProse(below);
    // "Manufacturer" and its value above lines: the heading among them is ambiguous.
    const heading = at > 0 && isTitle(lines[at - 1]!) && !isTop(passage, at - 1) ? unknownSection : line;
    add(at + 1, until, [...passage.headings, heading]);
    add(until, starts[place + 1]?.at ?? lines.length, passage.headings);
  }
  return parts;
}

/** The first line of a document without a heading is its title. */
const isTop = ({ number, headings }: StoredPassage, at: number): boolean =>
  number === 0 && headings.length === 0 && at === 0;

function startsSection(lines: string[], at: number, passage: StoredPassage): boolean {
  const line = spaced(lines[at]!);
  if (isTop(passage, at) || !isTitle(line) || isKeyed(line)) return false;
  const [next, after] = [lines[at + 1], lines[at + 2]];
  // A line between rows is the title of a section of the table.
  const isTable = passage.headings.length === 0 && !isRow(lines[at - 1]) && isRow(next) && isRow(after);
  return (isKeyed(next) && isKeyed(after)) || isTable;
}

/** The number of lines until prose begins. */
function linesBeforeProse(lines: string[]): number {
  const end = lines.findIndex((line) => !isRow(line) && !line.includes(':'));
  return end < 0 ? lines.length : end;
}
