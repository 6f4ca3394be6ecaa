// Correction of typing errors by the words of passages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corrected } from './typos.ts';

const passages = [
  {
    text: 'Staff get a discount. Leave is granted in spring. The warranty is long.',
    title: null,
    headings: ['Benefits'],
  },
];

test('a letter that is missing, additional or swapped is corrected', () => {
  assert.equal(corrected('staff discout?', passages), 'staff discount?');
  assert.equal(corrected('the warrranty', passages), 'the warranty');
  assert.equal(corrected('Any benefist', passages), 'Any benefits');
});

test('known words, short words, other words and names of other things stay', () => {
  for (const question of ['staff discounts', 'lease of a car', 'a lnog one', 'the weather', 'granite'])
    assert.equal(corrected(question, passages), undefined, question);
});
