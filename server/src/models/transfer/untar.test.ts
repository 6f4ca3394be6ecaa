// Reading tar files: those of our own export and of the system's tar, in pieces of any size, and invalid ones.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { tarFile } from '../../testing/tar.ts';
import { filesUnder, tarOf } from './tar.ts';
import { filesOfTar } from './untar.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 65_536): Promise<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {};
  for await (const { path, bytes: content } of filesOfTar(inPieces(bytes, size)))
    found[path] = Buffer.concat(await Array.fromAsync(content));
  return found;
}

describe('a tar file', () => {
  let folder: string;
  const long = `experts/${'n'.repeat(60)}`;
  const files: Record<string, Buffer> = {
    'empty.json': Buffer.alloc(0),
    'exact.json': randomBytes(1024),
    'odd.json': randomBytes(100_001),
    [long]: randomBytes(7),
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-tar-'));
    for (const [name, content] of Object.entries(files)) {
      await mkdir(join(folder, 'model', dirname(name)), { recursive: true });
      await writeFile(join(folder, 'model', name), content);
    }
  });
  after(async () => await rm(folder, { recursive: true }));

  const below = (name: string, all: Record<string, Buffer>) =>
    Object.fromEntries(Object.entries(all).map(([path, content]) => [`${name}/${path}`, content]));

  it('of our own export is read in pieces of any size', async () => {
    const model = join(folder, 'model');
    const name = 'a'.repeat(64);
    const bytes = Buffer.concat(await Array.fromAsync(tarOf(model, name, await filesUnder(model))));
    for (const size of [1, 511, 512, 513, bytes.length]) assert.deepEqual(await read(bytes, size), below(name, files));
  });

  it('that the system packed again is read', async () => {
    execFileSync('tar', ['cf', 'again.tar', '--format=ustar', 'model'], { cwd: folder });
    assert.deepEqual(await read(await readFile(join(folder, 'again.tar'))), below('model', files));
  });

  const content = Buffer.from('x'.repeat(600));
  const one = tarFile([{ path: 'm/a', content }]);
  const refused: [string, Buffer, RegExp][] = [
    ['nothing', Buffer.alloc(0), /not a tar file/],
    ['noise', Buffer.alloc(2048, 'noise'), /not a tar file/],
    ['a compressed one', Buffer.from([0x1f, 0x8b, ...randomBytes(1022)]), /not a tar file, or it is compressed/],
    ['half a file', one.subarray(0, 800), /is truncated/],
    ['no end', one.subarray(0, 512 + 1024), /is truncated/],
    ['half a head', one.subarray(0, 100), /not a tar file/],
    ['half a second head', one.subarray(0, 1600), /is truncated/],
    ['more behind its end', Buffer.concat([one, Buffer.from('more')]), /more after its end/],
    ['a file larger than all', tarFile([{ path: 'm/a', size: 8 ** 11 - 1 }]), /is truncated|damaged/],
    ['a link', tarFile([{ path: 'm/a', kind: '2', link: '/etc/passwd' }]), /"m\/a" in it is a link/],
    ['a hard link', tarFile([{ path: 'm/a', kind: '1', link: 'm/b' }]), /"m\/a" in it is a link/],
    ['a device', tarFile([{ path: 'm/a', kind: '3' }]), /a device/],
    ['a pipe', tarFile([{ path: 'm/a', kind: '6' }]), /a pipe/],
    ['a long name of GNU', tarFile([{ path: '././@LongLink', content: 'm/a', kind: 'L' }]), /only some programs know/],
    ['control characters', tarFile([{ path: 'm/\u001b[31m', kind: '2' }]), /"m\/\?\[31m" in it/],
  ];
  for (const [what, bytes, reason] of refused)
    it(`is refused with ${what}`, async () => await assert.rejects(read(bytes), reason));
  it('is refused after a flipped bit in a header', async () => {
    const bytes = Buffer.from(tarFile([{ path: 'm/a', content }, { path: 'm/b' }]));
    bytes[512 + 1024 + 3]! ^= 1;
    await assert.rejects(read(bytes), /damaged/);
  });
});
