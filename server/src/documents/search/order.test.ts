// How what two searches found becomes one order, and how that is ordered anew.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit } from '../vectors/vectors.ts';
import { fused } from './fuse.ts';
import { reranked } from './rerank.ts';
import { fits } from './search.ts';
import { contentWords, stem } from './words.ts';

const hit = (number: number, file = 1): Hit => ({ file, number, hash: `${file}-${number}`, similarity: 0.5 });
const numbers = (hits: Hit[]) => hits.map(({ number }) => number);

test('what stands high in both lists comes before what is first in one', () => {
  assert.deepEqual(
    numbers(
      fused([
        [hit(1), hit(2), hit(3)],
        [hit(4), hit(2), hit(5)],
      ]),
    ),
    [2, 1, 4, 3, 5],
  );
});

test('ties go by place, whichever list comes first', () => {
  const lists = [
    [hit(9, 2), hit(1)],
    [hit(3), hit(7)],
  ];
  assert.deepEqual(fused(lists), fused(lists.toReversed()));
  assert.deepEqual(numbers(fused(lists)), [3, 9, 1, 7]);
});

test('one list alone keeps its order, and none gives none', () => {
  assert.deepEqual(numbers(fused([[hit(5), hit(2)], []])), [5, 2]);
  assert.deepEqual(fused([[], []]), []);
});

test('a rare word of the question weighs more than a common one', () => {
  const passage = (text: string, score: number) => ({ text, context: '', header: null, score });
  const found = [
    passage('The valve is inspected in spring.', 0.6),
    passage('The valve RV-2207 is red.', 0.55),
    passage('The valve leaks.', 0.5),
  ];
  assert.equal(reranked('Where is valve RV-2207?', found)[0], found[1]);
  // Without words in common the order stays.
  assert.deepEqual(reranked('Anything else?', found), found);
});

test('words are compared without case, accents and endings, and those that say nothing are left out', () => {
  assert.deepEqual(contentWords('What is the CAFÉ’s code, RV-2207?'), ['cafe', 's', 'code', 'rv-2207']);
  assert.equal(stem('inspected'), stem('inspecting'));
  assert.notEqual(stem('rv-2207s'), stem('rv-2207'));
});

test('names of files fit patterns, and one that is hard to fit costs no more than another', () => {
  for (const [pattern, name] of [
    ['*', ''],
    ['a.txt', 'a.txt'],
    ['*.txt', 'a.txt'],
    ['a*', 'a'],
    ['a*c*e', 'abcde'],
    ['**b**', 'abc'],
    ['2026*/*.pdf', '2026 report/first.pdf'],
  ] as const)
    assert.ok(fits(pattern, name), `${pattern} ${name}`);
  for (const [pattern, name] of [
    ['', 'a'],
    ['.*', 'a.txt'],
    ['a*a', 'a'],
    ['*b*b*', 'abc'],
    ['ab*bc', 'abc'],
    ['A*', 'a'],
    [`${'a*'.repeat(240)}b`, 'a'.repeat(480)],
  ] as const)
    assert.equal(fits(pattern, name), false, `${pattern} ${name}`);
});
