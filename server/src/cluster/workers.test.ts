// Choice of the workers that wait for the next order, and of those that end.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createLog } from '../http/log.ts';
import { Workers } from './workers.ts';

describe('a worker that is given back', () => {
  let home: string;
  let workers: Workers;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const python = join(home, 'python');
    await writeFile(python, '#!/bin/sh\nwhile read -r line; do :; done\n');
    await chmod(python, 0o755);
    workers = new Workers(Promise.resolve(python), createLog({ log_level: 'silent', log_format: 'json' }));
    await Promise.resolve();
  });
  afterEach(async () => {
    await workers.close();
    await rm(home, { recursive: true, force: true });
  });

  for (const gpus of [[], ['0']])
    it(`takes the next order where that is ${gpus.length ? 'for its GPU' : 'for no GPU'}`, () => {
      workers.keepOne(() => gpus);
      const worker = workers.take(gpus);
      workers.giveBack(worker);
      assert.equal(workers.take(gpus), worker);
    });

  it('ends where its GPU is another run’s by now', () => {
    for (const next of [undefined, ['1']]) {
      workers.keepOne(() => next);
      const worker = workers.take(['0']);
      workers.giveBack(worker);
      assert.notEqual(workers.take(['0']), worker);
    }
  });

  it('waits on when it has computed on no GPU, even if every slot is taken', () => {
    workers.keepOne(() => undefined);
    const worker = workers.take([]);
    workers.giveBack(worker);
    assert.equal(workers.take([]), worker);
  });
});
