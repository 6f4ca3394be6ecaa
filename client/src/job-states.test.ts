// The client and the contract agree on every state.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as contract from '@lorekeep/contract';
import { hasResult, isOver } from './index.ts';

describe('the state of a job', () => {
  for (const status of contract.jobStatuses)
    it(`${status} is over, and has a result, as in the contract`, () => {
      assert.equal(isOver({ status }), contract.isOver(status));
      assert.equal(hasResult({ status }), contract.hasResult(status));
    });

  it('is over when it has a result', () =>
    assert.deepEqual(
      contract.jobStatuses.filter((status) => contract.hasResult(status) && !contract.isOver(status)),
      [],
    ));
});
