// Questions made of manuals: the same every time, about what stands in one place only, and never in its words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainWords, questionsOf } from './questions.ts';

const manual = `# The pump

## Removing the old filter

Before you remove the filter, close the valve and wait until the pressure gauge shows zero. Some filters contain errors
of the factory: check every filter for a broken spring, a missing ring or dirt before you start the pump.

## Copied

This sentence about pumps, valves, filters, gauges, springs and rings stands in both of the manuals.

\`\`\`
Code of the pump, filter, valve, gauge, spring, ring and factory is no sentence that anybody asks for.
\`\`\`

- An item of a list about a pump, filter, valve, gauge, spring, ring and factory is none either.
`;
const other = `# Another

This sentence about pumps, valves, filters, gauges, springs and rings stands in both of the manuals.
`;
const manuals = [
  { name: 'pump.md', text: manual },
  { name: 'other.md', text: other },
];

test('each asks for a sentence that stands once, in prose', () => {
  const questions = questionsOf(manuals, 30);
  assert.ok(questions.length > 0);
  for (const { file, sentence } of questions) {
    assert.equal(file, 'pump.md');
    assert.ok(plainWords(manual).includes(sentence));
    assert.match(sentence, /^(before you remove|some filters)/);
  }
});

test('none quotes what it asks for, and the same manuals give the same', () => {
  const questions = questionsOf(manuals, 30);
  assert.deepEqual(questionsOf(manuals.toReversed(), 30), questions);
  for (const { question, sentence } of questions) {
    const words = plainWords(question).split(' ');
    for (let at = 0; at + 4 <= words.length; at++)
      assert.ok(!sentence.includes(words.slice(at, at + 4).join(' ')), question);
  }
});

test('a word of the manual gives way to another of the same meaning', () => {
  const reworded = questionsOf(manuals, 3).filter(({ kind }) => kind !== 'keywords');
  assert.ok(reworded.some(({ question }) => /delete|shut|pause|verify|absent|begin|display/.test(question)));
});
