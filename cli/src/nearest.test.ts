// Suggestions for typos ("did you mean"), and words without one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { didYouMean, nearest } from './nearest.ts';

const commands = ['models', 'jobs', 'tune', 'index', 'eval', 'export', 'import', 'ask', 'up', 'custom_model_name'];

it('finds the word for a replaced, swapped, missing or additional letter, ignoring case', () => {
  for (const [typed, meant] of [
    ['modls', 'models'],
    ['modesl', 'models'],
    ['modells', 'models'],
    ['MODELS', 'models'],
    ['jbos', 'jobs'],
    ['expotr', 'export'],
    ['imprt', 'import'],
    ['aks', 'ask'],
    ['pu', 'up'],
    ['custom-model-name', 'custom_model_name'],
    ['custom', 'custom_model_name'],
  ] as const)
    assert.equal(nearest(typed, commands), meant, typed);
  assert.equal(didYouMean('lits', ['list', 'show'], 'jobs '), ' Did you mean "jobs list"?');
});

it('suggests nothing if no word is near', () => {
  for (const typed of ['', 'x', 'deploy', 'zz', '12345', 'o'.repeat(100_000), '🙂', '__proto__'])
    assert.equal(nearest(typed, commands), undefined, typed.slice(0, 20));
  assert.equal(nearest('ex', ['extra', 'export']), undefined);
  assert.equal(nearest('exp', ['expire', 'export']), undefined, 'the beginning of two');
  assert.equal(didYouMean('deploy', commands), '');
});
