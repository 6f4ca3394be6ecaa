// Broken, endless or malicious PDFs, and one that is merely very long.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { assembled, pdfFile } from '../testing/pdf-file.ts';
import { failureOf, readingOfBytes, staysWell, testReader, textOf } from '../testing/reading.ts';

staysWell();

const megabyte = 1024 * 1024;

describe('hostile PDFs', () => {
  const good = pdfFile([[{ text: 'A page of text', x: 72, y: 72 }]]);

  test('a truncated file, garbage, or only a header', async () => {
    for (const bytes of [
      good.subarray(0, 60),
      Buffer.from('%PDF-1.7\n'),
      Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5000, 'x')]),
    ])
      assert.match((await failureOf(bytes, 'cut.pdf')).message, /damaged|no text|without text/);
    // A missing object table can be rebuilt.
    const lost = Buffer.from(good.toString('latin1').replace(/startxref\n\d+/, 'startxref\n1'), 'latin1');
    assert.match(textOf(await readingOfBytes(lost, 'lost.pdf')), /A page of text/);
  });

  test('pages that contain themselves, and a count that lies', async () => {
    const loop = assembled([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 3 /Kids [2 0 R 2 0 R 2 0 R] >>',
    ]);
    assert.match((await failureOf(loop, 'loop.pdf')).message, /damaged|no progress|no text|without text/);
    const many = assembled(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 999999999 /Kids [] >>']);
    assert.match((await failureOf(many, 'many.pdf')).message, /pages|damaged|no text/);
  });

  test('a form that contains itself', async () => {
    const loop = assembled([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
      '<< /Length 5 >>\nstream\n/X Do\nendstream',
      '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream',
    ]);
    assert.match((await failureOf(loop, 'loop.pdf')).message, /./);
  });

  test('a stream bomb fails at the memory limit', async () => {
    const reader = await testReader({ memory: 400 });
    const bomb = deflateSync(Buffer.alloc(64 * megabyte, ' '), { level: 9 });
    const twice = deflateSync(bomb);
    const body = Buffer.concat([
      Buffer.from(`<< /Length ${twice.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`),
      twice,
      Buffer.from('\nendstream'),
    ]);
    const contents = Array.from({ length: 40 }, (_, at) => `${4 + at} 0 R`).join(' ');
    const pdf = assembled([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [${contents}] >>`,
      ...Array.from({ length: 40 }, () => body),
    ]);
    assert.equal((await failureOf(pdf, 'bomb.pdf', reader)).message, 'reading it needs more than 400 MB of memory');
  });
});

describe('a PDF of very many pages', () => {
  test('is read completely and in order, with a few pages in memory', async () => {
    const count = 1500;
    const lines = (page: number) =>
      Array.from({ length: 13 }, (_, line) => `Line ${line} of page ${page} tells of number ${page * 977 + line}.`);
    const pages = Array.from({ length: count }, (_, at) =>
      lines(at + 1).map((text, line) => ({ text, x: 72, y: 72 + line * 14 })),
    );
    const reader = await testReader({ memory: 400 });
    const found = await readingOfBytes(pdfFile(pages), 'long.pdf', reader);
    assert.deepEqual(
      found.flatMap((one) => (one.type === 'page' ? [[one.page, one.pages]] : [])),
      Array.from({ length: count }, (_, at) => [at + 1, count]),
    );
    // Equal text at the top and bottom of all pages would be taken for running heads.
    const text = textOf(found).replace(/\s+/g, ' ');
    let at = 0;
    for (let page = 1; page <= count; page++) {
      at = text.indexOf(lines(page)[6]!, at);
      assert.ok(at >= 0, `page ${page}`);
    }
  });
});
