// Effect of the list of too large parts: allowed sizes, and refused ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disagreements } from './sizes.ts';

describe('the list of oversized parts', () => {
  const listed = { 'a.ts': 500, 'a.ts run': 90 };

  it('allows what it lists', () => assert.deepEqual(disagreements({ ...listed }, listed), []));

  for (const [why, found] of [
    ['a new one', { ...listed, 'b.ts': 401 }],
    ['one that grew', { ...listed, 'a.ts': 501 }],
    ['one that shrank and is listed as it was', { ...listed, 'a.ts run': 80 }],
    ['one that is within the limits now', { 'a.ts': 500 }],
  ] as const)
    it(`does not allow ${why}`, () => assert.equal(disagreements(found, listed).length, 1));
});
