// PDFs of known layout: columns, hyphenated words, tables, running heads, paragraphs across pages.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Drawn, pdfFile } from '../testing/pdf-file.ts';
import { blocksOf, readingOfBytes, short } from '../testing/reading.ts';

const read = async (...pages: Drawn[][]) => blocksOf(await readingOfBytes(pdfFile(pages), 'layout.pdf'));
const lines = (texts: string[], x: number, y: number, rest: Partial<Drawn> = {}): Drawn[] =>
  texts.map((text, at) => ({ text, x, y: y + at * 12, ...rest }));

const left = [
  'The left column begins here and goes on',
  'for some lines of ordinary prose, which',
  'is long enough to fill its column and is',
  'set as most papers are. It ends with a',
  'sentence that does not end here but goes',
];
const right = [
  'on at the top of the right column, where',
  'the reader finds the rest of it. After',
  'that comes more prose, of the same size,',
  'so that both columns are about as long',
  'as each other. This is the very end.',
];
const both = [{ text: 'A title over both columns', x: 200, y: 60, size: 20 }];
const prose = [...left, ...right].join(' ');

describe('two columns', () => {
  test('are read one after the other', async () => {
    const found = await read([...both, ...lines(left, 60, 100), ...lines(right, 320, 100)]);
    assert.deepEqual(found.map(short), ['heading1 A title over both columns', `paragraph ${prose}`]);
  });

  test('are detected even if they were drawn line by line across the page', async () => {
    const more = (texts: string[]) => [...texts, ...texts];
    const [one, other] = [lines(more(left), 60, 100), lines(more(right), 320, 100)];
    const [heading, ...rest] = await read([...both, ...one.flatMap((line, at) => [line, other[at]!])]);
    assert.equal(heading!.text, 'A title over both columns');
    assert.equal(rest.map(({ text }) => text).join(' '), [...more(left), ...more(right)].join(' '));
  });
});

describe('lines of print', () => {
  test('are joined to paragraphs, which end at larger gaps', async () => {
    const found = await read([
      ...lines(['The first paragraph has', 'two lines.'], 72, 100),
      ...lines(['The second has', 'two lines too.'], 72, 140),
    ]);
    assert.deepEqual(found.map(short), [
      'paragraph The first paragraph has two lines.',
      'paragraph The second has two lines too.',
    ]);
    const box = found[0]!.box!;
    assert.ok(box.x === 72 && Math.abs(box.y - 92) < 2 && Math.abs(box.height - 22) < 3, JSON.stringify(box));
  });

  test('key-value lines are lines', async () => {
    const wide = 'This text is as wide as the page, so that the lines under it are short ones.';
    const keyed = ['Flow rate: 12 l/min', 'Voltage: 230 V', 'Noise: 58 dB'];
    const found = await read([...lines([wide], 72, 72), ...lines(keyed, 72, 120)]);
    assert.deepEqual(
      found.map(({ text }) => text),
      [wide, ...keyed],
    );
  });

  test('hyphenated words are joined, and hyphens of compound words are kept', async () => {
    const found = await read([
      ...lines(['A known information is known. The well-known rule.'], 72, 72),
      ...lines(['Here the infor-', 'mation is divided, and the well-', 'known rule is not.'], 72, 120),
    ]);
    assert.equal(found[1]!.text, 'Here the information is divided, and the well-known rule is not.');
  });

  test('a sentence across two pages is one paragraph', async () => {
    const found = await read(lines(['This sentence goes on'], 72, 700), lines(['on the next page. And ends.'], 72, 72));
    assert.deepEqual(found.map(short), ['paragraph This sentence goes on on the next page. And ends.']);
    assert.equal(found[0]!.page, 1);
  });
});

describe('headings and lists', () => {
  test('are detected by size, font and marks', async () => {
    const body = lines(
      ['This is the body of the text, most of it,', 'which goes on for a while to be the body.'],
      72,
      130,
    );
    const found = await read([
      { text: 'Large', x: 72, y: 72, size: 22 },
      { text: 'Middle', x: 72, y: 108, size: 14 },
      ...body,
      { text: 'Bold alone', x: 72, y: 180, font: 'bold' },
      ...lines(['Again some text of the body below it.'], 72, 200),
      ...lines(['1. First thing', '2. Second thing', '3. Third thing'], 80, 230),
      ...lines(['let a = 1;', 'let b = 2;'], 72, 300, { font: 'mono' }),
    ]);
    assert.deepEqual(
      found.map(short).map((text) => text.split(' ')[0]),
      ['heading1', 'heading3', 'paragraph', 'heading5', 'paragraph', 'item1', 'item1', 'item1', 'code'],
    );
    assert.equal(found.at(-1)!.text, 'let a = 1;\nlet b = 2;');
  });
});

describe('tables', () => {
  test('become rows, with multi-line cells joined', async () => {
    const row = (y: number, ...cells: string[]): Drawn[] => cells.map((text, at) => ({ text, x: 72 + at * 150, y }));
    const found = await read([
      ...lines(['The table below lists what there is in store at the moment.'], 72, 60),
      ...row(100, 'Name', 'Count', 'Remark').map((cell): Drawn => ({ ...cell, font: 'bold' })),
      ...row(124, 'Apples', '12', 'red and'),
      { text: 'sweet', x: 372, y: 136 },
      ...row(160, 'Pears', '7', 'green'),
      ...row(184, 'Plums', '0', 'none'),
    ]);
    assert.deepEqual(found.slice(1).map(short), [
      'row! Name | Count | Remark',
      'row Apples | 12 | red and sweet',
      'row Pears | 7 | green',
      'row Plums | 0 | none',
    ]);
  });
});

describe('margins', () => {
  test('running heads and page numbers are dropped, also if the first page has none', async () => {
    const page = (number: number): Drawn[] => [
      { text: 'Annual report 2025', x: 72, y: 40 },
      { text: String(number), x: 300, y: 760 },
      ...lines([`Something is said on page ${number} alone.`], 72, 200),
    ];
    const found = await read(lines(['A first page.'], 72, 300), page(2), page(3), page(4));
    assert.deepEqual(
      found.map(({ text }) => text),
      ['A first page.', ...[2, 3, 4].map((number) => `Something is said on page ${number} alone.`)],
    );
  });
});

test('lines at the edges with unrelated numbers are kept', async () => {
  const expected = [
    ['Room 101 costs 12 dollars.', 'Call 555-0147 before 9.', 'There are 3 keys.'],
    ['Room 214 costs 30 dollars.', 'Call 555-0162 before 7.', 'There are 8 keys.'],
    ['Room 377 costs 41 dollars.', 'Call 555-0199 before 8.', 'There are 2 keys.'],
  ];
  const pages = expected.map(([room, call, keys], at): Drawn[] => [
    { text: `Chapter 4, page ${at + 17} of 60`, x: 72, y: 30 },
    { text: room!, x: 72, y: 60 },
    { text: call!, x: 72, y: 78 },
    { text: keys!, x: 72, y: 740 },
    { text: `${at + 17}`, x: 300, y: 770 },
  ]);
  const found = await read(...pages);
  const text = found.map((block) => block.text).join(' ');
  for (const line of expected.flat()) assert.ok(text.includes(line), `${line} in ${text}`);
  assert.doesNotMatch(text, /Chapter|\b1[789]\b/);
});

test('pages without text are reported', async () => {
  const readings = await readingOfBytes(pdfFile([[{ text: 'Words', x: 72, y: 72 }], [], []]), 'pages.pdf');
  assert.ok(
    readings.some((one) => one.type === 'notice' && one.text.startsWith('pages 2 to 3 without text')),
    JSON.stringify(readings),
  );
});
