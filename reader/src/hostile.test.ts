// Broken, unusual or malicious files: each fails with name and reason, or is read as far as possible, and the next file is read normally.
// PDFs are in pdf/hostile.test.ts, nested files in nested.test.ts.
import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pdfFile } from './testing/pdf-file.ts';
import {
  blocksOf,
  failureOf,
  kindOfReading,
  noticesOf,
  readingOf,
  readingOfBytes,
  short,
  staysWell,
  testFolder,
  testReader,
  textOf,
} from './testing/reading.ts';
import { zipFile } from './testing/zip-file.ts';

staysWell();

const megabyte = 1024 * 1024;

describe('detection of file kinds', () => {
  test('empty files, or files with white space only', async () => {
    assert.match((await failureOf('', 'empty.pdf')).message, /^it is empty$/);
    assert.match((await failureOf('  \n\t ', 'blank.txt')).message, /^no text was found in it$/);
  });

  test('the kind is detected by content, whatever the name', async () => {
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

  test('unsupported kinds are named with a remedy', async () => {
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

  test('a misleading file name is reported', async () => {
    const page = await readingOfBytes('<!DOCTYPE html><p>Sign in to read this.</p>', 'report.pdf');
    assert.deepEqual(noticesOf(page), ['report.pdf is not a PDF: it begins like HTML and was read as that']);
    const text = await readingOfBytes('Only words.', 'slides.PPTX');
    assert.deepEqual(noticesOf(text), [
      'slides.PPTX is not a presentation: it begins like plain text and was read as that',
    ]);
    const failure = await failureOf(Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'report.pdf');
    assert.match(failure.message, /^report\.pdf is not a PDF: it begins like an image, which is not supported; send/);
    const inside = await readingOfBytes(
      zipFile([
        { name: 'a.pdf', bytes: '<html><p>Not found</p></html>' },
        { name: 'b.docx', bytes: Buffer.from('\x1f\x8b\x08\0\0', 'latin1') },
      ]),
      'all.zip',
    );
    assert.match(noticesOf(inside).join('\n'), /a\.pdf is not a PDF[\s\S]*b\.docx is not a Word document/);
  });

  test('a matching file name is not reported', async () => {
    for (const [bytes, name] of [
      [pdfFile([[{ text: 'Hello', x: 72, y: 72 }]]), 'a.pdf'],
      ['a,b\n1,2\n', 'a.csv'],
      ['{"a": 1}\n{"a": 2}\n', 'a.json'],
      ['Some words.', 'a.html'],
      ['# Title\n\nText\n', 'a.txt'],
      ['Some words.', 'notes'],
      ['Some words.', 'notes.of.ann'],
    ] as const)
      assert.deepEqual(noticesOf(await readingOfBytes(bytes, name)), [], name);
  });

  test('Office files with a password are reported as such', async () => {
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
  test('on a PDF is reported', async () => {
    const plain = pdfFile([[{ text: 'A page of text', x: 72, y: 72 }]]).toString('latin1');
    const junk = `<${'ab'.repeat(32)}>`;
    const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${junk} /U ${junk} /P -44 >> /ID [${junk} ${junk}]`;
    const locked = Buffer.from(plain.replace('/Root 1 0 R', `/Root 1 0 R ${lock}`), 'latin1');
    assert.match((await failureOf(locked, 'locked.pdf')).message, /password/);
  });

  test('on one file of a ZIP does not affect the others', async () => {
    const found = await readingOfBytes(
      zipFile([
        { name: 'locked.txt', bytes: 'Secret.', locked: true },
        { name: 'open.txt', bytes: 'For everybody.' },
      ]),
      'some.zip',
    );
    assert.equal(textOf(found), 'For everybody.');
    assert.match(noticesOf(found).join(), /locked\.txt was skipped: .*password/);
  });
});

describe('unusual texts', () => {
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

  test('text in common encodings', async () => {
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

  test('HTML and JSON with endless nesting', async () => {
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

  test('invalid JSON is reported with its line', async () => {
    assert.match((await failureOf('{"a": 1,\n "b": }', 'bad.json')).message, /not valid JSON near line 2/);
    const found = await readingOfBytes('{"a": "one"}\n{"a": oops}\n{"a": "three"}\n', 'mixed.jsonl');
    assert.equal(textOf(found), 'a: one\na: three');
    assert.match(noticesOf(found).join(), /line 2/);
  });

  test('a CSV with an unclosed quote is reported with its line', async () => {
    const rows = `a,b\n1,2\n3,"${'x,y\n'.repeat(2 * megabyte)}`;
    const failure = await failureOf(rows, 'quote.csv');
    assert.equal(failure.code, 'row_too_long');
    assert.match(failure.message, /near line 3/);
  });
});

describe('limits', () => {
  test('apply to silence, time and text', async () => {
    const big = `${'word '.repeat(200)}\n\n`.repeat(20_000);
    const quick = await testReader({ time: 0.05 });
    assert.equal((await failureOf(big, 'big.txt', quick)).code, 'time');
    const silent = await testReader({ silence: 0.02 });
    // Markdown is parsed as a whole before the first message: seconds of work in silence.
    const lists = '- *one* of `many`\n\n'.repeat(100_000);
    assert.equal((await failureOf(lists, 'silent.md', silent)).code, 'silence');
    const short = await testReader({ characters: 1000 });
    assert.equal((await failureOf(big, 'big.txt', short)).code, 'characters');
  });

  test('cancelling a reading ends its process at once', async () => {
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

  test('leaving the loop early ends the reading', async () => {
    const reader = await testReader();
    const folder = await testFolder();
    const path = join(folder, 'some.txt');
    await new Promise<void>((done) => createWriteStream(path).end('One.\n\nTwo.\n', () => done()));
    for await (const one of reader.read({ path, name: 'some.txt' })) if (one.type === 'block') break;
    assert.equal((await readingOf(path, 'some.txt', reader)).filter(({ type }) => type === 'block').length, 2);
  });
});
