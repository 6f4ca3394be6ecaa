// A real Ray cluster of two nodes, each a namespace of this machine. Its tests are in server/src/testing/ray/inside.ts, in a process
// within its network, since nothing outside may reach it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkout } from '../../config/settings.ts';

const venv = process.env.LOREKEEP_TEST_RAY ?? join(checkout, '.setup/ray');
const testing = join(checkout, 'server/src/testing/ray');

function whyNot(): string | undefined {
  if (!existsSync(join(venv, 'bin/ray'))) return 'there is no Ray here: ./lorekeep test --ray sets it up';
  const name = `lkt${process.pid}`;
  const made = spawnSync('ip', ['netns', 'add', name]).status === 0;
  if (made) spawnSync('ip', ['netns', 'del', name]);
  return made ? undefined : 'no network namespaces can be made here: it takes Linux, root and iproute2';
}

describe('a real Ray cluster of two nodes', { skip: whyNot() ?? false }, () => {
  let folder: string;
  let environment: Record<string, string | undefined>;
  const script = (...words: string[]) =>
    spawnSync(join(testing, 'cluster.sh'), words, { env: environment, stdio: 'inherit' });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-ray-'));
    environment = {
      ...process.env,
      RAY_TEST_FOLDER: folder,
      RAY_TEST_VENV: venv,
      RAY_TEST_PYTHON: join(venv, 'bin/python'),
      // Names of interfaces are short.
      RAY_TEST_NAME: `lk${randomBytes(2).toString('hex')}`,
      RAY_AUTH_MODE: 'token',
      RAY_AUTH_TOKEN: randomBytes(24).toString('hex'),
      OMP_NUM_THREADS: '1',
      // Engines inside are no forks of a process outside.
      NODE_OPTIONS: '',
    };
    assert.equal(script('up', '3').status, 0);
  });
  after(async () => {
    script('down');
    await rm(folder, { recursive: true, force: true });
  });

  it('passes its tests', async () => {
    const words = ['in', process.execPath, '--disable-warning=ExperimentalWarning', '--test', '--test-reporter=spec'];
    const child = spawn(join(testing, 'cluster.sh'), [...words, join(testing, 'inside.ts')], {
      env: { ...environment, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 0, said);
    assert.match(said, /ℹ fail 0/);
  });
});
