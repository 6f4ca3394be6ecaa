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

it('what stands is kept unless a person takes a row in its place', () => {
  assert.deepEqual(changeOf(held, new Map()), { add: [added], change: [] });
});

it('a row that is taken changes the fact in its taught words, and is added where there is none', () => {
  const taken = new Map([
    [moved.input, moved],
    [other.input, other],
  ]);
  assert.deepEqual(changeOf(held, taken), {
    add: [added, { input: 'Who drives?', output: 'Ida' }],
    change: [{ input: 'Where is  Zorbex?', output: 'Bergen' }],
  });
});

it('rows that may contradict in other words can be added beside what stands', () => {
  const beside = { ...moved, together: [moved] };
  assert.deepEqual(changeOf(held, new Map([[moved.input, beside]])), {
    add: [added, { input: moved.input, output: 'Bergen' }],
    change: [],
  });
});
