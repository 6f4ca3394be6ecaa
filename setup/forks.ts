// Starts the process of a test run that engines are forked from (engine/lorekeep/testing_forks.py), if the system supports it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');

export interface Forks {
  /** For the tests: forked-engines.mjs is loaded into every process of Node. */
  environment: { NODE_OPTIONS: string; LOREKEEP_TEST_FORKS: string; LOREKEEP_TEST_DOWNLOAD_FORKS: string };
  end(): void;
}

/** `bundles` is the folder of bundled programs (bundles.ts). */
export async function startForks(bundles: string): Promise<Forks | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'lorekeep-forks-'));
  const sockets = { engines: join(folder, 'engines'), downloads: join(folder, 'downloads') };
  const servers = await Promise.all([startServer([sockets.engines]), startServer([sockets.downloads, 'download'])]);
  const end = () => {
    for (const { child } of servers) child.stdin.destroy();
    rmSync(folder, { recursive: true, force: true });
  };
  if (!servers.every(({ ready }) => ready)) {
    end();
    throw new Error('The process that engines are forked from did not start; ./lorekeep test --long does without it.');
  }
  const hook = pathToFileURL(join(root, 'setup/forked-engines.mjs'));
  for (const [kind, path] of Object.entries({ ...sockets, bundles })) hook.searchParams.set(kind, path);
  return {
    environment: {
      NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${hook}`].filter(Boolean).join(' '),
      LOREKEEP_TEST_FORKS: sockets.engines,
      LOREKEEP_TEST_DOWNLOAD_FORKS: sockets.downloads,
    },
    end,
  };
}

/** The server ends with this process, when its standard input closes. */
async function startServer(words: string[]) {
  const child = spawn(join(root, '.setup/engine/bin/python'), ['-m', 'lorekeep.testing_forks', ...words], {
    cwd: root,
    env: { ...process.env, PYTHONPATH: join(root, 'engine') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ready = await new Promise<boolean>((done) => {
    createInterface({ input: child.stdout }).once('line', (line) => done(line === 'ready'));
    child.once('close', () => done(false));
  });
  return { child, ready };
}
