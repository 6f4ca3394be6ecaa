// Documents that nobody here wrote: manuals of the machine as they are, printed by a browser, converted by an office suite. Each is held to how
// much of its source's words must be found again, in order.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { coverage } from '../testing/coverage.ts';
import { convertedByOffice, missing, output, printedByBrowser } from '../testing/made.ts';
import { blocksOf, kindOfReading, readingOf, readingOfBytes, testFolder, textOf } from '../testing/reading.ts';

const manual = '/usr/share/doc/ninja-build/manual.html';
const texinfo = '/usr/share/doc/libtasn1-doc/libtasn1.pdf';
const node = '/usr/share/doc/nodejs/api';

/** The words of a page as its reader sees them, by means that have nothing to do with ours. */
const shownWords = (html: string) =>
  html
    .replace(/<(script|style|head|nav)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<\/?(?:span|a|code|em|strong|b|i|tt|var|kbd)\b[^>]*>/gi, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');

/** How a typewriter makes a letter bold. */
const overstruck = new RegExp(`.${String.fromCharCode(8)}`, 'g');

function held(context: TestContext, found: number, bound: number): void {
  context.diagnostic(`text coverage ${found.toFixed(4)}, at least ${bound}`);
  assert.ok(found >= bound, `${found} of the source's words were found in order`);
}

describe('a manual in HTML', { skip: missing({ files: [manual] }) }, () => {
  test('is read whole, with its headings', async (context) => {
    const found = await readingOf(manual);
    assert.equal(kindOfReading(found), 'html');
    held(context, coverage(shownWords(readFileSync(manual, 'utf8')), textOf(found)), 0.995);
    const headings = blocksOf(found).filter(({ kind }) => kind === 'heading');
    assert.ok(headings.some(({ text, level }) => text === 'Comparison to Make' && level === 2));
  });

  test('printed to PDF by a browser', { skip: missing({ programs: ['chromium'] }) }, async (context) => {
    const found = await readingOf(await printedByBrowser(manual, await testFolder()));
    assert.equal(kindOfReading(found), 'pdf');
    held(context, coverage(shownWords(readFileSync(manual, 'utf8')), textOf(found)), 0.985);
    const heading = blocksOf(found).find(({ kind, text }) => kind === 'heading' && text === 'Comparison to Make');
    assert.ok(heading?.page && heading.box && heading.box.width > 0);
  });

  test('as a Word document of an office suite', { skip: missing({ programs: ['soffice'] }) }, async (context) => {
    const path = await convertedByOffice(manual, 'docx:MS Word 2007 XML', await testFolder(), 'writer_web_HTML');
    const found = await readingOf(path);
    assert.equal(kindOfReading(found), 'docx');
    held(context, coverage(shownWords(readFileSync(manual, 'utf8')), textOf(found)), 0.99);
    assert.ok(
      blocksOf(found).some(
        ({ kind, text, level }) => kind === 'heading' && text === 'Comparison to Make' && level === 2,
      ),
    );
  });

  test('printed to PDF by an office suite', { skip: missing({ programs: ['soffice'] }) }, async (context) => {
    const path = await convertedByOffice(manual, 'pdf:writer_web_pdf_Export', await testFolder(), 'writer_web_HTML');
    const found = await readingOf(path);
    held(context, coverage(shownWords(readFileSync(manual, 'utf8')), textOf(found)), 0.97);
  });

  test('in a mail', async (context) => {
    const html = readFileSync(manual, 'utf8');
    const body = Buffer.from(html).toString('base64').replace(/.{76}/g, '$&\r\n');
    const mail = `From: a@example.com\r\nTo: b@example.com\r\nSubject: The manual\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
    const found = await readingOfBytes(mail, 'mail.eml');
    assert.equal(kindOfReading(found), 'eml');
    held(context, coverage(shownWords(html), textOf(found)), 0.995);
  });
});

const chapter = join(node, 'dns.html');
describe('a chapter with tables and code', { skip: missing({ files: [chapter] }) }, () => {
  // Its navigation is dropped.
  test('as HTML', async (context) => {
    held(context, coverage(shownWords(readFileSync(chapter, 'utf8')), textOf(await readingOf(chapter))), 0.9);
  });

  // In print it has no table of contents, so the source is what another reader of PDFs finds.
  test('printed to PDF', { skip: missing({ programs: ['chromium', 'pdftotext'] }) }, async (context) => {
    const path = await printedByBrowser(chapter, await testFolder());
    held(context, coverage(await output('pdftotext', path, '-'), textOf(await readingOf(path))), 0.97);
  });
});

describe('a manual set by TeX', { skip: missing({ files: [texinfo], programs: ['pdftotext'] }) }, () => {
  test('is read as another reader of PDFs reads it', async (context) => {
    const found = await readingOf(texinfo);
    held(context, coverage(await output('pdftotext', texinfo, '-'), textOf(found)), 0.93);
  });
});

describe('a manual page', { skip: missing({ programs: ['man'] }) }, () => {
  test('as plain text', async (context) => {
    const text = (await output('man', 'find').catch(() => '')).replaceAll(overstruck, '');
    if (text.length < 1000) return context.skip('no manual pages on this machine');
    const found = await readingOfBytes(text, 'find.txt');
    assert.equal(kindOfReading(found), 'text');
    held(context, coverage(text, textOf(found)), 0.999);
  });
});

describe('a table', () => {
  test('as CSV, and as a workbook of an office suite', {
    skip: missing({ programs: ['soffice'], files: ['/etc/services'] }),
  }, async (context) => {
    const rows = readFileSync('/etc/services', 'utf8')
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
      .filter((cells) => cells.length >= 2);
    const csv = ['name,port,alias', ...rows.map((cells) => [cells[0], `"${cells[1]}"`, cells[2] ?? ''].join(','))].join(
      '\n',
    );
    const folder = await testFolder();
    const path = join(folder, 'services.csv');
    await writeFile(path, csv);
    const plain = await readingOf(path);
    assert.equal(kindOfReading(plain), 'csv');
    held(context, coverage(csv, textOf(plain)), 1);
    const book = await readingOf(await convertedByOffice(path, 'xlsx', folder));
    assert.equal(kindOfReading(book), 'xlsx');
    held(context, coverage(csv, textOf(book)), 1);
    assert.equal(blocksOf(book).find(({ kind }) => kind === 'row')?.header, true);
  });
});
