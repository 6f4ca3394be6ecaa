// Real documents: manuals of the system as they are, printed by a browser, converted by an office suite. Each must retain a minimum
// share of the words of its source, in order.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { coverage } from './testing/coverage.ts';
import { convertedByOffice, missing, output, printedByBrowser } from './testing/made.ts';
import { blocksOf, checkout, kindOfReading, readingOf, readingOfBytes, testFolder, textOf } from './testing/reading.ts';
import { zipFile } from './testing/zip-file.ts';

const manual = '/usr/share/doc/ninja-build/manual.html';
const texinfo = '/usr/share/doc/libtasn1-doc/libtasn1.pdf';
const node = '/usr/share/doc/nodejs/api';

/** The words of a page as displayed, extracted independently of our parsers. */
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

/** Overstrike: a letter, a backspace and the same letter mean bold. */
const overstruck = new RegExp(`.${String.fromCharCode(8)}`, 'g');

function held(context: TestContext, found: number, bound: number): void {
  context.diagnostic(`text coverage ${found.toFixed(4)}, at least ${bound}`);
  assert.ok(found >= bound, `${found} of the source's words were found in order`);
}

describe('a manual in HTML', { skip: missing({ files: [manual] }) }, () => {
  test('is read completely, with its headings', async (context) => {
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

  // The printed version has no table of contents, so another PDF reader provides the source.
  test('printed to PDF', { skip: missing({ programs: ['chromium', 'pdftotext'] }) }, async (context) => {
    const path = await printedByBrowser(chapter, await testFolder());
    held(context, coverage(await output('pdftotext', path, '-'), textOf(await readingOf(path))), 0.97);
  });
});

describe('a manual typeset by TeX', { skip: missing({ files: [texinfo], programs: ['pdftotext'] }) }, () => {
  test('has the same text as with pdftotext', async (context) => {
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

describe('a table', { skip: missing({ files: ['/etc/services'] }) }, () => {
  const rows = () =>
    readFileSync('/etc/services', 'utf8')
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
      .filter((cells) => cells.length >= 2)
      .map((cells) => [cells[0], `"${cells[1]}"`, cells[2] ?? ''].join(','));
  const table = async (): Promise<[string, string]> => {
    const csv = ['name,port,alias', ...rows()].join('\n');
    const path = join(await testFolder(), 'services.csv');
    await writeFile(path, csv);
    return [csv, path];
  };

  test('as CSV', async (context) => {
    const [csv, path] = await table();
    const found = await readingOf(path);
    assert.equal(kindOfReading(found), 'csv');
    held(context, coverage(csv, textOf(found)), 1);
  });

  test('as a workbook of an office suite', { skip: missing({ programs: ['soffice'] }) }, async (context) => {
    const [csv, path] = await table();
    const book = await readingOf(await convertedByOffice(path, 'xlsx', await testFolder()));
    assert.equal(kindOfReading(book), 'xlsx');
    held(context, coverage(csv, textOf(book)), 1);
    assert.equal(blocksOf(book).find(({ kind }) => kind === 'row')?.header, true);
  });
});

const specification = '/usr/share/doc/shared-mime-info/shared-mime-info-spec';
describe('a specification in PDF and HTML', {
  skip: missing({ files: [`${specification}.pdf`, `${specification}.html/index.html`] }),
}, () => {
  test('has the same text in both formats', async (context) => {
    const number = (name: string) => Number(/\d+/.exec(name)?.[0] ?? 0);
    const chapters = globSync('*.html', { cwd: `${specification}.html` }).sort(
      (one, other) => number(one) - number(other),
    );
    const [source, read, spoken]: [string[], string[], string[]] = [[], [], []];
    for (const chapter of chapters) {
      const path = `${specification}.html/${chapter}`;
      const found = await readingOf(path);
      source.push(readFileSync(path, 'utf8'));
      read.push(textOf(found));
      // The PDF lacks the table of contents on the first page and all tables.
      if (chapter !== 'index.html')
        spoken.push(textOf(found.filter((one) => one.type !== 'block' || one.kind !== 'row')));
    }
    held(context, coverage(shownWords(source.join('\n')), read.join('\n')), 0.98);
    const printed = await readingOf(`${specification}.pdf`);
    assert.equal(kindOfReading(printed), 'pdf');
    held(context, coverage(spoken.join('\n'), textOf(printed)), 0.98);
  });
});

test('ligatures are read as letters', { skip: missing({ files: [texinfo] }) }, async () => {
  const text = textOf(await readingOf(texinfo));
  assert.doesNotMatch(text, /[\ufb00-\ufb06]/);
  for (const word of ['file', 'definition', 'different', 'specific', 'buffer'])
    assert.match(text, new RegExp(`\\b${word}`));
});

const readmes = globSync('node_modules/{zod,yaml,pino,kysely,fastify,semver}/README.md', { cwd: checkout }).map(
  (path) => join(checkout, path),
);
/** Text as displayed: without markup and without addresses of links and pictures. */
const markdownWords = (text: string) =>
  shownWords(
    text
      .replace(/^ *```.*$/gm, '')
      .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/^\[[^\]]+\]: .*$/gm, '')
      .replace(/`/g, ''),
  );

describe('READMEs of packages', { skip: readmes.length > 0 ? false : 'no packages are there' }, () => {
  test('in Markdown', async (context) => {
    for (const path of readmes) {
      const found = await readingOf(path);
      assert.equal(kindOfReading(found), 'markdown');
      held(context, coverage(markdownWords(readFileSync(path, 'utf8')), textOf(found)), 0.97);
    }
  });

  test('in a ZIP file', async (context) => {
    const files = readmes.map((path) => ({ name: path.slice(checkout.length + 1), bytes: readFileSync(path) }));
    const found = await readingOfBytes(zipFile(files), 'manuals.zip');
    for (const { name, bytes } of files) {
      const inside = textOf(found.filter(({ part }) => part === name));
      held(context, coverage(markdownWords(bytes.toString()), inside), 0.97);
    }
  });
});

const words = join(checkout, 'node_modules/axe-core/locales/de.json');
const types = join(checkout, 'node_modules/mime-db/db.json');
describe('data', { skip: missing({ files: [words, types] }) }, () => {
  const saidIn = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([key, inner]) => (Array.isArray(value) ? saidIn(inner) : `${key} ${saidIn(inner)}`))
          .join('\n')
      : String(value);

  test('as JSON', async (context) => {
    const found = await readingOf(words);
    assert.equal(kindOfReading(found), 'json');
    held(context, coverage(saidIn(JSON.parse(readFileSync(words, 'utf8'))), textOf(found)), 0.99);
  });

  test('as JSON lines', async (context) => {
    const rows = Object.entries(JSON.parse(readFileSync(types, 'utf8')) as object).map(([type, more]) => ({
      type,
      ...more,
    }));
    const found = await readingOfBytes(rows.map((row) => JSON.stringify(row)).join('\n'), 'types.jsonl');
    assert.equal(kindOfReading(found), 'jsonl');
    held(context, coverage(rows.map(saidIn).join('\n'), textOf(found)), 0.99);
  });
});
