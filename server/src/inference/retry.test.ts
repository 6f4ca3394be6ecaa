// Retries of background work: which failures are counted, and when it gives up.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@lorekeep/contract';
import { retry } from './retry.ts';

const full = () => new Refusal('overloaded', { reason: 'its queue is full' });
const down = () => new Refusal('engine_unavailable', { reason: 'it starts again' });

/** The result of work that first fails in these ways, and the number of its attempts. */
async function attempted(...failures: unknown[]): Promise<{ result: unknown; attempts: number }> {
  let attempts = 0;
  const work = async () => {
    if (attempts++ < failures.length) throw failures[attempts - 1];
    return 'done';
  };
  return { result: await retry(new AbortController().signal, work, 0), attempts };
}

describe('background work', () => {
  it('survives any number of full queues, and restarts of the engine between and after them', async () => {
    const failures = [...Array.from({ length: 20 }, full), down(), full(), down()];
    assert.deepEqual(await attempted(...failures), { result: 'done', attempts: 24 });
  });

  it('fails at the eighth attempt that ends the engine, since it may do so itself', async () => {
    assert.deepEqual(await attempted(...Array.from({ length: 7 }, down)), { result: 'done', attempts: 8 });
    const failures = Array.from({ length: 8 }, down);
    assert.deepEqual(await attempted(...failures, full()), { result: failures[7], attempts: 8 });
    const { result } = await attempted(...Array.from({ length: 9 }, () => new Error('it ended')));
    assert.match((result as Error).message, /failed repeatedly at this prompt/);
  });

  it('returns a permanent refusal at once', async () => {
    const empty = new Refusal('prompt_empty', { which: '' });
    assert.deepEqual(await attempted(empty, empty), { result: empty, attempts: 1 });
  });
});
