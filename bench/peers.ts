// The Python of the engine, with the packages of peers.lock laid beside it in .setup/peers: made on demand, kept while the lock file
// and the engine's environment stay the same.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const python = join(root, '.setup/engine/bin/python');
const folder = join(root, '.setup/peers');
const lock = join(import.meta.dirname, 'peers.lock');

/** Runs a script that imports both, on one thread by default. Resolves with its output. */
export function withPeers(script: string, words: string[], threads: number): string {
  execFileSync('sh', [join(root, 'setup/python.sh'), 'engine'], { stdio: ['ignore', 'inherit', 'inherit'] });
  install();
  return execFileSync(python, [join(import.meta.dirname, script), ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PYTHONPATH: [join(root, 'engine'), folder].join(':'),
      OMP_NUM_THREADS: String(threads),
      HF_HUB_OFFLINE: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    },
  });
}

function install(): void {
  const stamp = readFileSync(lock, 'utf8') + readFileSync(join(root, '.setup/engine/.stamp'), 'utf8');
  const stampFile = join(folder, '.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  process.stderr.write('Installing sentence-transformers to compare with (once) ...\n');
  rmSync(folder, { recursive: true, force: true });
  const words = ['install', '--disable-pip-version-check', '--quiet', '--no-deps', '--target', folder, '-r', lock];
  execFileSync(python, ['-m', 'pip', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(stampFile, stamp);
}
