// Progress drawn with characters, on terminals of any width.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bar, curve } from './progress.ts';

describe('a progress bar', () => {
  it('grows', () => {
    assert.deepEqual([bar(0, 4), bar(0.5, 4), bar(1, 4), bar(2, 4)], ['▕    ▏', '▕██  ▏', '▕████▏', '▕████▏']);
  });

  it('is drawn in any width', () => {
    for (const width of [1, 0, -5]) assert.equal(bar(1, width), '▕█▏');
    assert.equal(curve([3, 2, 1], 1, 2).length, 2);
  });
});
