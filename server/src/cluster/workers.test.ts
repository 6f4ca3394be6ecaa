// Choice of the workers that wait for the next order, and of those that end.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../http/log.ts';
import { Workers } from './workers.ts';

describe('a worker that is given back', () => {
  let home: string;
  let workers: Workers;
  const surplusMs = 300;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const python = join(home, 'python');
    await writeFile(python, '#!/bin/sh\nwhile read -r line; do :; done\n');
    await chmod(python, 0o755);
    workers = new Workers(Promise.resolve(python), createLog({ log_level: 'silent', log_format: 'json' }), surplusMs);
    await Promise.resolve();
  });
  afterEach(async () => {
    await workers.close();
    await rm(home, { recursive: true, force: true });
  });

  for (const gpus of [[], ['0']])
    it(`takes the next order if that is ${gpus.length ? 'for its GPU' : 'for no GPU'}`, () => {
      workers.keepOne(() => gpus);
      const worker = workers.take(gpus);
      workers.release(worker);
      assert.equal(workers.take(gpus), worker);
    });

  it('ends if its GPU belongs to another run by now', () => {
    for (const next of [undefined, ['1']]) {
      workers.keepOne(() => next);
      const worker = workers.take(['0']);
      workers.release(worker);
      assert.notEqual(workers.take(['0']), worker);
    }
  });

  it('takes the next order before an unused worker', () => {
    workers.keepOne(() => []);
    const worker = workers.take([]);
    workers.prepare();
    workers.release(worker);
    assert.equal(workers.take([]), worker);
  });

  it('takes an order beside other returned workers, until all but one have ended', async () => {
    workers.keepOne(() => []);
    const both = [workers.take([]), workers.take([])];
    for (const worker of both) workers.release(worker);
    const again = [workers.take([]), workers.take([])];
    assert.deepEqual(new Set(again), new Set(both));
    for (const worker of again) workers.release(worker);
    for (let tries = 0; again.every(({ isAlive }) => isAlive); tries++) {
      assert.ok(tries < 600, 'one of them ends');
      await sleep(50);
    }
    assert.equal(workers.take([]), again[1], 'the last one that worked');
    assert.ok(again[1]!.isAlive);
  });

  it('keeps waiting if it has used no GPU, even if every slot is taken', () => {
    workers.keepOne(() => undefined);
    const worker = workers.take([]);
    workers.release(worker);
    assert.equal(workers.take([]), worker);
  });
});
