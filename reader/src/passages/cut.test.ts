// Passages follow the structure, keep within the limit, overlap where text is split, and have the right places.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Block } from '../block.ts';
import { embedderTokenizer } from '../testing/embedder.ts';
import { PassageCutter } from './cut.ts';
import type { Passage } from './passage.ts';
import { tokenCounter } from './tokens.ts';

const heading = (text: string, level = 1): Block => ({ type: 'block', kind: 'heading', level, text });
const paragraph = (text: string, rest: Partial<Block> = {}): Block => ({
  type: 'block',
  kind: 'paragraph',
  text,
  ...rest,
});
const item = (text: string): Block => ({ type: 'block', kind: 'item', level: 1, text });
const row = (text: string, header?: true): Block => ({
  type: 'block',
  kind: 'row',
  text,
  ...(header ? { header } : {}),
});

/** A fake counter with one token per word. */
const wordTokens = { count: (text: string) => (text.match(/\S+/g) ?? []).length };

function cut(blocks: Block[], tokens = 20, overlap = 5, title?: string, counter = wordTokens): Passage[] {
  const cutter = new PassageCutter(counter, { tokens, overlap });
  if (title) cutter.title(title);
  return [...blocks.flatMap((block) => [...cutter.add(block)]), ...cutter.end()];
}

/** The document's text, to which the offsets of passages refer. */
const documentText = (blocks: Block[]) => blocks.map(({ text }) => text).join('\n');
const words = (count: number, word = 'word') => Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ');

describe('along the structure', () => {
  test('a section is a passage with its headings', () => {
    const blocks = [
      heading('Guide'),
      paragraph('Welcome.'),
      heading('Set up', 2),
      paragraph('Do this.', { page: 3 }),
      paragraph('Then that.', { page: 4 }),
      heading('Use'),
      paragraph('Enjoy.'),
    ];
    const found = cut(blocks, 20, 5, 'The book');
    assert.deepEqual(
      found.map(({ headings, text }) => [...headings, text]),
      [
        ['Guide', 'Welcome.'],
        ['Guide', 'Set up', 'Do this.\nThen that.'],
        ['Use', 'Enjoy.'],
      ],
    );
    assert.deepEqual([found[1]!.title, found[1]!.page, found[1]!.lastPage], ['The book', 3, 4]);
    for (const { start, end, text } of found) assert.equal(documentText(blocks).slice(start, end), text);
  });

  test('headings without text become passages', () => {
    const found = cut([
      heading('Part one'),
      heading('Chapter one', 2),
      heading('Chapter two', 2),
      paragraph('Text.'),
      heading('Part two'),
    ]);
    assert.deepEqual(
      found.map(({ headings, text }) => [...headings, text]),
      [['Part one', 'Chapter one'], ['Part one', 'Chapter two', 'Text.'], ['Part two']],
    );
  });

  test('paragraphs, lists and tables are not split if they fit', () => {
    const list = [item(words(4, 'a')), item(words(4, 'b')), item(words(4, 'c'))];
    const found = cut([paragraph(words(12)), ...list, paragraph(words(15, 'x'))]);
    assert.deepEqual(
      found.map(({ text }) => text),
      [words(12), documentText(list), words(15, 'x')],
    );
  });

  test('a long table repeats its header, not its rows', () => {
    const rows = Array.from({ length: 8 }, (_, at) => row(`${at} | ${words(4, `r${at}`)}`));
    const found = cut([row('Number | Words', true), ...rows]);
    assert.ok(found.length > 2);
    assert.equal(found[0]!.header, undefined);
    for (const passage of found.slice(1)) assert.equal(passage.header, 'Number | Words');
    assert.equal(found.map(({ text }) => text).join('\n'), documentText([row('Number | Words', true), ...rows]));
  });
});

describe('text beyond the limit', () => {
  test('is split between sentences, and the next passage repeats the end of the one before', () => {
    const text = 'One two three four five. Six seven eight nine ten. A b c d e. F g h i j. K l m n o.';
    const found = cut([paragraph(text)], 12, 5);
    assert.deepEqual(
      found.map((passage) => passage.text),
      [
        'One two three four five. Six seven eight nine ten.',
        'Six seven eight nine ten. A b c d e.',
        'A b c d e. F g h i j.',
        'F g h i j. K l m n o.',
      ],
    );
  });

  test('is split between words or characters if there is no sentence, without breaking a character', () => {
    for (const text of [
      words(500),
      'x'.repeat(5000),
      '👨‍👩‍👧‍👦'.repeat(400),
      '漢字'.repeat(900),
      'שלום '.repeat(300),
    ]) {
      const found = cut([paragraph(text)], 40, 8);
      assert.ok(found.length > 1);
      assert.equal(found.at(-1)!.end, text.trimEnd().length);
      for (const [at, passage] of found.entries()) {
        assert.equal(text.slice(passage.start, passage.end), passage.text);
        assert.ok(passage.text.isWellFormed());
        assert.ok(at === 0 || passage.start <= found[at - 1]!.end + 1, 'nothing is left out');
      }
    }
  });
});

describe('with the tokenizer of the embedder', {
  skip: embedderTokenizer ? false : 'the embedder is not set up',
}, () => {
  const counter = embedderTokenizer ? tokenCounter(readFileSync(embedderTokenizer, 'utf8')) : wordTokens;

  test('no passage exceeds the limit, whatever its content', () => {
    const odd = [
      'supercalifragilistic '.repeat(300),
      'a.b-c_d/e'.repeat(500),
      '漢'.repeat(3000),
      'e\u0301'.repeat(2000),
      '\u200b'.repeat(5000),
      'x1y2'.repeat(3000),
      words(4000),
      '🙂'.repeat(2000),
    ];
    const blocks = odd.flatMap((text, at): Block[] => [
      heading(`${words(at * 20)} heading`, (at % 6) + 1),
      paragraph(text),
      row(text.slice(0, 3000), true),
      row(text.slice(0, 900)),
      item(text.slice(0, 500)),
    ]);
    const found = cut(blocks, 254, 32, words(200, 'title'), counter);
    assert.ok(found.length > 50);
    for (const { tokens, text } of found)
      assert.ok(tokens <= 254 && text.length <= 254 * 8, `${tokens} tokens, ${text.length} characters`);
  });

  test('the same blocks give the same passages', () => {
    const blocks = [heading('A'), paragraph(words(900)), item('one'), item('two'), row('a | b', true), row('1 | 2')];
    assert.deepEqual(cut(blocks, 254, 32, 'T', counter), cut(blocks, 254, 32, 'T', counter));
  });
});

test('the same text under the same headings has the same hash', () => {
  const found = cut([
    heading('Note'),
    paragraph('All rights reserved.'),
    heading('Note'),
    paragraph('All  rights\nreserved.'),
    heading('Other'),
    paragraph('All rights reserved.'),
  ]);
  assert.equal(found[0]!.hash, found[1]!.hash);
  assert.notEqual(found[0]!.hash, found[2]!.hash);
});
