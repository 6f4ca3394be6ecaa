// The check sets up its Python environment before it checks anything, and stops if that fails.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

const setup = resolve(import.meta.dirname);

describe('./lorekeep check in a checkout without its Python environment', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    await mkdir(join(root, 'setup'));
  });
  after(async () => await rm(root, { recursive: true }));

  it('reports why the set-up failed and checks nothing', async () => {
    await cp(join(setup, 'check.ts'), join(root, 'setup/check.ts'));
    await writeFile(join(root, 'setup/python.sh'), 'echo "Python is missing for $1" >&2\nexit 1\n');
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'setup/check.ts')], {
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.equal(stderr, 'Python is missing for engine\n');
    assert.equal(stdout, '');
  });

  it('does not treat unmeasured Python files as small', async () => {
    for (const file of ['sizes.ts', 'sizes.json']) await cp(join(setup, file), join(root, 'setup', file));
    await symlink(join(setup, '../node_modules'), join(root, 'node_modules'));
    spawnSync('git', ['init', '-q', root]);
    await writeFile(join(root, 'a.py'), 'a = 1\n');
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'setup/sizes.ts')], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /sh setup\/python\.sh engine/);
    assert.doesNotMatch(stderr, /take it off the list/);
  });
});
