// Tar files for tests: made of any entries, also malicious ones, and read by the system's own tar.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { adminKey } from './server.ts';

export interface Entry {
  path: string;
  content?: string | Buffer;
  /** '0' is a plain file, '2' a symbolic link. */
  kind?: string;
  link?: string;
  /** Size in the header, if it differs from the real one. */
  size?: number;
}

export function tarFile(entries: Entry[]): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  for (const { path, content = '', kind = '0', link = '', size } of entries) {
    const bytes = Buffer.from(content);
    const head = Buffer.alloc(512);
    head.write(path, 0, 100);
    head.write('0000644\0', 100);
    head.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124);
    head.write(' '.repeat(8), 148);
    head.write(kind, 156);
    head.write(link, 157, 100);
    head.write('ustar\u000000', 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    parts.push(head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  }
  return Buffer.concat([...parts, Buffer.alloc(1024)]) as Buffer<ArrayBuffer>;
}

/** A tuned model as exported. */
export async function exported({ url }: { url: string }, model: string): Promise<Uint8Array<ArrayBuffer>> {
  const headers = { authorization: `Bearer ${adminKey}` };
  const response = await fetch(`${url}/v1/models/${encodeURIComponent(model)}/export`, { headers });
  assert.equal(response.status, 200);
  return new Uint8Array(await response.arrayBuffer());
}

/** The files of an exported model, by their names in it. */
export async function unpacked(tar: Uint8Array): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-tar-'));
  try {
    await writeFile(join(folder, 'model.tar'), tar);
    execFileSync('tar', ['xf', 'model.tar', '--strip-components=1', '--one-top-level=model'], { cwd: folder });
    const root = join(folder, 'model');
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const names = files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort();
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(root, name))] as const)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The files as an export writes them, with correct checksums. */
export function packed(files: Map<string, Buffer>): Buffer<ArrayBuffer> {
  const sums = [...files].filter(([name]) => name !== 'checksums.json');
  const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');
  const written = JSON.stringify(Object.fromEntries(sums.map(([name, content]) => [name, hash(content)])));
  return tarFile(
    [...sums, ['checksums.json', Buffer.from(written)] as const].map(([path, content]) => ({
      path: `model/${path}`,
      content,
    })),
  );
}
