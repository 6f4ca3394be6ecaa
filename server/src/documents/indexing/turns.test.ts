// Choice of the build that yields its slot.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Turn, toPreempt } from './turns.ts';

const slice = 1000;
const turn = (account: number, age: number, own = slice): Turn => ({ account, began: -age, slice: own });
const leaving = (running: Turn[], waiting: number[]) =>
  running.map((one) => toPreempt(running, waiting, 0, slice).has(one));

describe('a build', () => {
  it('continues if nothing waits or a slot is free', () => {
    assert.deepEqual(leaving([turn(1, 9000)], []), [false]);
    assert.deepEqual(leaving([turn(1, 9000), turn(1, 9000)], [2]), [false, false]);
  });

  it('yields to an index of its own account only if the account has all its slots', () => {
    assert.deepEqual(leaving([turn(1, 9000)], [1]), [false]);
    assert.deepEqual(leaving([turn(1, 9000), turn(1, 8000), turn(2, 9900)], [1]), [true, false, false]);
  });

  it('yields first if its account holds several slots and another account waits without one', () => {
    const running = [turn(1, 9000), turn(2, 5000), turn(2, 4000), turn(3, 9000)];
    assert.deepEqual(leaving(running, [4]), [false, true, false, false]);
    assert.deepEqual(leaving(running, [4, 5]), [false, true, true, false]);
  });

  it('continues during its time slice', () => {
    const running = [1, 2, 3, 4].map((account) => turn(account, 900));
    assert.deepEqual(leaving(running, [5]), [false, false, false, false]);
  });

  it('gets a longer slice if it is the only build of its account', () => {
    const long = [1, 2, 3, 4].map((account) => turn(account, 5000, 8000));
    assert.deepEqual(leaving(long, [5]), [false, false, false, false]);
    const beside = [turn(1, 5000, 8000), turn(1, 4000, 8000), turn(2, 5000, 8000), turn(3, 5000, 8000)];
    assert.deepEqual(leaving(beside, [5]), [true, false, false, false]);
  });
});
