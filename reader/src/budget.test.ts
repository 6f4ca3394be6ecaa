// Files that cost far more than their size (bombs): each is read or fails with the reason within a budget proportional to the upload.
// Large legitimate files stay within their budget.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { budgetOf, defaultLimits } from './limits.ts';
import { defaultPassageLimits } from './passages/cut.ts';
import { DocumentReader } from './read.ts';
import { embedderTokenizer } from './testing/embedder.ts';
import { assembled, pdfFile } from './testing/pdf-file.ts';
import { failureOf, noticesOf, readingOfBytes, staysWell, testFolder, testReader, textOf } from './testing/reading.ts';
import { overlappingZip, quotedZip, zipFile } from './testing/zip-file.ts';

staysWell();

const megabyte = 1024 * 1024;

describe('archives', () => {
  test("unpack nested archives to no more than the upload's budget", async () => {
    // Blanks, since 40 MB of words would be cut into passages for most of a minute.
    const inner = zipFile([{ name: 'ones.txt', bytes: `${' '.repeat(40 * megabyte)}1` }]);
    const bomb = zipFile(Array.from({ length: 6 }, (_, at) => ({ name: `${at}.zip`, bytes: inner })));
    const found = await readingOfBytes(bomb, 'bomb.zip');
    // One archive of 40 MB fits into the 64 MB of a small upload.
    assert.deepEqual(
      [...new Set(found.filter((one) => one.type === 'block').map(({ part }) => part))],
      ['0.zip/ones.txt'],
    );
    const passedOver = noticesOf(found).filter((text) => /unpacked it is larger than 67108864 bytes/.test(text));
    assert.equal(passedOver.length, 5);
  });

  test('apply the same budget to workbooks and documents', async () => {
    const sheet = `<worksheet>${' '.repeat(30 * megabyte)}<sheetData><row><c t="inlineStr"><is><t>v</t></is></c></row></sheetData></worksheet>`;
    const inner = workbook(sheet);
    const bomb = zipFile(['a', 'b', 'c', 'd'].map((name) => ({ name: `${name}.xlsx`, bytes: inner })));
    const found = await readingOfBytes(bomb, 'workbooks.zip');
    const cells = found.filter((one) => one.type === 'block' && one.kind === 'row');
    assert.deepEqual(
      cells.map(({ part }) => part),
      ['a.xlsx', 'b.xlsx'],
    );
    assert.equal(noticesOf(found).filter((text) => /unpacked it is larger/.test(text)).length, 2);
  });

  test('share one time budget', async () => {
    const reader = await testReader({ time: 0.8 });
    const slow = '*a _b '.repeat(500_000);
    const entries = Array.from({ length: 10 }, (_, at) => ({ name: `${at}.md`, bytes: `${slow}${at}` }));
    const zip = zipFile([{ name: 'quick.txt', bytes: 'Quick.' }, ...entries]);
    const notices = noticesOf(await readingOfBytes(zip, 'slow.zip', reader));
    // Files after the one that exceeded the budget are not started.
    assert.match(notices.at(-1)!, /^9\.md: it was skipped: .*more than 0\.8 seconds of work/);
    assert.ok(notices.length > 2, notices.join('\n'));
  });

  test('are refused if their entries overlap', async () => {
    for (const zip of [overlappingZip(300, megabyte), quotedZip(200, megabyte)])
      assert.equal((await failureOf(zip, 'overlap.zip')).code, 'overlapping');
  });

  test('are read if they have gaps between entries or empty entries', async () => {
    const zip = zipFile([
      { name: 'folder/', bytes: '' },
      { name: 'one.txt', bytes: 'One.' },
      { name: 'two.txt', bytes: 'Two.' },
    ]);
    assert.equal(textOf(await readingOfBytes(zip, 'plain.zip')), 'One.\nTwo.');
  });
});

describe('PDFs', () => {
  const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>';
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  const content = (text: string) => {
    const packed = deflateSync(text);
    const head = Buffer.from(`<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`);
    return Buffer.concat([head, packed, Buffer.from('\nendstream')]);
  };

  test('are refused if they list one page a hundred thousand times', async () => {
    const count = 100_000;
    const tree = `<< /Type /Pages /Count ${count} /Kids [${'3 0 R '.repeat(count)}] >>`;
    const text = 'BT /F 10 Tf 1 0 0 1 72 700 Tm (Some words) Tj ET';
    const failure = await failureOf(assembled([catalog, tree, page, content(text), font]), 'pages.pdf');
    assert.match(failure.message, /it has 100000 pages, and at most \d{4} are read of a file of its size/);
  });

  test('fail at a limit if a page unpacks to hundreds of megabytes', async () => {
    const reader = await testReader({ memory: 350 });
    const tree = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
    const text = 'BT /F 10 Tf (a) Tj ET\n'.repeat(5_000_000);
    const { code } = await failureOf(assembled([catalog, tree, page, content(text), font]), 'page.pdf', reader);
    assert.ok(['memory', 'time'].includes(code), code);
  });

  test('are read if they have many real pages', async () => {
    const pages = Array.from({ length: 300 }, (_, number) => [
      { text: `Page ${number} says that valve ${number * 977} is opened by hand.`, x: 72, y: 72 },
    ]);
    const found = await readingOfBytes(pdfFile(pages), 'manual.pdf');
    assert.match(textOf(found), /Page 299 says that valve 292123/);
  });
});

describe('wide files', () => {
  test('a table of a hundred thousand columns is read', async () => {
    const row = (word: string) => Array.from({ length: 100_000 }, (_, at) => `${word}${at}`).join(',');
    const text = textOf(await readingOfBytes(`${row('name')}\n${row('value')}\n`, 'wide.csv'));
    assert.ok(text.includes('name99999') && text.includes('value99999'));
  });

  test('a row above the maximum length is reported', async () => {
    const failure = await failureOf(`a,b\n1,"${'x'.repeat(5 * megabyte)}\n`, 'wider.csv');
    assert.equal(failure.code, 'row_too_long');
  });

  test('a sheet with an excessive number of columns is read', async () => {
    const cells = Array.from({ length: 250_000 }, (_, at) => `<c t="inlineStr"><is><t>v${at}</t></is></c>`).join('');
    const sheet = `<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`;
    assert.ok(textOf(await readingOfBytes(workbook(sheet), 'wide.xlsx')).includes('v249999'));
  });

  test('a page of a million nested elements is refused', async () => {
    assert.equal((await failureOf(`<html>${'<div>'.repeat(1_000_000)}x`, 'deep.html')).code, 'nested');
  });

  test('a page of half a million sibling elements is read', async () => {
    const text = textOf(await readingOfBytes(`<html>${'<b>x</b> '.repeat(500_000)}end`, 'flat.html'));
    assert.ok(text.endsWith('end'));
  });

  test('a line of digits without spaces is split into passages', {
    skip: embedderTokenizer ? false : 'needs the engine',
  }, async () => {
    const reader = new DocumentReader({
      scratch: await testFolder(),
      passages: { tokenizer: embedderTokenizer!, limits: defaultPassageLimits },
    });
    try {
      const found = await readingOfBytes('1'.repeat(megabyte), 'digits.txt', reader);
      assert.ok(found.some(({ type }) => type === 'passage'));
    } finally {
      await reader.close();
    }
  });
});

describe('the budget of an upload', () => {
  test('grows with its size between a floor and a ceiling', () => {
    const small = budgetOf(10, defaultLimits);
    const large = budgetOf(200 * megabyte, defaultLimits);
    assert.deepEqual([small.time, small.expanded], [120, 64 * megabyte]);
    assert.deepEqual([large.time, large.expanded], [defaultLimits.time, defaultLimits.expanded]);
    assert.deepEqual(budgetOf(10, { ...defaultLimits, time: 5 }).time, 5);
    const middle = budgetOf(10 * megabyte, defaultLimits);
    assert.deepEqual([middle.time, middle.expanded], [200, 1000 * megabyte]);
  });
});

function workbook(sheet: string): Buffer {
  return zipFile([
    { name: '[Content_Types].xml', bytes: '<Types/>' },
    {
      name: '_rels/.rels',
      bytes: '<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    },
    {
      name: 'xl/workbook.xml',
      bytes: '<workbook xmlns:r="r"><sheets><sheet name="Data" sheetId="1" r:id="s"/></sheets></workbook>',
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      bytes: '<Relationships><Relationship Id="s" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    },
    { name: 'xl/worksheets/sheet1.xml', bytes: sheet },
  ]);
}
