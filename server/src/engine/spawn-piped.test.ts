// Processes that cannot be started for want of files: each place that starts one gives the reason, in a real process that has no file left.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkout } from '../config/settings.ts';
import { spawnPiped } from './spawn-piped.ts';

const server = join(checkout, 'server/src');
const program = `
import { openSync } from 'node:fs';
import { EngineCommands } from '${server}/engine/command.ts';
import { childTransport } from '${server}/engine/child.ts';
import { startDownload } from '${server}/models/downloads/download.ts';
import { Worker } from '${server}/cluster/worker.ts';
import { createLog } from '${server}/http/log.ts';
const log = createLog({ log_level: 'silent', log_format: 'json' });
const commands = new EngineCommands(Promise.resolve('python3'));
await null;
try { for (;;) openSync('/dev/null'); } catch {}
const engine = new Promise((ended) => childTransport(['python3'], {}, log)({ heard() {}, line() {}, ended }));
const command = commands.run(['plan'], new AbortController().signal).catch(({ code, message }) => code + ': ' + message);
const worker = new Worker('python3', () => {}).order({ plan: 'a' }).catch((error) => error.message);
const download = startDownload('python3', { name: 'a' }, () => {}).outcome.then((outcome) => outcome.error);
process.stdout.write(JSON.stringify(await Promise.all([engine, command, worker, download])));
process.exit();
`;

describe('a process that cannot be started', () => {
  it('is reported with the reason by everything that starts one, and ends nothing else', () => {
    const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
    const { stdout, stderr, status } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 100 && exec "$@"', 'sh', process.execPath, ...words],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const reasons = JSON.parse(stdout) as string[];
    for (const reason of reasons) assert.match(reason, /could not be started: too many open files \(EMFILE\)/);
    assert.match(reasons[1]!, /^engine_unavailable: /);
  });

  it('is reported by its event also where Node throws', async () => {
    const child = spawnPiped('true', [], { env: { LONG: 'x'.repeat(10_000_000) } });
    const events = await new Promise<string[]>((done) => {
      const seen: string[] = [];
      child.once('error', ({ code }: NodeJS.ErrnoException) => seen.push(String(code)));
      child.once('close', () => done([...seen, 'close']));
    });
    assert.deepEqual(events, ['E2BIG', 'close']);
    assert.equal(child.kill(), false);
    for await (const _ of child.stdout) assert.fail('there is no output');
  });
});
