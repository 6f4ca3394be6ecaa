// The programs that fit weights overwrite the shipped ones, so their help has to be shown without a fit.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

describe('the programs that fit weights', () => {
  for (const file of globSync('fit_*.py', { cwd: import.meta.dirname }))
    it(`show their help without a fit (${file})`, () => {
      // A fit takes minutes and writes at its end.
      const { status, stdout, stderr } = spawnSync(
        join(root, '.setup/engine/bin/python'),
        ['-B', join(import.meta.dirname, file), '--help'],
        { encoding: 'utf8', timeout: 100_000, killSignal: 'SIGKILL' },
      );
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^usage: /);
    });
});
