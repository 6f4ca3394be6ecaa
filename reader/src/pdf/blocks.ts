// Classifies the lines of a PDF page into blocks: heading, paragraph, list item, code or table row. By the structure of a tagged PDF,
// else by size, font, distance and indentation.
import type { Block, BlockKind } from '../block.ts';
import { areKeyed, isKeyed } from '../text/keyed.ts';
import type { Group } from './group.ts';
import { type Line, linesOf, lineText, type Segment } from './lines.ts';
import type { PageSegments } from './margins.ts';
import { regionsOf } from './regions.ts';
import { onPage } from './runs.ts';
import { tableRuns } from './tables.ts';
import type { Words } from './words.ts';

export class PageBlocks {
  readonly #words: Words;
  /** Character counts by size and font over the pages so far. The most common is the body text. */
  readonly #sizes = new Map<number, number>();
  readonly #fonts = new Map<string, number>();

  constructor(words: Words) {
    this.#words = words;
  }

  learn({ segments }: PageSegments): void {
    for (const { size, font, text, mono } of segments) {
      if (!mono) count(this.#sizes, Math.round(size * 2) / 2, text.length);
      count(this.#fonts, font, text.length);
      this.#words.learn(text);
    }
  }

  *blocks(page: PageSegments): Generator<Block> {
    const body = mode(this.#sizes) ?? 10;
    const bodyFont = mode(this.#fonts) ?? '';
    for (const turn of [0, 1, 2, 3] as const) {
      const segments = page.segments.filter((segment) => segment.turn === turn);
      for (const region of isTagged(segments) ? [segments] : regionsOf(segments, body))
        for (const group of groupsOf(region, this.#words))
          yield blockOf(group, page, turn, { size: body, font: bodyFont, words: this.#words });
    }
  }
}

/** Whether the structure covers nearly all of the page, so that it is trusted. */
function isTagged(segments: Segment[]): boolean {
  let all = 0;
  let tagged = 0;
  for (const { text, element } of segments) {
    all += text.length;
    if (element) tagged += text.length;
  }
  return all > 0 && tagged >= all * 0.9;
}

function groupsOf(region: Segment[], words: Words): Group[] {
  return isTagged(region) ? taggedGroups(region, words) : laidOutGroups(linesOf(region));
}

/** One group per structure element, in structure order; text without an element keeps its drawing order. */
function taggedGroups(region: Segment[], words: Words): Group[] {
  const byElement = new Map<number, Segment[]>();
  let last = 0;
  for (const segment of region.toSorted((one, other) => one.order - other.order)) {
    last = segment.element?.number ?? last + 0.001;
    byElement.set(last, [...(byElement.get(last) ?? []), segment]);
  }
  const groups: Group[] = [];
  let row: { number: number; group: Group; header: boolean } | undefined;
  for (const [, segments] of [...byElement].sort(([one], [other]) => one - other)) {
    const element = segments[0]!.element;
    const lines = linesOf(segments);
    if (element?.role !== 'cell') {
      row = undefined;
      const isSet = (!element || element.role === 'paragraph') && lines.length > 1 && lines.every(isMono);
      const apart = !isSet && areKeyed(lines.map(lineText)) ? lines.map((line) => [line]) : [lines];
      groups.push(...apart.map((some) => ({ lines: some, apart: 2, ...(isSet ? { kind: 'code' as const } : {}) })));
      continue;
    }
    const text = words.join(lines.map(lineText));
    if (row?.number === element.row) {
      row!.group.lines.push(...lines);
      row!.group.cells!.push(text);
      row!.group.header &&= element.header === true;
    } else {
      const group: Group = { lines, kind: 'row', cells: [text], header: element.header === true, apart: 2 };
      groups.push(group);
      row = { number: element.row!, group, header: true };
    }
  }
  return groups;
}

function laidOutGroups(lines: Line[]): Group[] {
  const groups: Group[] = [];
  const tables = tableRuns(lines);
  const left = Math.min(...lines.map(({ x }) => x));
  const right = Math.max(...lines.map((line) => line.right));
  const leading = leadingOf(lines);
  let at = 0;
  let before: Line | undefined;
  while (at < lines.length) {
    const table = tables.get(at);
    if (table) {
      groups.push(...table.groups);
      at = table.until;
      before = lines[at - 1];
      continue;
    }
    const line = lines[at++]!;
    const group = groups.at(-1);
    const apart = before ? (line.baseline - before.baseline) / (leading * line.size) : 10;
    if (group && before && !group.kind && goesOn(group, before, line, apart, left, right)) group.lines.push(line);
    else groups.push({ lines: [line], apart });
    before = line;
  }
  return groups;
}

/** Typical line distance, relative to the text size. */
function leadingOf(lines: Line[]): number {
  const distances = lines
    .slice(1)
    .map((line, index) => (line.baseline - lines[index]!.baseline) / line.size)
    .filter((distance) => distance > 0.8 && distance < 2.2)
    .sort((one, other) => one - other);
  // The lower third, so that distances between paragraphs do not count.
  return distances[Math.floor(distances.length / 3)] ?? 1.2;
}

function goesOn(group: Group, before: Line, line: Line, apart: number, left: number, right: number): boolean {
  if (isMono(before) && isMono(line) && apart >= 0 && apart < 3.2) return Math.abs(before.size - line.size) < 1;
  if (apart > 1.3 || apart < 0) return false;
  if (Math.abs(before.size - line.size) > before.size * 0.08) return false;
  const first = before.cells[0]!;
  const own = line.cells[0]!;
  if (isMono(before) !== isMono(line)) return false;
  if (startsItem(lineText(line))) return false;
  const short = before.right < right - (right - left) * 0.25;
  if (short && group.lines.every((one) => isKeyed(lineText(one))) && isKeyed(lineText(line))) return false;
  const ended = /[.!?:;。”"')\]]$/.test(lineText(before));
  // A short line ends a paragraph; an indented one begins one, unless the paragraph has a hanging indent or is centred.
  if (ended && short && !first.rtl) return false;
  if (startsItem(lineText(group.lines[0]!)) && line.x > group.lines[0]!.x - 1) return true;
  const indented = line.x - before.x > line.size * 0.8 && line.x - before.x < line.size * 5;
  if (ended && indented && !own.rtl && group.lines.length > 0 && Math.abs(before.x - left) < 2) return false;
  // A bold line above a text is a heading, even without extra distance.
  return !(
    group.lines.length === 1 &&
    first.font !== own.font &&
    before.cells.length === 1 &&
    before.right < right - (right - left) * 0.3 &&
    !/[,;]$/.test(lineText(before)) &&
    wholeFont(before) &&
    wholeFont(line)
  );
}

const isMono = (line: Line) => line.cells.every(({ mono }) => mono);
const wholeFont = (line: Line) => line.cells.length === 1;

const bullet = /^[•◦▪▫●○■□‣⁃∙·–—*o-]\s+\S/;
const startsItem = (text: string) =>
  bullet.test(text) || /^(\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivx]{1,4}[.)])\s+\S/.test(text);

interface Body {
  size: number;
  font: string;
  words: Words;
}

function blockOf(group: Group, page: PageSegments, turn: 0 | 1 | 2 | 3, body: Body): Block {
  const { lines } = group;
  const kind = group.kind ?? kindOf(group, body.size, body.font);
  const text = group.cells?.join(' | ') ?? (kind === 'code' ? setLines(lines) : body.words.join(lines.map(lineText)));
  const x = Math.min(...lines.map((line) => line.x));
  const y = Math.min(...lines.map(({ top }) => top));
  const box = onPage(
    {
      x,
      y,
      width: Math.max(...lines.map(({ right }) => right)) - x,
      height: Math.max(...lines.map(({ bottom }) => bottom)) - y,
    },
    turn,
    page,
  );
  const block: Block = { type: 'block', kind, text, page: page.number, box: rounded(box) };
  const element = lines[0]!.cells[0]!.element;
  if (kind === 'heading')
    block.level = element?.role === 'heading' ? element.level : headingLevel(lines[0]!.size / body.size);
  if (kind === 'item') block.level = element?.role === 'item' ? element.level : 1;
  if (kind === 'row' && group.header && group.cells!.length > 1) block.header = true;
  return block;
}

function kindOf({ lines, apart }: Group, body: number, bodyFont: string): BlockKind {
  const first = lines[0]!;
  const element = first.cells[0]!.element;
  if (element?.role === 'heading') return 'heading';
  if (element?.role === 'item') return 'item';
  const text = lines.map(lineText).join(' ');
  if (lines.every(isMono) && (lines.length > 1 || apart > 1.3)) return 'code';
  const larger = first.size > body * 1.12 && lines.every(({ size }) => size > body * 1.1);
  const wordy = /\p{L}{2}/u.test(text);
  if (!element && larger && lines.length <= 4 && text.length < 250 && wordy) return 'heading';
  if (startsItem(text)) {
    const numbered = /^\d/.test(text) && lines.length === 1 && first.cells[0]!.font !== bodyFont && apart > 1.3;
    if (!numbered) return 'item';
  }
  // A bold heading in body size: in another font, alone on its line, with space above.
  const own = first.cells[0]!;
  const standsOut =
    lines.length === 1 && apart > 1.25 && own.font !== bodyFont && !own.mono && first.size > body * 0.97 && !larger;
  if (!element && standsOut && wordy && text.length < 100 && /^[\p{Lu}\d]/u.test(text) && !/[.,;:]$/.test(text))
    return 'heading';
  return 'paragraph';
}

function headingLevel(ratio: number): number {
  if (ratio > 1.85) return 1;
  if (ratio > 1.45) return 2;
  if (ratio > 1.22) return 3;
  return ratio > 1.1 ? 4 : 5;
}

/** Monospaced text keeps its lines and indentation. */
function setLines(lines: Line[]): string {
  const left = Math.min(...lines.map(({ x }) => x));
  return lines
    .map((line) => {
      const width = line.size * 0.6;
      return (
        ' '.repeat(Math.min(60, Math.max(0, Math.round((line.x - left) / width)))) +
        line.cells.map(({ text }) => text).join('  ')
      );
    })
    .join('\n');
}

const rounded = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  x: Math.round(x * 10) / 10,
  y: Math.round(y * 10) / 10,
  width: Math.round(width * 10) / 10,
  height: Math.round(height * 10) / 10,
});

function count<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  // With thousands of fonts or sizes there is no body font.
  if (counts.has(key) || counts.size < 1000) counts.set(key, (counts.get(key) ?? 0) + by);
}

function mode<Key>(counts: Map<Key, number>): Key | undefined {
  let best: [Key, number] | undefined;
  for (const entry of counts) if (!best || entry[1] > best[1]) best = entry;
  return best?.[0];
}
