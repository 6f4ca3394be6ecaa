// The lock of the set-ups (setup/progress.sh): one process at a time holds it, also when several find that its owner is dead.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until } from '../server/src/testing/until.ts';

const progress = join(import.meta.dirname, 'progress.sh');
const deadOwner = '99999999';

describe('the lock of the set-ups', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-lock-'));
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  /** Runs a script that has the functions of progress.sh; `wait_for FILE` waits for a file. */
  const run = (script: string) => {
    const waits = 'wait_for() { until [ -e "$1" ]; do sleep 0.05; done; }';
    const child = spawn('sh', ['-euc', `. '${progress}'\n${waits}\n${script}`], { cwd: folder, stdio: 'inherit' });
    return { pid: child.pid!, ended: once(child, 'close').then(([code]) => code) };
  };
  const there = async (file: string) => await until(`${file} is there`, () => existsSync(join(folder, file)));

  it('is taken over from a dead owner by one of two that saw it', async () => {
    await symlink(deadOwner, join(folder, 'lock'));
    // The late one looks at the dead owner, and goes on when the first one holds the lock.
    const late = run(`
      is_running() {
        if [ "$1" = ${deadOwner} ]; then touch saw; wait_for held; return 1; fi
        touch waits
      }
      take_lock lock
      echo late >>order
      touch waits
      release_lock`);
    await there('saw');
    const first = run('take_lock lock; touch held; wait_for waits; echo first >>order; release_lock');
    assert.deepEqual(await Promise.all([first.ended, late.ended]), [0, 0]);
    assert.equal(await readFile(join(folder, 'order'), 'utf8'), 'first\nlate\n');
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('lock')),
      [],
    );
  });

  it('is taken over from an owner that was killed while it took it over', async () => {
    for (const name of ['lock', 'lock.over', 'lock.over.over']) await symlink(deadOwner, join(folder, name));
    assert.equal(await run('take_lock lock; release_lock').ended, 0);
    assert.deepEqual(await readdir(folder), []);
  });

  it('is refused with a reason to a user who may not write its folder', async () => {
    await chmod(folder, 0o555);
    const asNobody = process.getuid!() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const [program, ...words] = [...asNobody, 'sh', '-euc', `. '${progress}'\ntake_lock '${folder}/lock'`];
    const child = spawn(program!, words, { cwd: '/' });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    assert.deepEqual(await once(child, 'close'), [1, null]);
    assert.match(said, /may not write .*lorekeep-lock-.*lorekeep setup/);
    await chmod(folder, 0o755);
  });

  for (const [end, script] of [
    ['release', 'release_lock'],
    ['exit', 'exit 0'],
  ] as const)
    it(`is left to its new owner at the ${end} of the former one`, async () => {
      const former = run(`take_lock lock; touch held; wait_for taken; ${script}`);
      await there('held');
      await rm(join(folder, 'lock'));
      await symlink(String(process.pid), join(folder, 'lock'));
      await writeFile(join(folder, 'taken'), '');
      assert.equal(await former.ended, 0);
      assert.equal(await readlink(join(folder, 'lock')), String(process.pid));
    });
});
