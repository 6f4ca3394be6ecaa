// The first start that succeeds shows the key of the operator.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { endProcesses, runCommand, startProcess } from '../testing/process.ts';

// The link to choose a password is random, so it may contain `lk_` too.
const shownKey = /^\s*(lk_[\w-]+)\s*$/m;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
});
after(async () => {
  await endProcesses();
  await rm(folder, { recursive: true, force: true });
});

it('up shows the first key even after a failed start on a port in use', async () => {
  const other = await startProcess({ home: join(folder, 'other') });
  const home = join(folder, 'home');
  const failed = await runCommand('up', [], { home, port: String(other.port) });
  assert.equal(failed.code, 1);
  assert.doesNotMatch(failed.output, shownKey);

  const started = await startProcess({ home, admin_key: '' });
  const key = /This is the first start.*\s+(lk_[\w-]+)/.exec(started.output())?.[1];
  assert.ok(key, started.output());
  const { status } = await fetch(`${started.url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(status, 200);
  await started.stop();

  const again = await startProcess({ home, admin_key: '' });
  assert.doesNotMatch(again.output(), shownKey);
});
