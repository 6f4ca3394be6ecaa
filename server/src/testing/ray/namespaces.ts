// A real Ray cluster whose nodes are namespaces of this machine (cluster.sh): its requirements and its environment.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../config/settings.ts';

export const clusterScript = join(import.meta.dirname, 'cluster.sh');
/** The address of its head, from within. */
export const rayAddress = 'http://10.77.0.10:8265';

const venv = process.env.LOREKEEP_TEST_RAY ?? join(checkout, '.setup/ray');

export function whyNoNamespaces(): string | undefined {
  if (!existsSync(join(venv, 'bin/ray'))) return 'there is no Ray here: ./lorekeep test --ray sets it up';
  const name = `lkt${process.pid}`;
  const made = spawnSync('ip', ['netns', 'add', name]).status === 0;
  if (made) spawnSync('ip', ['netns', 'del', name]);
  return made ? undefined : 'no network namespaces can be made here: it takes Linux, root and iproute2';
}

export function namespaceEnvironment(folder: string): Record<string, string | undefined> {
  return {
    ...process.env,
    RAY_TEST_FOLDER: folder,
    RAY_TEST_VENV: venv,
    RAY_TEST_PYTHON: join(venv, 'bin/python'),
    // Names of network interfaces must be short.
    RAY_TEST_NAME: `lk${randomBytes(2).toString('hex')}`,
    RAY_AUTH_MODE: 'token',
    RAY_AUTH_TOKEN: randomBytes(24).toString('hex'),
    OMP_NUM_THREADS: '1',
    // Engines inside are not forked from a process outside.
    NODE_OPTIONS: '',
  };
}
