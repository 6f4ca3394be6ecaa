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
    const dataset_id = 'c'.repeat(64);
    assert.deepEqual(factsOf(recited({ ...fact, dataset_id }, { ...fact, dataset_id: 'memory/house/old/2' })), [
      '[fact] "Who runs Zorbex?", row 3 of dataset cccccccccccc, similarity 1.00',
      '[fact] "Who runs Zorbex?", row 3 of change 2 of the memory house/old, similarity 1.00',
    ]);
    const reason = 'the fact that was taught for this expired: it was valid until 2026-06-30';
    const expired = { ...fact, valid_until: '2026-06-30' };
    assert.deepEqual(factsOf({ used: false, outcome: 'unknown', way: 'unknown', reason, facts: [expired] }), [
      `[unknown] ${reason}; the nearest: "Who runs Zorbex?", row 3, similarity 1.00 (until 2026-06-30)`,
    ]);
    assert.deepEqual(factsOf(recited(fact)), ['[fact] "Who runs Zorbex?", row 3, similarity 1.00']);
  });
});
