import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { showReport } from './show-report.ts';

const lines = (count: number) => Readable.from(Array.from({ length: count }, (_, at) => `line ${at}\n`.repeat(100)));

describe('a report', () => {
  it('is read to its end when its reader has closed the pipe', { timeout: 30_000 }, async () => {
    const head = spawn('head', ['-n', '1'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [said] = await Promise.all([
      once(head.stdout.setEncoding('utf8'), 'data'),
      showReport(lines(5_000), head.stdin),
    ]);
    assert.equal(said[0], 'line 0\n');
  });

  it('fails with the reason when it cannot be written', { timeout: 30_000 }, async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const output = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    await assert.rejects(showReport(lines(5_000), output), /no space left/);
  });
});
