// Questions made of manuals: deterministic, about sentences that occur once, and never quoting them.
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

test('questions ask for a sentence of prose that occurs once', () => {
  const questions = questionsOf(manuals, 30);
  assert.ok(questions.length > 0);
  for (const { file, sentence } of questions) {
    assert.equal(file, 'pump.md');
    assert.ok(plainWords(manual).includes(sentence));
    assert.match(sentence, /^(before you remove|some filters)/);
  }
});

test('questions never quote their sentence and are the same for the same manuals', () => {
  const questions = questionsOf(manuals, 30);
  assert.deepEqual(questionsOf(manuals.toReversed(), 30), questions);
  for (const { question, sentence } of questions) {
    const words = plainWords(question).split(' ');
    for (let at = 0; at + 4 <= words.length; at++)
      assert.ok(!sentence.includes(words.slice(at, at + 4).join(' ')), question);
  }
});

test('questions replace words of the manual by synonyms', () => {
  const reworded = questionsOf(manuals, 3).filter(({ kind }) => kind !== 'keywords');
  assert.ok(reworded.some(({ question }) => /delete|shut|pause|verify|absent|begin|display/.test(question)));
});
