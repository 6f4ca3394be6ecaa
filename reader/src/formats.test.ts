// Whole files of every supported format: the text comes out in order, with headings, items and rows marked, and with places.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { docxFile, paragraph, pptxFile, tableOf, xlsxFile } from './testing/office-files.ts';
import { pdfFile } from './testing/pdf-file.ts';
import { blocksOf, kindOfReading, noticesOf, readingOfBytes, short, textOf } from './testing/reading.ts';
import { zipFile } from './testing/zip-file.ts';

const read = async (bytes: string | Uint8Array, name: string) => {
  const found = await readingOfBytes(bytes, name);
  return { found, kind: kindOfReading(found), blocks: blocksOf(found), shown: blocksOf(found).map(short) };
};

const handbook = docxFile('The handbook', [
  paragraph('Opening hours', '<w:pStyle w:val="Chapter"/>'),
  paragraph('The library opens at 9 am &amp; closes at 5 pm.'),
  paragraph('Ring the bell.', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
  paragraph('Wait.', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
  tableOf([
    ['Part', 'Code'],
    ['red valve', 'RV-2207'],
  ]),
  '<w:p><w:r><w:t>Kept </w:t></w:r><w:del><w:r><w:delText>and deleted</w:delText></w:r></w:del><w:r><w:t>here.</w:t></w:r></w:p>',
]);

describe('Word documents', () => {
  test('keep headings by inherited styles, numbered lists, tables and footnotes, without deleted text', async () => {
    const { kind, found, shown } = await read(handbook, 'handbook.docx');
    assert.equal(kind, 'docx');
    assert.ok(found.some((one) => one.type === 'title' && one.title === 'The handbook'));
    assert.deepEqual(shown, [
      'heading1 Opening hours',
      'paragraph The library opens at 9 am & closes at 5 pm.',
      'item1 1. Ring the bell.',
      'item1 2. Wait.',
      'row! Part | Code',
      'row red valve | RV-2207',
      'paragraph Kept here.',
      'paragraph A note at the foot.',
    ]);
  });
});

describe('presentations', () => {
  const slides = pptxFile('The talk', [
    { title: 'Welcome', items: ['First point', 'Second point'], notes: 'Greet everybody.' },
    {
      title: 'Prices',
      table: [
        ['Item', 'Price'],
        ['Lamp', '12'],
      ],
    },
  ]);

  test('a slide is a page: first its title, then items and tables, then the speaker notes', async () => {
    const { kind, blocks, shown, found } = await read(slides, 'talk.pptx');
    assert.equal(kind, 'pptx');
    assert.ok(found.some((one) => one.type === 'title' && one.title === 'The talk'));
    assert.deepEqual(shown, [
      'heading1 Welcome',
      'item1 First point',
      'item1 Second point',
      'paragraph Greet everybody.',
      'heading1 Prices',
      'row! Item | Price',
      'row Lamp | 12',
    ]);
    assert.deepEqual(
      blocks.map(({ page }) => page),
      [1, 1, 1, 1, 2, 2, 2],
    );
    assert.deepEqual(blocks[0]!.box, { x: 72, y: 72, width: 144, height: 36 });
    assert.deepEqual(
      found.filter((one) => one.type === 'page').map(({ page, pages }) => `${page} of ${pages}`),
      ['1 of 2', '2 of 2'],
    );
  });
});

describe('workbooks', () => {
  test('keep every sheet with its name, rows with their line, numbers and dates as displayed', async () => {
    const book = xlsxFile('Stock', {
      Lamps: [
        ['Name', 'Price', 'Since'],
        ['Brass lamp', 12.5, { day: 46_347 }],
      ],
      Empty: [],
      Notes: [['Ask Dana Reyes first.']],
    });
    const { kind, blocks, shown } = await read(book, 'stock.xlsx');
    assert.equal(kind, 'xlsx');
    assert.deepEqual(shown, [
      'heading1 Lamps',
      'row! Name | Price | Since',
      'row Brass lamp | 12.5 | 2026-11-21',
      'heading1 Empty',
      'heading1 Notes',
      'row Ask Dana Reyes first.',
    ]);
    assert.equal(blocks[2]!.line, 2);
  });
});

describe('text with structure', () => {
  test('Markdown: headings, lists, tables and code', async () => {
    const { kind, shown, blocks } = await read(
      '# Library\n\nOpens *early*, see [hours](#h).\n\n## Rules\n\n- Be quiet\n- Be kind\n  - always\n\n| Part | Code |\n|---|---|\n| valve | RV-1 |\n\n```sh\nls # no heading\n```\n',
      'rules.md',
    );
    assert.equal(kind, 'markdown');
    assert.deepEqual(shown, [
      'heading1 Library',
      'paragraph Opens early, see hours.',
      'heading2 Rules',
      'item1 Be quiet',
      'item1 Be kind',
      'item2 always',
      'row! Part | Code',
      'row valve | RV-1',
      'code ls # no heading',
    ]);
    assert.equal(blocks[2]!.line, 5);
  });

  test('key-value lines stay separate, also below the name of their subject and at line breaks in HTML', async () => {
    const lines = ['Furnace Juno', 'Model year: 2011', 'Capacity: 310 kg'];
    const kept = lines.map((line) => `paragraph ${line}`);
    for (const name of ['juno.txt', 'juno.md']) assert.deepEqual((await read(lines.join('\n'), name)).shown, kept);
    const page = await read(`<!DOCTYPE html><html><body><p>${lines.join('<br>\n')}</p></body></html>`, 'juno.html');
    assert.deepEqual(page.shown, kept);
    const prose = 'It has one rule.\nRule: be quiet.\nThat is all.';
    assert.deepEqual((await read(prose, 'prose.txt')).shown, [`paragraph ${prose.replaceAll('\n', ' ')}`]);
  });

  test('a bold question is separated from its answer, and a term is joined with its definition', async () => {
    const asked = await read('# Shop\n\n**Which glue repairs the cup?**\nVitrofix 3.\n', 'faq.md');
    assert.deepEqual(asked.shown.slice(1), ['paragraph Which glue repairs the cup?', 'paragraph Vitrofix 3.']);
    const terms =
      '<dl><dt>Gaffer<dd>the head of a team<dd>a light<dt>Punty</dt><dt>Rod:</dt><dd><p>an iron bar</p></dd></dl>';
    assert.deepEqual((await read(`<!DOCTYPE html><html><body>${terms}<p>End.</p></body></html>`, 'terms.html')).shown, [
      'item1 Gaffer: the head of a team',
      'paragraph a light',
      'item1 Punty',
      'item1 Rod: an iron bar',
      'paragraph End.',
    ]);
  });

  test('HTML: headings, lists, tables and preformatted text', async () => {
    const { kind, shown } = await read(
      '<!DOCTYPE html><html><head><title>Rules</title></head><body><h1>Library</h1><p>Opens <b>early</b>.</p><ul><li>Be quiet</ul>' +
        '<table><tr><th>Part<th>Code<tr><td>valve<td>RV-1</table><pre>a\n  b</pre></body></html>',
      'rules.html',
    );
    assert.equal(kind, 'html');
    assert.deepEqual(shown, [
      'heading1 Library',
      'paragraph Opens early.',
      'item1 Be quiet',
      'row! Part | Code',
      'row valve | RV-1',
      'code a\n  b',
    ]);
  });

  test('a cell that spans columns or rows is repeated in each, and a row with one cell is a paragraph', async () => {
    const { shown } = await read(
      '<table><tr><th>Room<th>Mon<th>Tue<th>Wed</tr><tr><td colspan=4>Winter</td></tr>' +
        '<tr><td>Hall<td colspan=2>8-16<td>9-12</tr><tr><td rowspan=2>Gym<td>7-9<td rowspan=2>closed<td>7-10</tr>' +
        '<tr><td>6-8<td>6-9</tr><tr><td>Pool<td>1<td>2<td>3</tr></table>' +
        `<table><tr><td rowspan=9999999>a<td colspan=99999>${'long '.repeat(100)}</tr><tr><td>b</tr></table>`,
      'rooms.html',
    );
    assert.deepEqual(shown.slice(0, 6), [
      'row! Room | Mon | Tue | Wed',
      'paragraph Winter',
      'row Hall | 8-16 | 8-16 | 9-12',
      'row Gym | 7-9 | closed | 7-10',
      'row Gym | 6-8 | closed | 6-9',
      'row Pool | 1 | 2 | 3',
    ]);
    assert.deepEqual(shown.slice(6), [`row a | ${'long '.repeat(100).trim()}`, 'row a | b']);
  });

  test('key-value lines stay separate in plain text and Markdown; lines of prose are joined', async () => {
    const lines = 'Lunch: 30 min, unpaid\nCore time: 10:00 to 15:00\n\nOur rule: nobody\nstays late.\n';
    const shown = ['paragraph Lunch: 30 min, unpaid', 'paragraph Core time: 10:00 to 15:00'];
    for (const name of ['hours.txt', 'hours.md'])
      assert.deepEqual((await read(lines, name)).shown, [...shown, 'paragraph Our rule: nobody stays late.'], name);
  });

  test('the header of a spreadsheet is found below its title', async () => {
    const rows = '"Price list, spring",,\n,,\nCode,Plant,Price\nHEDGES,,\nHB1,Yew,4.20\n';
    assert.deepEqual((await read(rows, 'prices.csv')).shown, [
      'row Price list, spring',
      'row! Code | Plant | Price',
      'row HEDGES',
      'row HB1 | Yew | 4.20',
    ]);
  });

  test('CSV: a header, rows with their line, cells with line breaks', async () => {
    const { kind, shown, blocks } = await read('name;age\n"Ann; the\nfirst";3\nBob;4\n', 'people.csv');
    assert.equal(kind, 'csv');
    assert.equal(shown[0], 'row! name | age');
    assert.match(shown[1]!, /^row Ann; the\s+first \| 3$/);
    assert.equal(blocks[2]!.line, 4);
  });

  test('JSON and JSON lines: every value with its path', async () => {
    const json = await read('{"library": {"opens": "9 am", "staff": ["Ada", "Emil"]}, "open": true}', 'facts.json');
    assert.equal(json.kind, 'json');
    for (const word of ['library', 'opens', '9 am', 'staff', 'Ada', 'Emil', 'open', 'true'])
      assert.ok(textOf(json.found).includes(word), textOf(json.found));
    const lines = await read('{"name": "Ann", "age": 3}\n{"name": "Bob", "age": 4}\n', 'people.jsonl');
    assert.equal(lines.kind, 'jsonl');
    assert.ok(/Ann[\s\S]*3[\s\S]*Bob[\s\S]*4/.test(textOf(lines.found)));
    assert.equal(lines.blocks.at(-1)!.line, 2);
  });

  test('plain text: paragraphs with their line', async () => {
    const { kind, shown, blocks } = await read('One line\nof a paragraph.\n\nAnother.\n', 'notes.txt');
    assert.equal(kind, 'text');
    assert.deepEqual(shown, ['paragraph One line of a paragraph.', 'paragraph Another.']);
    assert.equal(blocks[1]!.line, 4);
  });

  test('plain text: a line that ends early is not joined with the next one, and wrapped lines are', async () => {
    const long = 'The board proposed to raise the annual fee from 60 to 72 euros, and the motion was rejected.';
    const title = "Minutes of the annual meeting of the residents' association of Lindenhof";
    const head = `${title}\nDate: 14 March 2026, 19:00 to 21:20, in the community room of house 7\nChair: Ada Quist. Minutes: Jon Achter\n`;
    const { shown, blocks } = await read(`${head}${long}\n\n3. Annual fee\n${long}\n`, 'minutes.txt');
    assert.deepEqual(shown, [
      `paragraph ${title}`,
      'paragraph Date: 14 March 2026, 19:00 to 21:20, in the community room of house 7',
      'paragraph Chair: Ada Quist. Minutes: Jon Achter',
      `paragraph ${long}`,
      'heading1 3. Annual fee',
      `paragraph ${long}`,
    ]);
    assert.deepEqual(
      blocks.map(({ line }) => line),
      [1, 2, 3, 4, 6, 7],
    );
    const wrapped =
      'The reserve of the association is kept at the bank in Ashby, whose\nrate is the best in the county. It may not be used for anything but\nEmergencies as they are defined in the statutes of the association\nof 2019. Two signatures are needed.\n';
    assert.deepEqual((await read(wrapped, 'rule.txt')).shown, [`paragraph ${wrapped.trim().replaceAll('\n', ' ')}`]);
  });
});

describe('files in files', () => {
  const pdf = pdfFile([[{ text: 'The page says hello.', x: 72, y: 72 }]]);

  test('a ZIP with files of every kind', async () => {
    const { kind, blocks, found } = await read(
      zipFile([
        { name: 'a/handbook.docx', bytes: handbook },
        { name: 'b/page.pdf', bytes: pdf },
        { name: 'notes.txt', bytes: 'Some notes.' },
        { name: 'inner.zip', bytes: zipFile([{ name: 'deep.md', bytes: '# Deep\n\nBelow.\n' }]) },
      ]),
      'all.zip',
    );
    assert.equal(kind, 'zip');
    const parts = new Set(blocks.map((block) => (block as { part?: string }).part));
    assert.deepEqual([...parts].sort(), ['a/handbook.docx', 'b/page.pdf', 'inner.zip/deep.md', 'notes.txt']);
    assert.match(textOf(found), /RV-2207[\s\S]*The page says hello\.[\s\S]*Some notes\.[\s\S]*Below\./);
    assert.deepEqual(noticesOf(found), []);
  });

  test('a mail with its subject, in quoted-printable, with an attachment', async () => {
    const mail = [
      'From: Dana Reyes <dana@example.com>',
      'To: ada@example.com',
      'Subject: =?utf-8?Q?The_caf=C3=A9_opens?=',
      'Date: Sat, 21 Nov 2026 10:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="edge"',
      '',
      '--edge',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'The caf=E9 opens at 9=20am, as agreed with every=',
      'body.',
      '--edge',
      'Content-Type: application/pdf; name="page.pdf"',
      'Content-Disposition: attachment; filename="page.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      pdf.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--edge--',
      '',
    ].join('\r\n');
    const { kind, found } = await read(mail, 'letter.eml');
    assert.equal(kind, 'eml');
    assert.match(textOf(found), /The café opens[\s\S]*The café opens at 9 am, as agreed with everybody\./);
    assert.match(textOf(found), /The page says hello\./);
    assert.match(textOf(found), /Dana Reyes/);
  });
});
