// Scratch folders of a killed server: nothing is written through their links, and they are removed once their server is dead.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { link, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { DocumentReader } from '@lorekeep/reader';
import { readingOf, testFolder } from '../../../../reader/src/testing/reading.ts';
import { newInstance } from '../../leases/instance-id.ts';
import { sitesOfSuite } from '../testing/workplace.ts';
import { newScratch, sweepScratch } from './scratch.ts';

describe('a folder for unpacking', () => {
  const open = sitesOfSuite();
  const [place] = newInstance().split('.');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const dead = `${place}.${pid}.0123456789ab-0`;
  const elsewhere = 'elsewhere.1.0123456789ab-0';

  /** A stored file, and the hard link to it that a server leaves when it is killed while reading. */
  async function left(root: string, name: string): Promise<string> {
    const blob = join(await testFolder(), 'stored');
    await mkdir(join(root, name, 'files'), { recursive: true });
    await writeFile(blob, `The words of ${name}.`);
    await link(blob, join(root, name, 'files/1'));
    return blob;
  }

  it('never writes through a link into a stored file', async () => {
    const root = await testFolder();
    const blob = await left(root, 'one');
    const other = join(root, 'other.txt');
    await writeFile(other, 'Other words.');
    const reader = new DocumentReader({ scratch: join(root, 'one') });
    try {
      await assert.rejects(readingOf(other, 'other.txt', reader), { code: 'EEXIST' });
    } finally {
      await reader.close();
    }
    assert.equal(await readFile(blob, 'utf8'), 'The words of one.');
  });

  it('is removed with its links once its server is dead, and stays while the server is alive', async () => {
    const root = await testFolder();
    const own = basename(newScratch(root));
    const parent = `${place}.${process.ppid}.0123456789ab-0`;
    const blob = await left(root, dead);
    for (const name of [own, parent, elsewhere]) await left(root, name);
    await sweepScratch(root);
    const folders = async () => (await readdir(root)).sort();
    assert.deepEqual(await folders(), [own, parent, elsewhere].sort());
    assert.equal((await stat(blob)).nlink, 1);
    // For a server on another machine only the time of its last write is known.
    const before = new Date(Date.now() - 90_000_000);
    await utimes(join(root, elsewhere), before, before);
    await sweepScratch(root);
    assert.equal((await folders()).length, 3);
    await utimes(join(root, elsewhere, 'files'), before, before);
    await sweepScratch(root);
    assert.deepEqual(await folders(), [own, parent].sort());
    assert.notEqual(newScratch(root), newScratch(root));
  });

  it('is removed by the next server after a kill', async () => {
    const one = await open();
    await mkdir(one.scratch, { recursive: true });
    const blob = await left(one.scratch, dead);
    await one.runner.sweep();
    assert.equal((await stat(blob)).nlink, 1);
  });
});
