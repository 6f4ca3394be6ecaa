// Assignment of GPUs: each run has its own while there are enough, else the least used ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../testing/random.ts';
import { Gpus, gpuNames } from './gpus.ts';

describe('GPUs', () => {
  it('belong to one run each while there are enough, through any sequence of starts and ends', () => {
    const random = seededRandom(11);
    const gpus = new Gpus(gpuNames(5, undefined));
    const runs: string[][] = [];
    for (let count = 0; count < 2000; count++) {
      const taken = runs.flat();
      assert.equal(new Set(taken).size, taken.length);
      const requested = random.between(1, 3);
      if (taken.length + requested <= 5 && random.chance(0.6)) {
        const next = gpus.next(requested);
        assert.deepEqual(gpus.take(requested), next);
        assert.equal(next.length, requested);
        runs.push(next);
      } else if (runs.length > 0) gpus.release(runs.splice(random.between(0, runs.length - 1), 1)[0]!);
    }
  });

  it('are taken in the order of the last freed, where the process of the last run may wait', () => {
    const gpus = new Gpus(['a', 'b', 'c']);
    gpus.take(3);
    for (const name of ['b', 'c']) gpus.release([name]);
    assert.deepEqual(gpus.next(1), ['c']);
  });

  it('are shared evenly when there are more slots than GPUs', () => {
    const gpus = new Gpus(['a', 'b']);
    const taken = Array.from({ length: 4 }, () => gpus.take(1)[0]);
    assert.deepEqual(taken.sort(), ['a', 'a', 'b', 'b']);
    gpus.release(['b']);
    assert.deepEqual(gpus.take(1), ['b']);
    assert.deepEqual(gpus.take(5).sort(), ['a', 'b']);
  });

  it('are those that the server itself can see', () => {
    assert.deepEqual(gpuNames(2, '4, 6'), ['4', '6']);
    assert.deepEqual(gpuNames(2, undefined), ['0', '1']);
    assert.deepEqual(gpuNames(0, '4'), []);
  });
});
