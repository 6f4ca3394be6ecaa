// A bench that is written in Python, in the engine's environment.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export function runPython(script: string, given = process.argv.slice(2)): void {
  spawnSync('sh', [join(root, 'setup/python.sh'), 'engine'], { stdio: 'inherit' });
  const python = join(root, '.setup/engine/bin/python');
  const environment = { ...process.env, OMP_NUM_THREADS: '1', PYTHONPATH: join(root, 'engine') };
  const { status } = spawnSync(python, [join(root, 'bench', script), ...given], {
    stdio: 'inherit',
    env: environment,
  });
  process.exitCode = status ?? 1;
}
