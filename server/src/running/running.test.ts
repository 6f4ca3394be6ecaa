// Operator commands on a home: status, stop and log. Real processes, also killed ones.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog, flushLog } from '../http/log.ts';
import { endProcesses, runCommand, startProcess } from '../testing/process.ts';
import { logFile, olderLog, writeLogFile } from './log-file.ts';
import { followLines, lastLines } from './log-lines.ts';
import { isRunning, runningServers, startOf } from './records.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
});
afterEach(async () => {
  await endProcesses();
  await rm(home, { recursive: true });
});

describe('status and stop', () => {
  it('report and stop a product that runs on the home, and report if none does', async () => {
    const nothing = await runCommand('status', [], { home });
    assert.equal(nothing.code, 3, nothing.output);
    assert.match(nothing.output, /does not run on .*\.\/lorekeep up starts it/);
    assert.deepEqual(await readdir(home), [], 'a look writes nothing');

    const server = await startProcess({ home });
    const { code, output } = await runCommand('status', ['--json'], { home });
    assert.equal(code, 0, output);
    const { servers, jobs, log } = JSON.parse(output);
    assert.deepEqual([servers[0].address, servers[0].pid, servers[0].ready], [server.url, server.pid, true]);
    assert.deepEqual(Object.keys(servers[0].parts), ['server', 'database', 'engine']);
    assert.deepEqual([jobs, log], [{ running: 0, waiting: 0 }, logFile(home)]);
    const shown = await runCommand('status', [], { home });
    assert.match(
      shown.output,
      new RegExp(`^address +${server.url}\\nprocess +${server.pid}, since [\\s\\S]*\\nengine +\\S`),
    );
    assert.match(shown.output, /^jobs +0 running, 0 waiting$/m);

    const stopped = await runCommand('stop', [], { home });
    assert.equal(stopped.code, 0, stopped.output);
    assert.equal(stopped.output, `Lorekeep at ${server.url} (process ${server.pid}) has stopped.\n`);
    assert.equal(await server.ended, 0, 'as by Ctrl-C');
    assert.equal((await runCommand('status', [], { home })).code, 3);
    assert.equal((await runCommand('stop', [], { home })).code, 0, 'again is no failure');
  });

  it('report a server that does not answer, and leave another home alone', async () => {
    const server = await startProcess({ home });
    const other = join(home, 'other');
    assert.equal((await runCommand('stop', [], { home: other })).code, 0);
    assert.ok(isRunning({ pid: server.pid, started: startOf(server.pid)! }));
    server.signal('SIGSTOP');
    const { code, output } = await runCommand('status', ['--json'], { home });
    server.signal('SIGCONT');
    assert.equal(code, 3);
    assert.match(JSON.parse(output).servers[0].parts.server, /does not answer within 3 s/);
  });

  it('never end a process that reused the pid of a killed server', async () => {
    const server = await startProcess({ home });
    const [name] = await readdir(join(home, 'running'));
    const record = JSON.parse(await readFile(join(home, 'running', name!), 'utf8'));
    await server.stop('SIGKILL');
    const stranger = spawn('sleep', ['600']);
    try {
      const file = join(home, 'running', `${hostname()}-${stranger.pid}.json`);
      await writeFile(file, JSON.stringify({ ...record, pid: stranger.pid }));
      await writeFile(join(home, 'running/broken.json'), '{"pid": ');
      await writeFile(join(home, 'running/odd.json'), JSON.stringify({ ...record, pid: -1 }));
      await writeFile(join(home, 'running/far.json'), JSON.stringify({ ...record, pid: stranger.pid, host: 'far' }));
      assert.deepEqual(runningServers(home), []);
      const { code, output } = await runCommand('stop', [], { home });
      assert.deepEqual([code, /does not run/.test(output)], [0, true], output);
      assert.equal(stranger.exitCode ?? stranger.signalCode, null);
      assert.ok(startOf(stranger.pid!));
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('leave no record of a killed server after the next start, and spare those of running ones and of other machines', async () => {
    const killed = await startProcess({ home });
    await killed.stop('SIGKILL');
    const folder = join(home, 'running');
    const [name] = await readdir(folder);
    const record = JSON.parse(await readFile(join(folder, name!), 'utf8'));
    const stranger = spawn('sleep', ['600']);
    try {
      // The pid of a killed server that another process has now.
      await writeFile(
        join(folder, `${hostname()}-${stranger.pid}.json`),
        JSON.stringify({ ...record, pid: stranger.pid }),
      );
      await writeFile(join(folder, `far-${record.pid}.json`), JSON.stringify({ ...record, host: 'far' }));
      const one = await startProcess({ home });
      const other = await startProcess({ home });
      const left = [`far-${record.pid}.json`, ...[one, other].map(({ pid }) => `${hostname()}-${pid}.json`)];
      assert.deepEqual((await readdir(folder)).sort(), left.sort());
      assert.ok(startOf(stranger.pid!));
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('are named in the error of a second start on the same home', async () => {
    const server = await startProcess({ home });
    const again = await runCommand('up', [], { home, port: String(server.port) });
    assert.equal(again.code, 1);
    assert.match(
      again.output,
      new RegExp(`runs already on ${home}, at ${server.url} \\(process ${server.pid}\\).*lorekeep stop`),
    );
    assert.doesNotMatch(again.output, /\n\s+at /);
    assert.equal(runningServers(home).length, 1);
  });

  it('report an unknown argument with the closest known one', async () => {
    for (const [command, words, meant] of [
      ['status', ['--jsn'], /--json/],
      ['stop', ['--hme', 'x'], /--home/],
      ['logs', ['--folow'], /Did you mean "--follow"/],
      ['logs', ['--lines', 'many'], /--lines "many"/],
      ['up', ['--prot', '9000'], /Did you mean "--port"/],
      ['keys', ['lits'], /Did you mean "keys list"/],
      ['keys', ['list', '--acount', 'x'], /Did you mean "--account"/],
      ['accounts', ['crate', 'x'], /Did you mean "accounts create"/],
    ] as const) {
      const { code, output } = await runCommand(command, [...words], { home });
      assert.equal(code, 2, output);
      assert.match(output, meant);
    }
  });
});

describe('the log of a home', () => {
  it('is written by a running product without keys, and printed by the log command', async () => {
    const server = await startProcess({ home, log_level: 'info' });
    await fetch(`${server.url}/v1/keys`);
    await server.stop();
    const { code, output } = await runCommand('logs', [], { home });
    assert.equal(code, 0);
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(
      lines.some(({ msg, path, status }) => msg === 'request' && path === '/v1/keys' && status === 401),
      output,
    );
    assert.equal(lines.at(-1).msg, 'stopped');
    assert.equal((await runCommand('logs', ['--lines', '1'], { home })).output, `${JSON.stringify(lines.at(-1))}\n`);
    assert.equal((await runCommand('logs', ['--lines', '0'], { home })).output, '');
    assert.equal((await runCommand('logs', ['--path'], { home })).output, `${logFile(home)}\n`);
    assert.equal((await stat(logFile(home))).mode & 0o777, 0o600);
    const first = await startProcess({ home: join(home, 'first'), admin_key: '' });
    await first.stop();
    assert.doesNotMatch(await readFile(logFile(join(home, 'first')), 'utf8'), /lk_|\/welcome/);
  });

  it('is bounded: a full file is rotated, and the oldest is deleted', async () => {
    const file = logFile(home);
    const destination = writeLogFile(file, { bytes: 20_000, older: 2 });
    for (let line = 0; line < 3_000; line++) {
      destination.write(`{"line":${line},"text":"${'x'.repeat(100)}"}\n`);
      if (line % 50 === 0) await new Promise<void>((done) => destination.flush(() => done()));
    }
    await new Promise<void>((done) => destination.flush(() => done()));
    assert.deepEqual((await readdir(join(home, 'logs'))).sort(), ['lorekeep.log', 'lorekeep.log.1', 'lorekeep.log.2']);
    for (const path of [file, olderLog(file, 1), olderLog(file, 2)]) assert.ok((await stat(path)).size < 60_000, path);
    const { lines } = lastLines(file, 200);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).line),
      Array.from({ length: 200 }, (_, at) => 2_800 + at),
      'across the files, none lost',
    );
  });

  it('does not stop a product that cannot write to it', async () => {
    await mkdir(join(home, 'logs/lorekeep.log'), { recursive: true });
    const server = await startProcess({ home, log_level: 'info' });
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    assert.equal(await server.stop(), 0);
  });

  it('is followed line by line, across a rotation', async () => {
    const file = logFile(home);
    const stopped = new AbortController();
    const seen: string[] = [];
    const log = writeLogFile(file, { bytes: 2_000, older: 4 });
    const following = (async () => {
      for await (const line of followLines(file, 0, stopped.signal)) seen.push(line);
    })();
    for (let line = 0; line < 100; line++) {
      log.write(`${line} ä ${'y'.repeat(50)}\n`);
      if (line % 20 === 19) {
        await new Promise<void>((done) => log.flush(() => done()));
        for (let attempt = 0; seen.length < line + 1 && attempt < 200; attempt++) await sleep(50);
      }
    }
    stopped.abort();
    await following;
    assert.deepEqual(
      seen.map((line) => Number.parseInt(line, 10)),
      Array.from({ length: 100 }, (_, at) => at),
    );
  });

  it('is independent of the output to a terminal or a pipe', async () => {
    const log = createLog({ log_level: 'error', log_format: 'json' }, logFile(home));
    log.info('left out');
    log.error({ part: 'one' }, 'kept');
    await flushLog(log);
    const { lines } = lastLines(logFile(home), 10);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['kept'],
    );
  });
});
