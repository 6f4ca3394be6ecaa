// Names that people read: what nobody sees in them is refused, and the scripts and signs of all people stay possible.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { displayName, withoutInvisible } from './common.ts';

it('names with invisible or reordering characters are refused', () => {
  const refused = [
    'a\u202eb',
    '\u2066a\u2069',
    'a\u200eb',
    'a\u200db',
    'é\u200cx',
    'a\u200b',
    'soft\u00adhyphen',
    'a\u2060b',
  ];
  refused.push(
    'a\ufeffb',
    '\u3164',
    'a\u115fb',
    'a\ufe0f',
    '❤\ufe0f\ufe0f',
    '\u2800',
    'a\u2028b',
    'a\rb',
    'a\tb',
    'a\u{e0041}',
    'a\ud800',
  );
  for (const name of refused) assert.equal(displayName.safeParse(name).success, false, JSON.stringify(name));
});

it('names in any script, and emoji, are taken as they are', () => {
  const taken = [
    'Ada',
    'Zoë 2',
    '東京　本社',
    '👩‍👩‍👧',
    '❤️ team',
    '🏳️‍🌈',
    '👍🏽',
    '1️⃣',
    'می‌خواهم',
    'क्‍ष',
    'שלום',
    'مرحبا',
    'Ωmega',
  ];
  for (const name of taken) assert.equal(displayName.parse(name), name);
});

it('names of files lose what nobody sees, and nothing else', () => {
  assert.equal(withoutInvisible('invoice\u202efdp.exe\n'), 'invoicefdp.exe');
  assert.equal(withoutInvisible('a\r\u200bb', '?'), 'a??b');
  for (const name of ['👩‍👩‍👧 ❤️.pdf', 'می‌خواهم.txt', 'Zoë.md']) assert.equal(withoutInvisible(name), name);
});
