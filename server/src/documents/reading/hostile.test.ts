// Files that are broken, odd or meant to do harm: each fails by name with its reason, or is read as far as it makes sense, and the next one is
// read as if nothing had happened.
import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { assembled, pdfFile } from '../testing/pdf-file.ts';
import {
  blocksOf,
  failureOf,
  kindOfReading,
  noticesOf,
  readingOf,
  readingOfBytes,
  short,
  testFolder,
  testReader,
  textOf,
} from '../testing/reading.ts';
import { type ZipEntry, zipFile } from '../testing/zip-file.ts';

/** The reader that all of these share still works. */
afterEach(async () => {
  assert.equal(textOf(await readingOfBytes('All is well.', 'well.txt')), 'All is well.');
});

const megabyte = 1024 * 1024;

describe('files that are not what they seem', () => {
  test('nothing, or nothing but space', async () => {
    assert.match((await failureOf('', 'empty.pdf')).message, /^it is empty$/);
    assert.match((await failureOf('  \n\t ', 'blank.txt')).message, /^no text was found in it$/);
  });

  test('the kind is that of the content, whatever the name', async () => {
    assert.equal(kindOfReading(await readingOfBytes(pdfFile([[{ text: 'Hello', x: 72, y: 72 }]]), 'notes.txt')), 'pdf');
    assert.equal(kindOfReading(await readingOfBytes('<!DOCTYPE html><p>Hello</p>', 'notes.pdf')), 'html');
    assert.equal(kindOfReading(await readingOfBytes('{"a": 1}\n{"a": 2}\n', 'data.csv')), 'jsonl');
    assert.equal(
      kindOfReading(
        await readingOfBytes('Dear Sir, I write to you, as ever, in haste.\nYours, truly, me\nPS, one, two', 'letter'),
      ),
      'text',
    );
    assert.equal(kindOfReading(await readingOfBytes('name;age\nAnn;3\nBob;4\n', 'people')), 'csv');
    assert.equal(kindOfReading(await readingOfBytes('# A\n\nText\n\n## B\n\n- one\n', 'readme')), 'markdown');
  });

  test('kinds that are not read are named with a way out', async () => {
    for (const [bytes, reason] of [
      [Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), /an image/],
      [Buffer.from('\x1f\x8b\x08\0\0\0\0', 'latin1'), /archive other than ZIP/],
      [Buffer.from('{\\rtf1 hello}'), /RTF/],
      [
        Buffer.concat([
          Buffer.from('d0cf11e0a1b11ae1', 'hex'),
          Buffer.alloc(512),
          Buffer.from('WordDocument', 'utf16le'),
        ]),
        /DOC.*save it as DOCX/,
      ],
      [Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 7) % 256)), /binary/],
    ] as const)
      assert.match((await failureOf(bytes, 'file.docx')).message, reason);
  });

  test('Office files with a password say so', async () => {
    const locked = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1024),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    const failure = await failureOf(locked, 'secret.docx');
    assert.equal(failure.code, 'encrypted');
    assert.match(failure.message, /password/);
  });
});

describe('a password', () => {
  test('on a PDF is told', async () => {
    const plain = pdfFile([[{ text: 'A page of text', x: 72, y: 72 }]]).toString('latin1');
    const junk = `<${'ab'.repeat(32)}>`;
    const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${junk} /U ${junk} /P -44 >> /ID [${junk} ${junk}]`;
    const locked = Buffer.from(plain.replace('/Root 1 0 R', `/Root 1 0 R ${lock}`), 'latin1');
    assert.match((await failureOf(locked, 'locked.pdf')).message, /password/);
  });

  test('on one file of a ZIP leaves the others', async () => {
    const found = await readingOfBytes(
      zipFile([
        { name: 'locked.txt', bytes: 'Secret.', locked: true },
        { name: 'open.txt', bytes: 'For everybody.' },
      ]),
      'some.zip',
    );
    assert.equal(textOf(found), 'For everybody.');
    assert.match(noticesOf(found).join(), /locked\.txt was passed over: .*password/);
  });
});

describe('hostile PDFs', () => {
  const good = pdfFile([[{ text: 'A page of text', x: 72, y: 72 }]]);

  test('cut off, garbage, or only a head', async () => {
    for (const bytes of [
      good.subarray(0, 60),
      Buffer.from('%PDF-1.7\n'),
      Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5000, 'x')]),
    ])
      assert.match((await failureOf(bytes, 'cut.pdf')).message, /damaged|no text|without text/);
    // A table of objects that is missing can be made again.
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

  test('a form that draws itself', async () => {
    const loop = assembled([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
      '<< /Length 5 >>\nstream\n/X Do\nendstream',
      '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream',
    ]);
    assert.match((await failureOf(loop, 'loop.pdf')).message, /./);
  });

  test('a stream that expands without measure ends at the limit of memory', async () => {
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
    assert.match((await failureOf(pdf, 'bomb.pdf', reader)).message, /memory|no text|without text/);
  });
});

describe('hostile archives', () => {
  test('names that lead elsewhere are only names', async () => {
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

  test('a broken file in an archive is passed over by name, the rest is read', async () => {
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
      /bad\.pdf: it was passed over: it is damaged[\s\S]*empty\.txt: it was passed over: it is empty/,
    );
  });

  test('bombs end at the limit, also nested, also with sizes that lie', async () => {
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

  test('files in files in files end at a depth', async () => {
    let bytes: Buffer = zipFile([{ name: 'deep.txt', bytes: 'Deep.' }]);
    for (let depth = 0; depth < 6; depth++) bytes = zipFile([{ name: 'in.zip', bytes }]);
    assert.equal((await failureOf(bytes, 'deep.zip')).code, 'depth');
  });

  test('too many files', async () => {
    const reader = await testReader({ parts: 5 });
    const many = zipFile(Array.from({ length: 9 }, (_, at) => ({ name: `${at}.txt`, bytes: 'x' })));
    assert.equal((await failureOf(many, 'many.zip', reader)).code, 'parts');
  });
});

describe('odd texts', () => {
  test('a line of 50 MB', async () => {
    const found = await readingOfBytes('word '.repeat(10 * megabyte), 'line.txt');
    const texts = blocksOf(found);
    assert.ok(texts.every(({ text }) => text.length <= 16_384));
    assert.equal(
      texts.reduce((sum, { text }) => sum + text.split(' ').length, 0),
      10 * megabyte,
    );
  });

  test('emoji, right-to-left text and broken characters', async () => {
    const text = 'A family 👨‍👩‍👧‍👦 of four.\n\nשלום עולם, مرحبا بالعالم.\n\nZero\u0000byte\u0007bell.';
    const found = blocksOf(await readingOfBytes(text.replace('\u0000', ''), 'odd.txt'));
    assert.deepEqual(
      found.map((block) => block.text),
      ['A family 👨‍👩‍👧‍👦 of four.', 'שלום עולם, مرحبا بالعالم.', 'Zerobytebell.'],
    );
  });

  test('text in the encodings that people use', async () => {
    const german = 'Größe, Öl und Übermut: die Straße heißt „Am Fluß“.'.replace(/[„“]/g, '"');
    const encoded: [string, Buffer][] = [
      [german, Buffer.from(german)],
      [german, Buffer.from(`\ufeff${german}`)],
      [german, Buffer.from(german, 'latin1')],
      [german, Buffer.from(`\ufeff${german}`, 'utf16le')],
      [german, Buffer.from(german, 'utf16le')],
      [german, Buffer.from(`\ufeff${german}`, 'utf16le').swap16()],
      [
        'Широкая электрификация южных губерний даст мощный толчок',
        Buffer.from(
          'd8e8f0eeeae0ff20fdebe5eaf2f0e8f4e8eae0f6e8ff20fee6edfbf520e3f3e1e5f0ede8e920e4e0f1f220eceef9edfbe920f2eeebf7eeea',
          'hex',
        ),
      ],
      [
        '吾輩は猫である。名前はまだ無い。',
        Buffer.from('8ce1947982cd944c82c582a082e9814296bc914f82cd82dc82be96b382a28142', 'hex'),
      ],
    ];
    for (const [text, bytes] of encoded) assert.equal(textOf(await readingOfBytes(bytes, 'text.txt')), text);
  });

  test('HTML with scripts, styles, navigation and hidden parts', async () => {
    const html = `<html><head><title>T &amp; C</title><style>p{}</style><script>alert("no")</script></head><body onload="x()">
      <nav><a href=/>Home</a></nav><h1>Terms</h1><p>One <b>bold</b> word.<script>document.write("<p>no</p>")</script></p>
      <div style="display: none">hidden</div><ul><li>first<li>second <ul><li>inner</ul></ul>
      <table><tr><th>Name<th>Age<tr><td>Ann<td>3</table><pre>a  b\n  c</pre><svg><text>no</text></svg></body></html>`;
    const found = await readingOfBytes(html, 'page.html');
    assert.deepEqual(blocksOf(found).map(short), [
      'heading1 Terms',
      'paragraph One bold word.',
      'item1 first',
      'item1 second',
      'item2 inner',
      'row! Name | Age',
      'row Ann | 3',
      'code a  b\n  c',
    ]);
    assert.deepEqual(
      found.find((one) => one.type === 'title'),
      { type: 'title', title: 'T & C' },
    );
  });

  test('HTML and JSON that are nested without end', async () => {
    const deep = (depth: number) => `<html>${'<div>'.repeat(depth)}<p>At the bottom.</p>`;
    assert.equal(textOf(await readingOfBytes(deep(5000), 'deep.html')), 'At the bottom.');
    assert.equal((await failureOf(deep(1_000_000), 'deeper.html')).code, 'nested');
    assert.equal((await failureOf(`{"a":${'['.repeat(1_000_000)}`, 'deep.json')).code, 'nested');
    assert.equal(textOf(await readingOfBytes(`${'['.repeat(5000)}"deep"${']'.repeat(5000)}`, 'deep.json')), 'deep');
    assert.ok(
      textOf(
        await readingOfBytes(
          `# Quote\n\n${'>'.repeat(50_000)} text\n\n${'- '.repeat(20_000)}x\n\n[a](${'('.repeat(50_000)}\n`,
          'deep.md',
        ),
      ),
    );
  });

  test('JSON that is none names its line', async () => {
    assert.match((await failureOf('{"a": 1,\n "b": }', 'bad.json')).message, /not valid JSON near line 2/);
    const found = await readingOfBytes('{"a": "one"}\n{"a": oops}\n{"a": "three"}\n', 'mixed.jsonl');
    assert.equal(textOf(found), 'a: one\na: three');
    assert.match(noticesOf(found).join(), /line 2/);
  });

  test('a CSV with a quote that is never closed names its line', async () => {
    const rows = `a,b\n1,2\n3,"${'x,y\n'.repeat(2 * megabyte)}`;
    const failure = await failureOf(rows, 'quote.csv');
    assert.equal(failure.code, 'row_too_long');
    assert.match(failure.message, /near line 3/);
  });
});

describe('mails', () => {
  test('with attachments, each of which is read by itself', async () => {
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

  test('mails in mails end at a depth', async () => {
    let mail = 'From: a@example.com\r\nSubject: 0\r\n\r\nText 0\r\n';
    for (let depth = 1; depth < 30; depth++)
      mail = `From: a@example.com\r\nSubject: ${depth}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B${depth}\r\n\r\n--B${depth}\r\nContent-Type: text/plain\r\n\r\nText ${depth}\r\n--B${depth}\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--B${depth}--\r\n`;
    const found = await readingOfBytes(mail, 'loop.eml');
    assert.match(textOf(found), /Text 29/);
    assert.match(noticesOf(found).join('\n'), /deep inside each other/);
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

  test('a million empty rows cost nothing, and a cell far to the right little', async () => {
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

  test('a package without its main part', async () => {
    const broken = zipFile([
      { name: '[Content_Types].xml', bytes: '<Types/>' },
      { name: 'word/document.xml', bytes: '<x/>' },
    ]);
    assert.match((await failureOf(broken, 'broken.docx')).message, /main part is missing/);
  });
});

describe('limits', () => {
  test('of silence, of time and of text', async () => {
    const big = `${'word '.repeat(200)}\n\n`.repeat(20_000);
    const quick = await testReader({ time: 0.05 });
    assert.equal((await failureOf(big, 'big.txt', quick)).code, 'time');
    const silent = await testReader({ silence: 0.02 });
    // Markdown is understood as a whole before anything of it is told: seconds of work without a word.
    const lists = '- *one* of `many`\n\n'.repeat(100_000);
    assert.equal((await failureOf(lists, 'silent.md', silent)).code, 'silence');
    const short = await testReader({ characters: 1000 });
    assert.equal((await failureOf(big, 'big.txt', short)).code, 'characters');
  });

  test('a reading that is cancelled ends at once with its process', async () => {
    const folder = await testFolder();
    const path = join(folder, 'big.txt');
    const file = createWriteStream(path);
    for (let at = 0; at < 200; at++) file.write(`${'word '.repeat(2000)}\n\n`.repeat(10));
    await new Promise<void>((done) => file.end(() => done()));
    const reader = await testReader();
    const controller = new AbortController();
    await assert.rejects(async () => {
      for await (const one of reader.read({ path, name: 'big.txt' }, controller.signal))
        if (one.type === 'block') controller.abort(new Error('no longer wanted'));
    }, /no longer wanted/);
    assert.equal(textOf(await readingOfBytes('Still there.', 'next.txt', reader)), 'Still there.');
  });

  test('leaving early ends the reading as well', async () => {
    const reader = await testReader();
    const folder = await testFolder();
    const path = join(folder, 'some.txt');
    await new Promise<void>((done) => createWriteStream(path).end('One.\n\nTwo.\n', () => done()));
    for await (const one of reader.read({ path, name: 'some.txt' })) if (one.type === 'block') break;
    assert.equal((await readingOf(path, 'some.txt', reader)).filter(({ type }) => type === 'block').length, 2);
  });
});
