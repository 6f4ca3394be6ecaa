// Files: whole or not there, and swept when their writer is no more.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { newInstance } from '../leases/instance-id.ts';
import { FolderBlobs } from './folder.ts';

describe('files in a folder', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  });
  afterEach(async () => await rm(root, { recursive: true }));

  const none = async () => new Set<string>();
  const text = async (blobs: FolderBlobs, name: string) => {
    const chunks = [];
    for await (const chunk of blobs.read(name)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it('are visible only after keep', async () => {
    const blobs = new FolderBlobs(root);
    const draft = await blobs.draft('datasets');
    await draft.write(Buffer.from('one '));
    await draft.write(Buffer.alloc(3 << 20, 'x'));
    await assert.rejects(text(blobs, draft.name));
    await draft.keep();
    assert.equal((await text(blobs, draft.name)).length, 4 + (3 << 20));
  });

  it('leave nothing when they are discarded', async () => {
    const blobs = new FolderBlobs(root);
    const draft = await blobs.draft('datasets');
    await draft.write(Buffer.from('half'));
    await draft.discard();
    assert.deepEqual(await readdir(join(root, 'datasets')), []);
  });

  it('never share a name, also between servers', async () => {
    const names = new Set<string>();
    for (const blobs of [new FolderBlobs(root), new FolderBlobs(root)]) {
      for (let count = 0; count < 5; count++) {
        const draft = await blobs.draft('datasets');
        names.add(draft.name);
        await draft.discard();
      }
    }
    assert.equal(names.size, 10);
  });

  it('are removed after their writer died: drafts, and files without a record', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const host = newInstance().split('.')[0];
    const dead = `${host}.${pid}.0123456789ab`;
    const known = await new FolderBlobs(root, dead).draft('datasets');
    await known.keep();
    await (await new FolderBlobs(root, dead).draft('other')).keep();
    await writeFile(join(root, 'datasets', `${dead}-5.draft`), 'half');
    await writeFile(join(root, 'datasets', `${dead}-6`), 'unknown');
    const living = new FolderBlobs(root);
    const open = await living.draft('datasets');
    assert.equal(await living.sweep('datasets', async () => new Set([known.name])), 2);
    await open.write(Buffer.from('still being written'));
    await open.keep();
    assert.equal((await readdir(join(root, 'datasets'))).length, 2);
    assert.equal((await readdir(join(root, 'other'))).length, 1);
  });

  it('sweeps files of an earlier process that had our process number', async () => {
    const before = newInstance();
    await (await new FolderBlobs(root, before).draft('datasets')).keep();
    assert.equal(await new FolderBlobs(root).sweep('datasets', none), 1);
  });
});
