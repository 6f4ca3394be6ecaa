// Detects a table in plain text and its column separator. Prose with commas is not a table.

export const separators = [',', ';', '\t', '|'] as const;
export type Separator = (typeof separators)[number];

/** The separator; undefined if the text does not look like a table. */
export function csvShape(head: string, ending: string, whole: boolean): Separator | undefined {
  const named = ending === 'csv' || ending === 'tsv' || ending === 'tab';
  const rows = (separator: Separator) => firstRows(head, separator, whole);
  let best: { separator: Separator; score: number } | undefined;
  for (const separator of separators) {
    const found = rows(separator);
    const widths = found.map((cells) => cells.length);
    const width = mode(widths);
    if (width < 2 || found.length < (named ? 1 : 3)) continue;
    const even = widths.filter((count) => count === width).length / widths.length;
    if (even < (named ? 0.5 : 0.95)) continue;
    if (!named && !isTable(found, separator, width)) continue;
    const score = even * Math.min(width, 10);
    if (!best || score > best.score) best = { separator, score };
  }
  return best?.separator ?? (ending === 'tsv' || ending === 'tab' ? '\t' : ending === 'csv' ? ',' : undefined);
}

/** Stricter check without a file extension: short, distinct, non-empty column names, and values that are not sentences. */
function isTable(rows: string[][], separator: Separator, width: number): boolean {
  const header = rows[0]!;
  if (header.length !== width || header.some((cell) => cell.trim() === '' || cell.length > 60)) return false;
  if (new Set(header).size < header.length) return false;
  const cells = rows.flat();
  const spaced = cells.filter((cell) => /^ \S/.test(cell)).length;
  // "Dear Sir, I write ..." has a space after its commas; tables rarely do.
  if (separator === ',' && spaced > cells.length * 0.2) return false;
  return cells.filter((cell) => cell.length > 200).length < cells.length * 0.1;
}

function firstRows(head: string, separator: Separator, whole: boolean): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  const text = head.slice(0, 16_384);
  for (let at = 0; at < text.length && rows.length < 50; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character === '"' && text[at + 1] === '"') cell += text[at++];
      else if (character === '"') quoted = false;
      else cell += character;
    } else if (character === '"' && cell.trim() === '') quoted = true;
    else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      if (cells.length > 0 || cell.trim() !== '') rows.push([...cells, cell.replace(/\r$/, '')]);
      cells = [];
      cell = '';
    } else cell += character;
  }
  if (whole && text.length === head.length && (cells.length > 0 || cell.trim() !== '')) rows.push([...cells, cell]);
  return rows;
}

function mode(counts: number[]): number {
  const seen = new Map<number, number>();
  for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
  return [...seen].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 0;
}
