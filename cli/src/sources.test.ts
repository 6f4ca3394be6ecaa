// Display of the facts behind an answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Memory } from '@lorekeep/client';
import { factsOf } from './sources.ts';

const fact = { input: 'Who runs Zorbex?', similarity: 1, dataset_id: null, row: 3 };
const recited = (...facts: Memory['facts']): Memory => ({
  ...{ used: true, outcome: 'recite', way: 'exact', reason: 'a taught question', facts },
});

describe('the facts of an answer', () => {
  it('are shown with validity and source, if they have them', () => {
    const source = { kind: 'document' as const, name: 'board.pdf', page: 3, quote: 'Ben Oru\nruns it.' };
    const known = { ...fact, valid_from: '2026-01-01', valid_until: '2026-06-30', source };
    assert.deepEqual(factsOf(recited(known)), [
      '[fact] "Who runs Zorbex?", row 3, similarity 1.00 (from 2026-01-01 until 2026-06-30), source: document, board.pdf, page 3: "Ben Oru runs it."',
    ]);
    const dataset = { kind: 'dataset' as const, name: 'staff', row: 0 };
    assert.deepEqual(factsOf(recited({ ...fact, valid_until: '2026-06-30', source: dataset })), [
      '[fact] "Who runs Zorbex?", row 3, similarity 1.00 (until 2026-06-30), source: dataset, staff, row 0',
    ]);
    assert.deepEqual(factsOf(recited(fact)), ['[fact] "Who runs Zorbex?", row 3, similarity 1.00']);
  });
});
