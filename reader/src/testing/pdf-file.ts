// Hand-made PDFs for tests of exact layouts: text at positions, in drawing order.

export interface Drawn {
  text: string;
  x: number;
  /** Distance from the top of the page, in points. */
  y: number;
  size?: number;
  font?: 'body' | 'bold' | 'mono';
}

const fonts = { body: 'Helvetica', bold: 'Helvetica-Bold', mono: 'Courier' } as const;
const height = 792;

export function pdfFile(pages: Drawn[][]): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const kids = pages.map((_, index) => `${6 + index * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`);
  for (const name of Object.values(fonts))
    add(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`);
  for (const [index, drawn] of pages.entries()) {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${height}] /Contents ${7 + index * 2} 0 R /Resources << /Font << /body 3 0 R /bold 4 0 R /mono 5 0 R >> >> >>`,
    );
    const content = drawn
      .map(
        ({ text, x, y, size = 10, font = 'body' }) =>
          `BT /${font} ${size} Tf 1 0 0 1 ${x} ${height - y} Tm (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`,
      )
      .join('\n');
    add(`<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`);
  }
  return assembled(objects);
}

/** Numbered objects with the cross-reference table. The first object is the catalog. */
export function assembled(objects: (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const places: number[] = [];
  let length = parts[0]!.length;
  for (const [index, body] of objects.entries()) {
    places.push(length);
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      typeof body === 'string' ? Buffer.from(body, 'latin1') : body,
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    length += part.length;
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
