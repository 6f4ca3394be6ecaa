// The demo as a person runs it: it tells the truth about every step, and leaves nothing behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { onTerminalOf } from '../cli/src/testing/program.ts';

const command = join(resolve(import.meta.dirname, '..'), 'lorekeep');

describe('./lorekeep demo', () => {
  let temporary: string;
  before(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'lorekeep-demo-test-'));
    await mkdir(join(temporary, 'tmp'));
  });
  after(async () => await rm(temporary, { recursive: true }));
  // A Lorekeep of this machine is not touched: its settings are not taken.
  const environment = () => ({
    PATH: process.env.PATH ?? '',
    HOME: temporary,
    TMPDIR: join(temporary, 'tmp'),
    LOREKEEP_HOME: '/nonexistent',
    LOREKEEP_PORT: '1',
  });

  const ended = async (env: Record<string, string>) => {
    const child = spawn(command, ['demo'], { env });
    let out = '';
    let error = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      error += chunk;
    });
    return { code: await new Promise<number | null>((done) => child.once('close', done)), out, error };
  };

  it('asks, tunes, asks again, forgets, indexes, asks with a source, and shows the table', async () => {
    const { code, out, error } = await ended(environment());
    assert.equal(code, 0, out + error);
    assert.equal(error, '', 'nothing that moves into a pipe');
    assert.match(out, /12 of 12 facts are recalled word for word\./);
    assert.match(out, /✔ Ilse Marrow {3}from the fact "Who founded the Nordhaven observatory\?"/);
    assert.match(out, /11 facts stay\./);
    assert.match(out, /\[1\] handbook\.pdf, page 1: .*Getting here/);
    const row = (question: string) => out.split('\n').findLast((line) => line.startsWith(question))!;
    for (const question of ['Who founded', 'What is the door code', 'Who was the founder', 'When was'])
      assert.match(row(question), /✖ .*✔ .*✔ /, question);
    assert.match(row('How wide'), /✖ .*✔ 4\.2 metres +✖ /);
    assert.match(row('What is the parking fee'), /✖ .*✖ .*✔ (?:12 dollars|The parking fee at No…)$/);
    assert.deepEqual(await readdir(join(temporary, 'tmp')), []);
  });

  it('says why the engine cannot be set up, and ends', async () => {
    const bin = join(temporary, 'bin');
    await mkdir(bin);
    // Every Python of this machine is too old.
    for (const name of ['python3.13', 'python3.12', 'python3.11', 'python3'])
      await writeFile(join(bin, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const path = `${bin}:${process.env.PATH}`;
    // With an interpreter that is wished for, an environment that is there is not enough.
    const { code, error } = await ended({ ...environment(), PATH: path, LOREKEEP_PYTHON: 'python3' });
    assert.equal(code, 1, error);
    assert.match(error, /^The engine cannot be set up:\n[\s\S]*Python 3\.11 or later is missing/);
    assert.deepEqual(await readdir(join(temporary, 'tmp')), []);
  });

  it('ends its product when it is stopped', async () => {
    // The engine is forked, where ./lorekeep test does so; above it starts as for a person.
    const forked = process.env.NODE_OPTIONS && { NODE_OPTIONS: process.env.NODE_OPTIONS };
    const running = onTerminalOf([command, 'demo'], { ...environment(), ...forked });
    await running.until(/It is ready at/);
    const [, url] = /ready at (http:\/\/[\d.:]+\d)/.exec(running.output())!;
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    running.type('\x03');
    assert.equal(await running.ended, 130);
    assert.match(running.output(), /Stopped; what it had started is gone\./);
    await assert.rejects(fetch(`${url}/healthz`));
    assert.deepEqual(await readdir(join(temporary, 'tmp')), []);
  });
});
