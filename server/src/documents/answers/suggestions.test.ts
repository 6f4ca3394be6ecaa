// Which questions are given: those that the passage itself answers. What the forms of sentences make of a text stands up to the same measure.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Passage } from '../passages/passage.ts';
import { questionsOf } from './sentences.ts';
import { isGrounded } from './suggestions.ts';

const text = 'The Brimoor library opens at 9 am. Ada Quist runs it. A flange is a rim that holds two pipes together.';

describe('a question is kept', () => {
  test('where its answer stands in the passage, in any case and with any space', () => {
    assert.ok(isGrounded({ question: 'When does the Brimoor library open?', answer: '9 am' }, text));
    assert.ok(isGrounded({ question: 'What does the Brimoor library do?', answer: 'opens  at\n9 AM' }, text));
  });

  test('and is not where the answer is made up, given away, or the question asks about something else', () => {
    for (const wrong of [
      { question: 'When does the Brimoor library open?', answer: '10 am' },
      { question: 'Does the Brimoor library open at 9 am?', answer: '9 am' },
      { question: 'Who painted the chapel ceiling?', answer: 'Ada Quist' },
      { question: 'When does the Brimoor library open?', answer: '' },
      { question: 'when does the library open', answer: '9 am' },
      { question: 'Who?', answer: 'Ada Quist' },
      { question: `When does the Brimoor library open${' library'.repeat(100)}?`, answer: '9 am' },
    ])
      assert.equal(isGrounded(wrong, text), false, JSON.stringify(wrong));
  });
});

describe('what a sentence answers', () => {
  const passage = (more: Partial<Passage>) => ({ text, headings: ['Hours'], title: 'Handbook', ...more }) as Passage;

  test('is asked by its form, and said in its own words', () => {
    const made = questionsOf(passage({}));
    const answers = Object.fromEntries(made.map(({ question, answer }) => [question, answer]));
    assert.equal(answers['What is a flange?'], 'a rim that holds two pipes together');
    assert.equal(answers['When does the Brimoor library open?'], 'The Brimoor library opens at 9 am.');
    assert.equal(answers['What is said under "Hours" in "Handbook"?'], 'The Brimoor library opens at 9 am.');
    const flat = text.replace(/\s+/g, ' ');
    for (const { answer } of made) assert.ok(flat.includes(answer.replace(/\.$/, '')), answer);
  });

  test('is nothing where it speaks of what came before, or is no sentence', () => {
    for (const said of [
      'It is red.',
      'This is so.',
      'There are many.',
      'name | code',
      'x'.repeat(5000),
      '',
      '🙂 is 🙂.',
    ])
      assert.deepEqual(questionsOf(passage({ text: said, headings: [] })), [], said.slice(0, 50));
  });
});
