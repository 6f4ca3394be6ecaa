// A real Ray cluster of two nodes, each a namespace of this machine. Its tests are in server/src/testing/ray/, inside.ts of jobs and
// serving.ts of replicas, in a process within its network, since nothing outside may reach it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkout } from '../../config/settings.ts';
import { clusterScript, namespaceEnvironment, whyNoNamespaces } from '../../testing/ray/namespaces.ts';

describe('a real Ray cluster of two nodes', { skip: whyNoNamespaces() ?? false }, () => {
  let folder: string;
  let environment: Record<string, string | undefined>;
  const script = (...words: string[]) => spawnSync(clusterScript, words, { env: environment, stdio: 'inherit' });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-ray-'));
    environment = namespaceEnvironment(folder);
    assert.equal(script('up', '3').status, 0);
  });
  after(async () => {
    script('down');
    await rm(folder, { recursive: true, force: true });
  });

  for (const file of ['inside.ts', 'serving.ts'])
    it(`passes the tests of ${file}`, async () => {
      const words = ['in', process.execPath, '--disable-warning=ExperimentalWarning', '--test', '--test-reporter=spec'];
      const child = spawn(clusterScript, [...words, join(checkout, 'server/src/testing/ray', file)], {
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
