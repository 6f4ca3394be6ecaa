// Phrases for the counts of an erasure.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { removedInWords } from './index.ts';

describe('the description of an erasure', () => {
  it('has a phrase for each count that is not 0', () => {
    const removed = {
      ...{ models: ['a', 'b'], facts: 1, texts: { feedback: 1200, answer_decisions: 1, some_table: 3 }, files: 0 },
      datasets: [2, 3].map((rows) => ({ before: 'a', after: null, rows })),
      proposals: 1,
    };
    assert.deepEqual(removedInWords({ removed }), [
      ...['1 fact', '2 models', '5 rows of datasets', '1,200 votes', '1 kept answer', '3 some_table'],
      '1 open proposal rejected',
    ]);
  });

  it('is empty before the receipt', () => assert.deepEqual(removedInWords({ removed: null }), []));
});
