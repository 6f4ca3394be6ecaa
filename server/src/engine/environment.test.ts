// The Python environment of the engine: an existing one, and scripts that simulate a slow or failing installation.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../http/log.ts';
import { environment } from './environment.ts';

const log = createLog({ log_level: 'silent', log_format: 'json' });

/** A script that simulates an installation that is slow the first time, and its process. */
async function longInstallation(test: TestContext): Promise<{ root: string; process: () => Promise<number> }> {
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-environment-'));
  test.after(async () => await rm(root, { recursive: true }));
  await mkdir(join(root, 'setup'));
  await writeFile(
    join(root, 'setup/python.sh'),
    '[ -e pid ] && exit 0\necho $$ >pid.part\nmv pid.part pid\nexec sleep 600\n',
  );
  const started = async (): Promise<number> => {
    for (;;) {
      const pid = Number(await readFile(join(root, 'pid'), 'utf8').catch(() => 0));
      if (pid > 0) return pid;
      await sleep(10);
    }
  };
  return { root, process: started };
}

it('installs the Python environment although the installing process is killed', async (test) => {
  const installation = await longInstallation(test);
  const { ready, stop } = environment(log, undefined, { root: installation.root });
  process.kill(await installation.process(), 'SIGKILL');
  assert.match(await ready, /bin\/python$/);
  await stop();
});

it('ends the installation when its server ends', async (test) => {
  const installation = await longInstallation(test);
  const { ready, stop } = environment(log, undefined, { root: installation.root });
  const pid = await installation.process();
  await Promise.all([assert.rejects(ready), stop()]);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

it('stops when the script has exited although another process still holds its pipes', async (test) => {
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-environment-'));
  test.after(async () => await rm(root, { recursive: true }));
  await mkdir(join(root, 'setup'));
  await writeFile(join(root, 'setup/python.sh'), 'setsid sleep 1 &\nexit 0\n');
  const { ready, stop } = environment(log, undefined, { root });
  await sleep(300);
  await stop();
  assert.equal(await ready, join(root, '.setup/engine/bin/python'));
});

it('reports progress, and retries when packages could not be downloaded', async (test) => {
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-environment-'));
  test.after(async () => await rm(root, { recursive: true }));
  await mkdir(join(root, 'setup'));
  await writeFile(
    join(root, 'setup/python.sh'),
    'echo "setting up \\"engine\\": downloading package 9 of 44, 51 MB"\n[ -e failed ] && exit 0\ntouch failed\nexit 75\n',
  );
  const progress: string[] = [];
  const { ready } = environment(log, (text) => progress.push(text), { root, firstPause: 1 });
  assert.equal(await ready, join(root, '.setup/engine/bin/python'));
  assert.deepEqual(progress, [
    'being set up: downloading package 9 of 44, 51 MB',
    'being set up: its packages could not be installed (the log of the server says why); it tries again',
    'being set up: downloading package 9 of 44, 51 MB',
  ]);
});

it('does not retry when the machine lacks a required program', async (test) => {
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-environment-'));
  test.after(async () => await rm(root, { recursive: true }));
  await mkdir(join(root, 'setup'));
  await writeFile(join(root, 'setup/python.sh'), 'echo "Python 3.11 or later is missing" >&2\nexit 1\n');
  await assert.rejects(environment(log, undefined, { root }).ready, /Python 3\.11 or later is missing/);
});

/** Runs `act` with a PATH that has one folder. */
async function withPath(folder: string, act: (restore: () => void) => Promise<void>): Promise<void> {
  const path = process.env.PATH;
  const restore = () => {
    process.env.PATH = path;
  };
  process.env.PATH = folder;
  try {
    await act(restore);
  } finally {
    restore();
  }
}

it('retries when the shell could not be started', async (test) => {
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-environment-'));
  test.after(async () => await rm(root, { recursive: true }));
  await mkdir(join(root, 'setup'));
  await writeFile(join(root, 'setup/python.sh'), 'exit 0\n');
  // A file that nobody may execute.
  await writeFile(join(root, 'sh'), '', { mode: 0o600 });
  await withPath(root, async (restore) => {
    const { ready } = environment(log, restore, { root, firstPause: 1 });
    assert.equal(await ready, join(root, '.setup/engine/bin/python'));
  });
});

it('does not retry when there is no shell', async (test) => {
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-environment-'));
  test.after(async () => await rm(root, { recursive: true }));
  await withPath(root, async () => {
    const { ready, stop } = environment(log, undefined, { root, firstPause: 1 });
    await assert.rejects(ready, /could not be made:\nspawn sh ENOENT/);
    await stop();
  });
});
