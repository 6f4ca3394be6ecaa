// Sentence splitting in several languages and scripts: at end marks, and not after abbreviations, numbers or initials.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentencesOf } from './sentences.ts';

const textsOf = (text: string) => sentencesOf(text).map((sentence) => sentence.text);

test('abbreviations, initials and numbers end no sentence', () => {
  for (const whole of [
    'Ask Mr. Brown of No. 5.2 about e.g. Spain.',
    'J. R. Smith pays 4.50 to St. Alban and Co. before noon.',
    'The fee is approx. 12 dollars, i.e. 3 each.',
    'Letzter Einlass ist z. B. am 15. Mai um 19.15 Uhr, bzw. früher.',
    'Mme. Aubert et M. Petit arrivent à 10 h.',
    'La Sra. López vive en la avda. Mayor.',
    'It says "Stop!" and goes on.',
  ])
    assert.deepEqual(textsOf(whole), [whole]);
});

test('sentences end at their marks, lines and full stops without a space', () => {
  assert.deepEqual(textsOf('It opens at 9 a.m. Ada runs it. Is it far? No. Go on!'), [
    'It opens at 9 a.m.',
    'Ada runs it.',
    'Is it far?',
    'No.',
    'Go on!',
  ]);
  assert.deepEqual(textsOf('图书馆九点开放。入馆费用为十二元！由安娜管理'), [
    '图书馆九点开放。',
    '入馆费用为十二元！',
    '由安娜管理',
  ]);
  assert.deepEqual(textsOf('1. Log in\n2. Choose the item\n- Print it'), [
    '1. Log in',
    '2. Choose the item',
    '- Print it',
  ]);
  assert.deepEqual(textsOf('He left (at last.) Then it rained. "It did." So what?'), [
    'He left (at last.)',
    'Then it rained.',
    '"It did."',
    'So what?',
  ]);
});

test('the offset of each sentence is right for any text', () => {
  const texts = [
    '',
    ' \n\n ',
    '...',
    '。。',
    'a. '.repeat(5_000),
    `${'x'.repeat(20_000)}. End.`,
    'A.\r\nB! \u{1f642}? C',
    '- \n* ',
  ];
  for (const text of texts)
    for (const { text: words, start, end } of sentencesOf(text)) assert.equal(text.slice(start, end), words);
  assert.deepEqual(textsOf(' \n... \n—'), []);
});
