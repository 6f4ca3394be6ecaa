// A worker as the server has it, on the real engine: answers, and is given up when it is silent for ever.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withEngine } from '../testing/server.ts';
import { Worker, WorkerGone } from './worker.ts';

describe('a worker', () => {
  it('that is silent for too long is ended, whatever it was asked', async () => {
    const worker = new Worker(await withEngine, () => {}, { silence: 3_000 });
    try {
      const said = await worker.order({ plan: '/nowhere' });
      assert.match(JSON.stringify(said), /There is no job.json in/);
      // It lives, and says so without an order.
      await sleep(5_000);
      assert.equal(worker.isAlive, true);
      process.kill(worker.pid, 'SIGSTOP');
      await assert.rejects(worker.order({ plan: '/nowhere' }), (error) => {
        assert.ok(error instanceof WorkerGone);
        assert.match(error.message, /did not answer any more/);
        return true;
      });
      assert.equal(worker.isAlive, false);
    } finally {
      await worker.end();
    }
  });
});
