// A line that is repeated many times a second does not fill the log, and hides no other.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createLog, flushLog } from '../http/log.ts';
import { RepeatedLines } from './repeated-lines.ts';

describe('a line that is repeated', () => {
  it('is written once a minute, with the number of those left out', () => {
    let now = 0;
    const lines = new RepeatedLines(() => now);
    const written: [number, number][] = [];
    for (; now < 150_000; now += 250) {
      const leftOut = lines.take('full');
      if (leftOut !== undefined) written.push([now, leftOut]);
    }
    assert.deepEqual(written, [
      [0, 0],
      [60_000, 239],
      [120_000, 239],
    ]);
    assert.equal(lines.take('another'), 0);
  });

  it('is forgotten after many others, so that memory is bounded', () => {
    const lines = new RepeatedLines(() => 0);
    for (let count = 0; count < 2_000; count++) lines.take(`line ${count}`);
    assert.equal(lines.take('line 0'), 0);
    assert.equal(lines.take('line 1999'), undefined);
  });

  it('is one that differs in nothing: neither in its error nor in what it is about', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const file = join(folder, 'log');
    const log = createLog({ log_level: 'info', log_format: 'json' }, file);
    for (let round = 0; round < 3; round++) {
      for (const reason of ['full', 'broken'])
        for (const job of [1, 2]) log.warn({ err: new Error(reason), job }, 'could not be updated; retrying');
      log.child({ replica: 1 }).error('gone');
      log.child({ replica: 2 }).error('gone');
      const self: Record<string, unknown> = { size: 10n };
      self.self = self;
      log.warn({ self }, 'refers to itself');
      log.info('listened');
    }
    await flushLog(log);
    const lines = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.filter(({ msg }) => msg.startsWith('could not')).length, 4);
    assert.equal(lines.filter(({ msg }) => msg === 'gone').length, 2);
    assert.equal(lines.filter(({ msg }) => msg === 'listened').length, 3);
    assert.equal(lines.filter(({ msg }) => msg === 'refers to itself').length, 3);
    await rm(folder, { recursive: true });
  });
});
