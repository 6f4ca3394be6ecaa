import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeOf, type StandingFact } from './contradictions.ts';

const stands = { input: 'Where is  Zorbex?', output: 'Oslo' } as StandingFact;
const row = (number: number, input: string, output: string) => ({ row: number, input, output });
const fresh = [row(1, 'Who cooks?', 'Eri')];
const moved = row(2, 'Where is Zorbex?', 'Bergen');
const one = row(3, 'Who drives?', 'Dov');
const other = row(4, 'Who drives?', 'Ida');
const held = {
  ...{ version: 1, fresh, known: 1 },
  contradictions: [
    { question: moved.input, stands, offered: [moved] },
    { question: one.input, stands: null, offered: [one, other] },
  ],
};
const added = { input: 'Who cooks?', output: 'Eri' };

it('current facts are kept unless a person chooses a row instead', () => {
  assert.deepEqual(changeOf(held, new Map()), { add: [added], change: [] });
});

it('a chosen row changes the fact under its taught question, or is added if there is none', () => {
  const taken = new Map([
    [moved.input, moved],
    [other.input, other],
  ]);
  assert.deepEqual(changeOf(held, taken), {
    add: [added, { input: 'Who drives?', output: 'Ida' }],
    change: [{ input: 'Where is  Zorbex?', output: 'Bergen' }],
  });
});

it('rows with a similar question can be added beside the current fact', () => {
  const beside = { ...moved, together: [moved] };
  assert.deepEqual(changeOf(held, new Map([[moved.input, beside]])), {
    add: [added, { input: moved.input, output: 'Bergen' }],
    change: [],
  });
});
