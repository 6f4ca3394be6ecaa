// A worker of the server: answers (on the real engine), and is killed when it is silent or does not end on request.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, mock } from 'node:test';
import { setImmediate as next, setTimeout as sleep } from 'node:timers/promises';
import { workingProcess } from '../testing/engine.ts';
import { withEngine } from '../testing/server.ts';
import { Worker, WorkerGone } from './worker.ts';

describe('a worker', () => {
  it('is killed after a silence timeout during any order', async () => {
    const worker = new Worker(await withEngine, () => {}, { silence: 3_000 });
    try {
      const reply = await worker.order({ plan: '/nowhere' });
      assert.match(JSON.stringify(reply), /There is no job.json in/);
      // It is alive, and sends heartbeats without an order.
      await sleep(5_000);
      assert.equal(worker.isAlive, true);
      process.kill(workingProcess(worker.pid), 'SIGSTOP');
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

  it('is killed when it does not end on request, less than 5 seconds later by the monotonic clock', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const [python, begun, orders] = ['python', 'begun', 'told'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(python, `#!/bin/sh\ntrap 'touch ${orders}' TERM\ntouch ${begun}\nwhile :; do sleep 0.05; done\n`, {
      mode: 0o755,
    });
    const worker = new Worker(python, () => {});
    while (!existsSync(begun)) await sleep(20);
    // From here on, timers run only by `tick`.
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const ended = worker.end();
      while (!existsSync(orders)) await next();
      assert.equal(worker.isAlive, true);
      mock.timers.tick(4_000);
      mock.timers.reset();
      await Promise.race([ended, sleep(60_000, undefined, { ref: false })]);
      assert.equal(worker.isAlive, false);
    } finally {
      mock.timers.reset();
      await worker.end();
      await rm(home, { recursive: true, force: true });
    }
  });
});
