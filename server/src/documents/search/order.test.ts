// Fusion of two result lists into one order, and its reordering.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit } from '../../vectors/vectors.ts';
import { contentWords, stem } from './content-words.ts';
import { fused } from './fuse.ts';
import { reranked } from './rerank.ts';
import { matchesWildcard } from './search.ts';

const near = (number: number, similarity: number, file = 1): Hit => ({
  ...{ file, number, hash: `${file}-${number}` },
  ...{ similarity, words: null, row: 0n },
});
const worded = (number: number, words: number, similarity: number | null = 0, file = 1): Hit => ({
  ...near(number, 0, file),
  ...{ similarity, words, row: 0n },
});
const numbers = (hits: Hit[]) => hits.map(({ number }) => number);

test('a passage that matches by vector and words ranks before those that match by one', () => {
  assert.deepEqual(
    numbers(fused([near(1, 0.7), near(2, 0.6)], [worded(3, 12, 0.1), worded(2, 9, 0.6), worded(4, 3, 0.2)], 1)),
    [2, 3, 1, 4],
  );
});

test('full text weighs less if even the best match has few of the words', () => {
  const found = (held: number) => numbers(fused([near(1, 0.7)], [worded(2, 10, 0.2), worded(3, 2, 0.1)], held));
  assert.deepEqual(found(1), [2, 1, 3]);
  assert.deepEqual(found(0.2), [1, 2, 3]);
});

test('ties are broken by position, whichever list comes first', () => {
  assert.deepEqual(numbers(fused([near(9, 0.5, 2), near(1, 0.5), near(7, 0.5)], [], 0)), [1, 7, 9]);
  assert.deepEqual(numbers(fused([], [worded(9, 5, 0.5, 2), worded(3, 5, 0.5)], 1)), [3, 9]);
});

test('a single list keeps its order, and empty lists give nothing', () => {
  assert.deepEqual(numbers(fused([near(5, 0.4), near(2, -0.1)], [], 0)), [5, 2]);
  assert.deepEqual(numbers(fused([], [worded(5, 7, null), worded(2, 3, null)], 0)), [5, 2]);
  assert.deepEqual(fused([], [], 0), []);
});

const candidate = (text: string, fused: number) => ({ passage: { text, context: '', header: null }, fused });

test('a rare word of the question weighs more than a common one', () => {
  const found = [
    candidate('The valve is inspected in spring.', 0.6),
    candidate('The valve RV-2207 is red.', 0.55),
    candidate('The valve leaks.', 0.5),
  ];
  assert.equal(reranked('Where is valve RV-2207?', found)[0], found[1]);
  // Without words in common the order stays.
  assert.deepEqual(reranked('Anything else?', found), found);
});

test('adjacent words of the question weigh more if they are close in the passage', () => {
  const found = [
    candidate('The brake is new. Some sixty metres down the road, past the mill and the bakery, a lever stands.', 0.5),
    candidate('Past the mill a new road; the brake lever stands some sixty metres down, at the bakery.', 0.5),
  ];
  assert.deepEqual(reranked('brake lever', found), found.toReversed());
});

test('words are compared without case, accents and endings, and without stop words', () => {
  assert.deepEqual(contentWords('What is the CAFÉ’s code, RV-2207?'), ['cafe', 's', 'code', 'rv-2207']);
  assert.equal(stem('inspected'), stem('inspecting'));
  assert.notEqual(stem('rv-2207s'), stem('rv-2207'));
});

test('file names match patterns, at bounded cost', () => {
  for (const [pattern, name] of [
    ['*', ''],
    ['a.txt', 'a.txt'],
    ['*.txt', 'a.txt'],
    ['a*', 'a'],
    ['a*c*e', 'abcde'],
    ['**b**', 'abc'],
    ['2026*/*.pdf', '2026 report/first.pdf'],
  ] as const)
    assert.ok(matchesWildcard(pattern, name), `${pattern} ${name}`);
  for (const [pattern, name] of [
    ['', 'a'],
    ['.*', 'a.txt'],
    ['a*a', 'a'],
    ['*b*b*', 'abc'],
    ['ab*bc', 'abc'],
    ['A*', 'a'],
    [`${'a*'.repeat(240)}b`, 'a'.repeat(480)],
  ] as const)
    assert.equal(matchesWildcard(pattern, name), false, `${pattern} ${name}`);
});
