// A reading process that ends unexpectedly: the operator's log has its last words, the user is told only that it ended.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOver } from '@lorekeep/contract';
import { until } from '../../testing/until.ts';
import { sitesOfSuite } from '../testing/workplace.ts';

describe('a reading process that ends unexpectedly', () => {
  const open = sitesOfSuite();

  it('has its last words in the log', async () => {
    // Node refuses to start with such a limit.
    const one = await open({ limits: { memory: Number.NaN } });
    one.runner.start();
    const id = await one.create({ 'a.md': 'The gate opens at six.' });
    await until('it is at rest', async () => isOver((await one.indexes.show(one.caller, id)).status));
    const [file] = (await one.files.list(one.caller, id, 10, undefined)).files;
    assert.equal(file!.reason, 'reading it ended unexpectedly (exit code 9)');
    assert.equal(one.errors.length, 1);
    const [logged] = one.errors as { file: string; index: number; output: string }[];
    assert.deepEqual([logged!.file, logged!.index], ['a.md', id]);
    assert.match(logged!.output, /max-old-space-size/);
  });
});
