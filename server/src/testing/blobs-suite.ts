// The suite of the port of stored files: they appear atomically, and are swept after their writer died.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Blobs } from '../blobs/blobs.ts';
import { checkBlob, checkedFile } from '../blobs/checked.ts';
import { newInstance } from '../leases/instance-id.ts';

export interface BlobsUnderTest {
  /** Opens the same files as the server with this name. */
  open(instance?: string): Blobs;
  /** Everything stored of a kind, finished or not. */
  stored(kind: string): Promise<string[]>;
  /** Overwrites a file with other bytes. */
  damage(name: string, bytes: string): Promise<void>;
  end(): Promise<void>;
}

export function blobsSuite(what: string, skip: string | false, start: () => Promise<BlobsUnderTest>): void {
  describe(`stored files, ${what}`, { skip }, () => {
    let place: BlobsUnderTest;
    beforeEach(async () => {
      place = await start();
    });
    afterEach(async () => await place.end());
    itReadsAndWrites(() => place);
    itRemoves(() => place);
  });
}

function itReadsAndWrites(place: () => BlobsUnderTest): void {
  it('become visible only after keep, small or large', async () => {
    const blobs = place().open();
    for (const size of [4, 3 << 20, 20 << 20]) {
      const draft = await blobs.draft('datasets');
      for (let at = 0; at < size; at += 1 << 20) await draft.write(Buffer.alloc(Math.min(size - at, 1 << 20), 'x'));
      await assert.rejects(bytes(blobs, draft.name), { code: 'ENOENT' });
      assert.equal(await blobs.size(draft.name), undefined);
      await draft.keep();
      const found = await bytes(blobs, draft.name);
      assert.ok(found.equals(Buffer.alloc(size, 'x')));
      assert.equal(await blobs.size(draft.name), size);
    }
  });

  it('can be read in parts', async () => {
    const blobs = place().open();
    const name = await kept(blobs, 'datasets', '0123456789');
    const part = async (start: number, end: number) => (await bytes(blobs, name, { start, end })).toString();
    assert.deepEqual(
      [await part(0, 0), await part(3, 5), await part(8, 20), await part(20, 30)],
      ['0', '345', '89', ''],
    );
    for await (const _ of blobs.read(name)) break;
  });

  it('stay on this machine for another program until they are released', async () => {
    const blobs = place().open();
    const name = await kept(blobs, 'documents', 'a document');
    const written = { what: 'document', name: 'a.md', blob: name, bytes: 10, sha256: sumOfADocument };
    const file = await checkedFile(blobs, written);
    assert.equal(await readFile(file.path, 'utf8'), 'a document');
    await file.release();
    assert.equal((await bytes(blobs, name)).toString(), 'a document');
    await place().damage(name, 'A document');
    await assert.rejects(checkedFile(blobs, written), { code: 'data_damaged' });
    await assert.rejects(checkBlob(blobs, written), { code: 'data_damaged' });
    await blobs.remove(name);
    await assert.rejects(checkedFile(blobs, written), /its file is missing/);
    assert.ok(!existsSync(file.path));
  });
}

function itRemoves(place: () => BlobsUnderTest): void {
  it('leave nothing behind when discarded or removed', async () => {
    const blobs = place().open();
    for (const size of [4, 20 << 20]) {
      const draft = await blobs.draft('datasets');
      await draft.write(Buffer.alloc(size));
      await draft.discard();
      const other = await blobs.draft('datasets');
      await other.write(Buffer.alloc(size));
      await other.keep();
      await other.discard();
      const name = await kept(blobs, 'datasets', 'short');
      for (let times = 0; times < 2; times++) await blobs.remove(name);
    }
    assert.deepEqual(await place().stored('datasets'), []);
  });

  it('never share a name, also between servers', async () => {
    const names = new Set<string>();
    for (const blobs of [place().open(), place().open()])
      for (let count = 0; count < 5; count++) names.add(await kept(blobs, 'datasets', 'x'));
    assert.equal(names.size, 10);
  });

  it('are removed after their writer died: drafts, and files without a record', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const dead = place().open(`${newInstance().split('.')[0]}.${pid}.0123456789ab`);
    const known = await kept(dead, 'datasets', 'known');
    await kept(dead, 'datasets', 'unknown');
    await kept(dead, 'other', 'of another kind');
    const half = await dead.draft('datasets');
    await half.write(Buffer.alloc(20 << 20));
    const living = place().open();
    const open = await living.draft('datasets');
    await open.write(Buffer.alloc(20 << 20));
    assert.equal((await place().stored('datasets')).length, 4);
    assert.equal(await living.sweep('datasets', async () => new Set([known])), 2);
    await open.keep();
    assert.deepEqual(new Set(await place().stored('datasets')), new Set([known, open.name]));
    assert.equal((await place().stored('other')).length, 1);
    await half.discard();
  });

  it('are swept if an earlier process had the same process id', async () => {
    await kept(place().open(newInstance()), 'datasets', 'x');
    assert.equal(
      await place()
        .open()
        .sweep('datasets', async () => new Set()),
      1,
    );
  });
}

const sumOfADocument = '0d1da5138c035ffb7a848cfa108a901b2d7e44195f11ddc475e1fe7c1cf9d8b3';

export async function bytes(blobs: Blobs, name: string, range?: { start: number; end: number }): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(blobs.read(name, range)));
}

export async function kept(blobs: Blobs, kind: string, text: string): Promise<string> {
  const draft = await blobs.draft(kind);
  await draft.write(Buffer.from(text));
  await draft.keep();
  return draft.name;
}
