// Broken or malicious files that contain files: archives, mails, workbooks. Intact parts are read, the rest is reported, and limits
// apply to all of it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  blocksOf,
  failureOf,
  noticesOf,
  readingOfBytes,
  short,
  staysWell,
  testReader,
  textOf,
} from './testing/reading.ts';
import { type ZipEntry, zipFile } from './testing/zip-file.ts';

staysWell();

const megabyte = 1024 * 1024;

describe('hostile archives', () => {
  test('path traversal in entry names has no effect', async () => {
    const found = await readingOfBytes(
      zipFile([
        { name: '../../../etc/passwd', bytes: 'First file.' },
        { name: '/etc/shadow', bytes: 'Second file.' },
        { name: 'C:\\Windows\\win.ini', bytes: 'Third file.' },
        { name: 'same.txt', bytes: 'Fourth file.' },
        { name: 'same.txt', bytes: 'Fifth file.' },
      ]),
      'names.zip',
    );
    assert.deepEqual(
      found.filter((one) => one.type === 'block').map((one) => [one.part, one.text]),
      [
        ['etc/passwd', 'First file.'],
        ['etc/shadow', 'Second file.'],
        ['Windows/win.ini', 'Third file.'],
        ['same.txt', 'Fourth file.'],
        ['same.txt (2)', 'Fifth file.'],
      ],
    );
  });

  test('a broken file in an archive is reported and the rest is read', async () => {
    const found = await readingOfBytes(
      zipFile([
        { name: 'good.txt', bytes: 'A good file.' },
        { name: 'bad.pdf', bytes: '%PDF-1.4 nothing' },
        { name: 'empty.txt', bytes: '' },
      ]),
      'mixed.zip',
    );
    assert.equal(textOf(found), 'A good file.');
    assert.match(
      noticesOf(found).join('\n'),
      /bad\.pdf: it was skipped: it is damaged[\s\S]*empty\.txt: it was skipped: it is empty/,
    );
  });

  test('bombs fail at the limit, also nested ones and those with false sizes', async () => {
    const reader = await testReader({ expanded: 20 * megabyte });
    const zeros = (name: string): ZipEntry => ({ name, bytes: Buffer.alloc(9 * megabyte, 'a ') });
    assert.equal(
      (await failureOf(zipFile([zeros('1.txt'), zeros('2.txt'), zeros('3.txt')]), 'bomb.zip', reader)).code,
      'expanded',
    );
    const inner = zipFile([zeros('1.txt'), zeros('2.txt')]);
    const nested = await readingOfBytes(
      zipFile(['a', 'b', 'c'].map((name) => ({ name: `${name}.zip`, bytes: inner }))),
      'nested.zip',
      reader,
    );
    assert.match(noticesOf(nested).join('\n'), /larger than/);
    const liar = zipFile([{ name: 'liar.txt', bytes: Buffer.alloc(9 * megabyte, 'a '), claims: 10 }]);
    assert.match((await failureOf(liar, 'liar.zip', reader)).message, /no text|too many bytes|damaged/);
  });

  test('nesting is limited in depth', async () => {
    let bytes: Buffer = zipFile([{ name: 'deep.txt', bytes: 'Deep.' }]);
    for (let depth = 0; depth < 6; depth++) bytes = zipFile([{ name: 'in.zip', bytes }]);
    assert.equal((await failureOf(bytes, 'deep.zip')).code, 'depth');
  });

  test('the number of files is limited', async () => {
    const reader = await testReader({ parts: 5 });
    const many = zipFile(Array.from({ length: 9 }, (_, at) => ({ name: `${at}.txt`, bytes: 'x' })));
    assert.equal((await failureOf(many, 'many.zip', reader)).code, 'parts');
  });
});

describe('mails', () => {
  test('attachments are read one by one', async () => {
    const zip = zipFile([{ name: 'inner.txt', bytes: 'Inside the archive.' }]).toString('base64');
    const mail = [
      'From: Ann <ann@example.com>',
      'To: bob@example.com',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=B',
      '',
      '--B',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Sch=F6ne Gr=FC=DFe.',
      '',
      '--B',
      'Content-Type: application/zip; name=a.zip',
      'Content-Disposition: attachment; filename="../a.zip"',
      'Content-Transfer-Encoding: base64',
      '',
      zip,
      '',
      '--B',
      'Content-Type: message/rfc822',
      '',
      'From: cid@example.com',
      'Subject: Forwarded',
      '',
      'The forwarded text.',
      '',
      '--B--',
      '',
    ].join('\r\n');
    const found = await readingOfBytes(mail, 'mail.eml');
    assert.deepEqual(
      found
        .filter((one) => one.type === 'block' && one.kind === 'paragraph' && !/From/.test(one.text))
        .map((one) => [one.part, one.type === 'block' && one.text]),
      [
        [undefined, 'Schöne Grüße.'],
        ['a.zip/inner.txt', 'Inside the archive.'],
        ['message.eml', 'The forwarded text.'],
      ],
    );
    assert.deepEqual(
      found.find((one) => one.type === 'title'),
      { type: 'title', title: 'Grüße' },
    );
  });

  test('mails in mails are limited in depth', async () => {
    let mail = 'From: a@example.com\r\nSubject: 0\r\n\r\nText 0\r\n';
    for (let depth = 1; depth < 30; depth++)
      mail = `From: a@example.com\r\nSubject: ${depth}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B${depth}\r\n\r\n--B${depth}\r\nContent-Type: text/plain\r\n\r\nText ${depth}\r\n--B${depth}\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--B${depth}--\r\n`;
    const found = await readingOfBytes(mail, 'loop.eml');
    assert.match(textOf(found), /Text 29/);
    assert.match(noticesOf(found).join('\n'), /are nested more than/);
  });
});

describe('workbooks', () => {
  const workbook = (sheet: Buffer | string, more: ZipEntry[] = []) =>
    zipFile([
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
        bytes:
          '<Relationships><Relationship Id="s" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      },
      { name: 'xl/worksheets/sheet1.xml', bytes: sheet },
      ...more,
    ]);

  test('a million empty rows and a cell in a far column cost little', async () => {
    const rows = '<row><c/><c t="n"></c></row>'.repeat(1_000_000);
    const sheet = `<worksheet><sheetData>${rows}<row r="1000001"><c r="XFD1000001" t="inlineStr"><is><t>far</t></is></c></row></sheetData></worksheet>`;
    const found = blocksOf(await readingOfBytes(workbook(sheet), 'rows.xlsx'));
    assert.deepEqual(found.map(short), ['heading1 Data', 'row far']);
    assert.equal(found[1]!.line, 1_000_001);
  });

  test('entities of a document type are not expanded', async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "${'&a;'.repeat(1000)}"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    const sheet = `${laughs}<worksheet><sheetData><row><c t="inlineStr"><is><t>x &b; &f; y</t></is></c></row></sheetData></worksheet>`;
    const text = textOf(await readingOfBytes(workbook(sheet), 'laughs.xlsx'));
    assert.ok(!/aaaa|root:/.test(text) && text.length < 100, text);
  });

  test('a package without its main part is refused', async () => {
    const broken = zipFile([
      { name: '[Content_Types].xml', bytes: '<Types/>' },
      { name: 'word/document.xml', bytes: '<x/>' },
    ]);
    assert.match((await failureOf(broken, 'broken.docx')).message, /main part is missing/);
  });
});
