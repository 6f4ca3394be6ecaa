// Streams a folder as a tar file (POSIX ustar): only names, sizes and contents, so that the same folder gives the same bytes.
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const block = 512;
/** Largest number of eleven octal digits. */
const maxSize = 8 ** 11 - 1;

/** Files of a folder, below one name; `instead` replaces the contents of some. */
export async function* tarOf(
  folder: string,
  name: string,
  files: string[],
  instead: Record<string, string> = {},
): AsyncGenerator<Buffer> {
  for (const file of files) {
    const path = join(folder, file);
    const other = instead[file] === undefined ? undefined : Buffer.from(instead[file]);
    const size = other?.length ?? (await stat(path)).size;
    yield header(`${name}/${file}`, size);
    if (other) yield other;
    else for await (const chunk of createReadStream(path)) yield chunk as Buffer;
    if (size % block > 0) yield Buffer.alloc(block - (size % block));
  }
  yield Buffer.alloc(2 * block);
}

/** Paths of the files relative to the folder, sorted. */
export async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

function header(path: string, size: number): Buffer {
  const { prefix, name } = split(path);
  if (size > maxSize) throw new Error(`${path} has ${size} bytes, which is more than a tar file holds.`);
  const written = Buffer.alloc(block);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  written.write(name, 0, 100);
  written.write(octal(0o644, 7), 100);
  written.write(octal(0, 7), 108);
  written.write(octal(0, 7), 116);
  written.write(octal(size, 11), 124);
  written.write(octal(0, 11), 136);
  written.write(' '.repeat(8), 148);
  written.write('0', 156);
  written.write('ustar\u000000', 257);
  written.write(prefix, 345, 155);
  const sum = written.reduce((total, byte) => total + byte, 0);
  written.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return written;
}

/** A long path is stored in two parts, split at a slash. */
function split(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const prefix = path.slice(0, at);
    const name = path.slice(at + 1);
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { prefix, name };
  }
  throw new Error(`The path ${path} is too long for a tar file.`);
}
