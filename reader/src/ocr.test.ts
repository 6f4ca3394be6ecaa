// OCR of pages that are only images: read if the programs are installed, else reported.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Unreadable } from './failures.ts';
import { missing } from './testing/made.ts';
import { assembled, pdfFile } from './testing/pdf-file.ts';
import { blocksOf, readingOfBytes, testFolder } from './testing/reading.ts';

/** A PDF whose one page is a picture of a page of text. */
async function scanned(): Promise<Buffer> {
  const folder = await testFolder();
  const page = ['The harbour master keeps', 'a ledger of all ships.'].map((text, at) => ({
    text,
    x: 72,
    y: 120 + at * 40,
    size: 26,
  }));
  await writeFile(join(folder, 'page.pdf'), pdfFile([page]));
  execFileSync('pdftoppm', ['-r', '150', '-gray', '-singlefile', join(folder, 'page.pdf'), join(folder, 'page')]);
  const picture = readFileSync(join(folder, 'page.pgm'));
  const [head, width, height] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(picture.toString('latin1', 0, 50))!;
  const pixels = picture.subarray(head.length);
  const draw = 'q 612 0 0 792 0 0 cm /I Do Q';
  return assembled([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    `<< /Length ${draw.length} >>\nstream\n${draw}\nendstream`,
    Buffer.concat([
      Buffer.from(
        `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Length ${pixels.length} >>\nstream\n`,
      ),
      pixels,
      Buffer.from('\nendstream'),
    ]),
  ]);
}

test('a scanned page is read with the positions of its text', {
  skip: missing({ programs: ['tesseract', 'pdftoppm'] }),
}, async () => {
  const [block] = blocksOf(await readingOfBytes(await scanned(), 'scan.pdf'));
  assert.equal(block?.text, 'The harbour master keeps a ledger of all ships.');
  assert.equal(block.page, 1);
  assert.ok(
    block.box && Math.abs(block.box.x - 72) < 12 && Math.abs(block.box.y - 100) < 14,
    JSON.stringify(block.box),
  );
});

test('without the programs the message names them and the page', {
  skip: missing({ programs: ['pdftoppm'] }),
}, async () => {
  const bytes = await scanned();
  const path = process.env.PATH;
  process.env.PATH = '';
  try {
    await assert.rejects(
      readingOfBytes(bytes, 'scan.pdf'),
      (error) => error instanceof Unreadable && error.code === 'scanned' && /page 1\b.*tesseract/.test(error.message),
    );
  } finally {
    process.env.PATH = path;
  }
});
