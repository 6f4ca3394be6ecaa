// Equality of questions and of answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerKey, questionKey } from './question-key.ts';

test('white space at the ends of an answer does not count, within it does', () => {
  assert.equal(answerKey('\u2028\u3000 Ada Quist\x1c\n'), answerKey('Ada Quist'));
  assert.notEqual(answerKey('Ada  Quist'), answerKey('Ada Quist'));
  assert.equal(answerKey(' \n'), answerKey(''));
});

test('a megabyte of white space within an answer is compared like any other text', () => {
  const answer = `a${' '.repeat(2 ** 20)}b`;
  assert.equal(answerKey(` ${answer}\t`), answerKey(answer));
});

test('white space and encoding of a question do not count', () => {
  assert.equal(questionKey(' Who  founded\nCaf\u00e9? '), questionKey('Who founded Cafe\u0301?'));
});
