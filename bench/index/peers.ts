// The Python of the engine, with LlamaIndex, BM25 and what they need laid beside it in a folder: torch and transformers are the same for everybody.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const python = join(root, '.setup/engine/bin/python');

/** Runs a script of this folder's neighbours and answers what it printed. The packages are installed into the folder unless it is there. */
export function withPeers(
  script: string,
  words: string[],
  { packages, threads }: { packages: string; threads: string },
): string {
  if (!existsSync(packages)) {
    process.stderr.write('Installing LlamaIndex and BM25 to compare with ...\n');
    const lock = join(import.meta.dirname, 'peers.lock');
    const install = [
      'install',
      '--disable-pip-version-check',
      '--quiet',
      '--no-deps',
      '--target',
      packages,
      '-r',
      lock,
    ];
    execFileSync(python, ['-m', 'pip', ...install], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return execFileSync(python, [join(root, 'bench', script), ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PYTHONPATH: [join(root, 'engine'), packages].join(':'),
      OMP_NUM_THREADS: threads,
      HF_HUB_OFFLINE: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    },
  });
}
