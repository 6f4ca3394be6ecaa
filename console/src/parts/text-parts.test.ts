import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textParts } from './text-parts.ts';

const isCode = (text: string) => textParts(text).map(({ code }) => code);

describe('the parts of a text', () => {
  it('are code between fences and text around them', () => {
    assert.deepEqual(textParts('Run this:\n```sh\nls -l\n```\nThen look.'), [
      { code: false, text: 'Run this:\n' },
      { code: true, text: 'ls -l' },
      { code: false, text: 'Then look.' },
    ]);
  });

  it('are code if most lines look like code', () => {
    for (const text of [
      'def reverse(text):\n    return text[::-1]\n',
      'for (const a of b) {\n\tsend(a);\n}',
      'SELECT name\nFROM people\nWHERE id = 3;',
      'x = 1\ny = x + 2',
      '<ul>\n  <li>one</li>\n</ul>',
    ])
      assert.deepEqual(isCode(text), [true], text);
  });

  it('are text otherwise, even with several lines', () => {
    for (const text of [
      'Ada Quist',
      '14 Harbour Lane\nUpper Brimoor\nNordhaven',
      'It opens at 9 am.\nFrom noon there is lunch.\nIf it rains, it stays closed.',
      'return the label',
      'a = b',
    ])
      assert.deepEqual(isCode(text), [false], text);
    assert.deepEqual(textParts('  \n'), []);
  });
});
