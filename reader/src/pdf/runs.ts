// Text runs of a page as drawn: position on the displayed page, size, font, and the structure element that they belong to in a tagged
// PDF.

import type { Box } from '../block.ts';
import { cleanText } from '../block.ts';
import type { PDFPageProxy, TextContent, TextItem } from './pdfjs.ts';
import { type Element, elementsOf } from './tags.ts';

export interface Run {
  text: string;
  /** In points from the top left corner. Rotated text uses the frame in which it is upright. */
  x: number;
  width: number;
  baseline: number;
  size: number;
  font: string;
  mono: boolean;
  rtl: boolean;
  /** Rotation in quarter turns, clockwise. */
  turn: 0 | 1 | 2 | 3;
  element: Element | undefined;
}

export interface PageText {
  number: number;
  width: number;
  height: number;
  runs: Run[];
}

export async function pageText(page: PDFPageProxy): Promise<PageText> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const content = await page.getTextContent({ includeMarkedContent: true });
  const elements = await elementsOf(page);
  const open: (string | undefined)[] = [];
  const runs: Run[] = [];
  for (const item of content.items) {
    if ('str' in item) {
      const run = runOf(item, content, transform, width, height);
      if (!run) continue;
      const id = open.findLast((one) => one !== undefined && elements.has(one));
      run.element = id === undefined ? undefined : elements.get(id);
      if (!repeats(runs, run)) runs.push(run);
    } else if (item.type === 'endMarkedContent') open.pop();
    else open.push(item.id ?? undefined);
  }
  return { number: page.pageNumber, width, height, runs };
}

function runOf(
  item: TextItem,
  content: TextContent,
  view: number[],
  pageWidth: number,
  pageHeight: number,
): Run | undefined {
  const text = cleanText(item.str).replace(/\s+/g, ' ');
  if (text === '') return undefined;
  const [a, b, c, d, e, f] = multiplied(view, item.transform as number[]);
  const size = Math.hypot(c, d);
  if (!Number.isFinite(size + e + f + item.width) || size < 0.5) return undefined;
  // Skips invisible text outside of the page.
  if (e < -size || f < -size || e > pageWidth + size || f > pageHeight + size) return undefined;
  const turn = (((Math.round(Math.atan2(b, a) / (Math.PI / 2)) % 4) + 4) % 4) as Run['turn'];
  const { x, y } = turned(e, f, turn, pageWidth, pageHeight);
  const style = content.styles[item.fontName];
  return {
    text,
    x,
    width: item.width,
    baseline: y,
    size,
    font: item.fontName,
    mono: style?.fontFamily === 'monospace',
    rtl: item.dir === 'rtl',
    turn,
    element: undefined,
  };
}

/** Detects fake bold: the same text drawn twice with a tiny offset. */
function repeats(runs: Run[], run: Run): boolean {
  const near = (other: Run) =>
    other.text === run.text &&
    Math.abs(other.x - run.x) < run.size * 0.1 &&
    Math.abs(other.baseline - run.baseline) < run.size * 0.1;
  return run.text !== ' ' && runs.slice(-4).some(near);
}

function multiplied(one: number[], other: number[]): [number, number, number, number, number, number] {
  const [a, b, c, d, e, f] = one as [number, number, number, number, number, number];
  const [g, h, i, j, k, l] = other as [number, number, number, number, number, number];
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** Rotates a point back by some quarter turns. */
function turned(x: number, y: number, turn: Run['turn'], width: number, height: number): { x: number; y: number } {
  if (turn === 1) return { x: y, y: width - x };
  if (turn === 2) return { x: width - x, y: height - y };
  if (turn === 3) return { x: height - y, y: x };
  return { x, y };
}

/** Converts a rectangle from the frame of rotated text to the page. */
export function onPage({ x, y, width, height }: Box, turn: Run['turn'], page: { width: number; height: number }): Box {
  if (turn === 1) return { x: page.width - y - height, y: x, width: height, height: width };
  if (turn === 2) return { x: page.width - x - width, y: page.height - y - height, width, height };
  if (turn === 3) return { x: y, y: page.height - x - width, width: height, height: width };
  return { x, y, width, height };
}
