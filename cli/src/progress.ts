// Draws progress bars and curves with characters.

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of some width, filled to a share between 0 and 1. A terminal that is too narrow still gets one character. */
export function bar(share: number, space: number): string {
  const width = Math.max(1, space);
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const full = '█'.repeat(Math.floor(filled / 8)) + eighths[filled % 8];
  return `▕${full.padEnd(width)}▏`;
}

/** Bits of the dots of a Braille cell, column by column from the top. */
const dots = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
];

/** A curve of Braille dots, labelled with the highest and the lowest value. Excess points are averaged. */
export function curve(values: number[], width: number, height: number): string[] {
  const highest = Math.max(...values);
  const lowest = Math.min(...values);
  const labels = [numberText(highest), numberText(lowest)];
  const margin = Math.max(...labels.map((label) => label.length)) + 1;
  const columns = Math.max(2, (width - margin - 1) * 2);
  const points = averaged(values, columns);
  const rows = height * 4;
  const cells = Array.from({ length: height }, () => new Array<number>(Math.ceil(points.length / 2)).fill(0));
  points.forEach((value, column) => {
    const from = highest === lowest ? 0.5 : (highest - value) / (highest - lowest);
    const row = Math.round(from * (rows - 1));
    cells[Math.floor(row / 4)]![Math.floor(column / 2)]! |= dots[column % 2]![row % 4]!;
  });
  return cells.map((line, at) => {
    const label = at === 0 ? labels[0]! : at === height - 1 ? labels[1]! : '';
    return `${label.padStart(margin - 1)} │${String.fromCodePoint(...line.map((cell) => 0x2800 + cell))}`;
  });
}

/** Averages points to the available width. */
function averaged(values: number[], maxPoints: number): number[] {
  if (values.length <= maxPoints) return values;
  return Array.from({ length: maxPoints }, (_, at) => {
    const part = values.slice(
      Math.floor((at * values.length) / maxPoints),
      Math.floor(((at + 1) * values.length) / maxPoints),
    );
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

const numberText = (value: number) =>
  value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
