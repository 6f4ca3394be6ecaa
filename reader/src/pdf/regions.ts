// Reading order of a page: splits it into regions, each read from top to bottom. Text columns are found by the empty vertical strips
// between them. The drawing order, and how full the lines on both sides are, decide whether a strip separates text columns or table
// columns.
import type { Segment } from './lines.ts';

const maxRegions = 200;

/** Regions in reading order. */
export function regionsOf(segments: Segment[], size: number): Segment[][] {
  const regions: Segment[][] = [];
  divide(segments, size, 0, regions);
  return regions;
}

function divide(segments: Segment[], size: number, depth: number, regions: Segment[][]): void {
  if (segments.length === 0) return;
  const gutter = depth < 8 && regions.length < maxRegions ? bestGutter(segments, size) : undefined;
  if (!gutter) {
    regions.push(segments);
    return;
  }
  const rtl = segments.filter((segment) => segment.rtl).length * 2 > segments.length;
  for (const band of bandsOf(segments, gutter)) {
    if (band.across) {
      divide(band.segments, size, depth + 1, regions);
      continue;
    }
    const left = band.segments.filter((segment) => segment.right <= gutter.to);
    const right = band.segments.filter((segment) => segment.right > gutter.to);
    for (const side of rtl ? [right, left] : [left, right]) divide(side, size, depth + 1, regions);
  }
}

interface Gutter {
  from: number;
  to: number;
}

/**
 * A segment across the strip splits the region into bands: the part above is read before it, the part below after it.
 */
function bandsOf(segments: Segment[], gutter: Gutter): { across: boolean; segments: Segment[] }[] {
  const bands: { across: boolean; segments: Segment[] }[] = [];
  const crossing = segments.filter((segment) => crosses(segment, gutter));
  const others = segments
    .filter((segment) => !crosses(segment, gutter))
    .toSorted((one, other) => one.baseline - other.baseline);
  let at = 0;
  for (const segment of crossing.toSorted((one, other) => one.baseline - other.baseline)) {
    const before = at;
    while (at < others.length && others[at]!.baseline < segment.baseline - segment.size * 0.3) at++;
    if (at > before) bands.push({ across: false, segments: others.slice(before, at) });
    const last = bands.at(-1);
    if (last?.across) last.segments.push(segment);
    else bands.push({ across: true, segments: [segment] });
    // Segments on the same line as a crossing segment belong to it.
    while (at < others.length && Math.abs(others[at]!.baseline - segment.baseline) <= segment.size * 0.3)
      bands.at(-1)!.segments.push(others[at++]!);
  }
  if (at < others.length) bands.push({ across: false, segments: others.slice(at) });
  return bands;
}

const crosses = (segment: Segment, { from, to }: Gutter) =>
  segment.x < from + (to - from) / 2 && segment.right > from + (to - from) / 2;

/** The strip that splits the most lines, if it separates text columns. */
function bestGutter(segments: Segment[], size: number): Gutter | undefined {
  if (segments.length < 4) return undefined;
  const left = Math.min(...segments.map(({ x }) => x));
  const right = Math.max(...segments.map((segment) => segment.right));
  const bin = Math.max(1, size / 6);
  const bins = Math.min(4000, Math.ceil((right - left) / bin));
  if (!Number.isFinite(bins) || bins < 10) return undefined;
  const covered = new Float64Array(bins + 1);
  for (const segment of segments) {
    covered[Math.max(0, Math.floor((segment.x - left) / bin))]! += 1;
    covered[Math.min(bins, Math.ceil((segment.right - left) / bin))]! -= 1;
  }
  for (let at = 1; at <= bins; at++) covered[at]! += covered[at - 1]!;
  const maxCovered = Math.max(...covered);
  const candidates: (Gutter & { crossing: number })[] = [];
  // Only few segments may cross it, such as full-width headings and figures.
  const allowed = Math.max(0, Math.floor(maxCovered * 0.35));
  for (let at = Math.floor(bins * 0.08); at < bins * 0.92; at++) {
    if (covered[at]! > allowed) continue;
    const from = at;
    let crossing = 0;
    while (at < bins && covered[at]! <= allowed) crossing = Math.max(crossing, covered[at++]!);
    if ((at - from) * bin >= size * 0.9) candidates.push({ from: left + from * bin, to: left + at * bin, crossing });
  }
  candidates.sort((one, other) => one.crossing - other.crossing || other.to - other.from - (one.to - one.from));
  return candidates.slice(0, 6).find((gutter) => partsColumns(segments, gutter));
}

function partsColumns(segments: Segment[], gutter: Gutter): boolean {
  const middle = (gutter.from + gutter.to) / 2;
  const inside = segments.filter((segment) => !crosses(segment, gutter));
  const left = inside.filter((segment) => segment.right <= middle);
  const right = inside.filter((segment) => segment.right > middle);
  const leftLines = heights(left);
  const rightLines = heights(right);
  if (leftLines < 2 || rightLines < 2) return false;
  // Both sides overlap vertically.
  const overlap = Math.min(lowest(left), lowest(right)) - Math.max(highest(left), highest(right));
  if (overlap <= 0) return false;
  let switches = 0;
  let before: boolean | undefined;
  for (const segment of inside.toSorted((one, other) => one.order - other.order)) {
    const isLeft = segment.right <= middle;
    if (before !== undefined && before !== isLeft) switches++;
    before = isLeft;
  }
  const lines = Math.min(leftLines, rightLines);
  const bands = bandsOf(segments, gutter).length;
  if (switches <= Math.max(1, 2 * bands - 1, lines * 0.15) && switches < lines) return true;
  // Drawn line by line across: text columns if the lines on both sides are as full as prose.
  return lines >= 6 && isProse(left) && isProse(right);
}

function isProse(segments: Segment[]): boolean {
  const width = Math.max(...segments.map(({ right }) => right)) - Math.min(...segments.map(({ x }) => x));
  const full = segments.filter((segment) => segment.right - segment.x > width * 0.7 && segment.text.length >= 20);
  return full.length > segments.length * 0.6;
}

/** Number of lines of the segments. */
function heights(segments: Segment[]): number {
  let lines = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const { baseline, size } of segments.toSorted((one, other) => one.baseline - other.baseline)) {
    if (baseline - last > size * 0.5) {
      lines++;
      last = baseline;
    }
  }
  return lines;
}

const highest = (segments: Segment[]) => Math.min(...segments.map(({ top }) => top));
const lowest = (segments: Segment[]) => Math.max(...segments.map(({ bottom }) => bottom));
