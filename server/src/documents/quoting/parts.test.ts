// Division of a message into its questions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOf } from './parts.ts';

test('a message is divided before a question word behind "and", and after a question mark', () => {
  assert.deepEqual(partsOf('Who founded the school and when?'), ['Who founded the school', 'when?']);
  assert.deepEqual(partsOf('Is there parking? And what does it cost?'), ['Is there parking?', 'what does it cost?']);
  assert.deepEqual(partsOf('washing machine cost and where are they'), ['washing machine cost', 'where are they']);
  assert.deepEqual(partsOf('Was kostet das und wann öffnet es?'), ['Was kostet das', 'wann öffnet es?']);
});

test('words that "and" joins, and longer lists of questions, stay together', () => {
  for (const message of [
    'price and size of the bin',
    'Are cats and dogs allowed?',
    'fish and chips',
    'Who? What? Where? Why?',
  ])
    assert.deepEqual(partsOf(message), [message]);
});
