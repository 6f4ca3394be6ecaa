// Starts the process of a test run that engines are forked from (engine/lorekeep/testing_forks.py), where the system is one that it knows.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');

export interface Forks {
  /** For the tests: forked-engines.mjs is loaded into every process of Node. */
  environment: { NODE_OPTIONS: string; LOREKEEP_TEST_FORKS: string };
  end(): void;
}

export async function startForks(): Promise<Forks | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'lorekeep-forks-'));
  const socket = join(folder, 'socket');
  // It ends with this process, when its standard input closes.
  const child = spawn(join(root, '.setup/engine/bin/python'), ['-m', 'lorekeep.testing_forks', socket], {
    cwd: root,
    env: { ...process.env, PYTHONPATH: join(root, 'engine'), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const end = () => {
    child.stdin.destroy();
    rmSync(folder, { recursive: true, force: true });
  };
  const ready = await new Promise<boolean>((done) => {
    createInterface({ input: child.stdout }).once('line', (line) => done(line === 'ready'));
    child.once('close', () => done(false));
  });
  if (!ready) {
    end();
    throw new Error('The process that engines are forked from did not start; ./lorekeep test --long does without it.');
  }
  const hook = pathToFileURL(join(root, 'setup/forked-engines.mjs'));
  hook.searchParams.set('socket', socket);
  return {
    environment: {
      NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${hook}`].filter(Boolean).join(' '),
      LOREKEEP_TEST_FORKS: socket,
    },
    end,
  };
}
