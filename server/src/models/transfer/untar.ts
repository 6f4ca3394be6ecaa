// Reads a tar file as a stream, without buffering it. Only plain files and folders are accepted; links, devices and
// the extensions of other programs are refused by name. `import.ts` accepts known paths only (no path traversal).
import { withoutInvisible } from '@lorekeep/contract';

export interface TarFile {
  path: string;
  size: number;
  /** Bytes, to be read to their end before the next file. */
  bytes: AsyncIterable<Buffer>;
}

/** A fault of the archive, as the end of a sentence. */
export class TarError extends Error {}

const block = 512;
const notTar = 'it is not a tar file, or it is compressed';
const kinds: Record<string, string> = {
  '1': 'a link',
  '2': 'a link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
};

export async function* filesOfTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const bytes = new Pieces(source);
  for (let first = true; ; first = false) {
    const header = await bytes.exactly(block).catch((error) => {
      throw first && error instanceof TarError ? new TarError(notTar) : error;
    });
    if (header.every((byte) => byte === 0)) break;
    const { path, size, kind } = read(header, first);
    if (kind === '5') continue;
    if (kind !== '0')
      throw new TarError(
        `"${stripControls(path)}" in it is ${kinds[kind] ?? 'of a kind that only some programs know'}`,
      );
    yield { path, size, bytes: bytes.next(size) };
    await bytes.exactly((block - (size % block)) % block);
  }
  for await (const rest of bytes.rest())
    if (rest.some((byte) => byte !== 0)) throw new TarError('there is more after its end');
}

function read(header: Buffer, first: boolean): { path: string; size: number; kind: string } {
  const text = (from: number, length: number) => {
    const field = header.subarray(from, from + length);
    const end = field.indexOf(0);
    return field.subarray(0, end < 0 ? length : end).toString('utf8');
  };
  const octal = (from: number, length: number) => {
    const digits = text(from, length).trim();
    return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  };
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (sum !== octal(148, 8))
    throw new TarError(first ? notTar : 'it is damaged: the header of a file in it does not match its checksum');
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const path = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  const size = octal(124, 12);
  if (Number.isNaN(size)) throw new TarError(`the size of "${stripControls(path)}" in it cannot be read`);
  const kind = text(156, 1) || '0';
  return { path, size, kind };
}

export const stripControls = (path: string): string => withoutInvisible(path, '?').slice(0, 200);

/** Splits a stream of bytes into pieces of any length. */
class Pieces {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async *next(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next();
        if (done) throw new TarError('it is truncated');
        this.#rest = value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async exactly(size: number): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.next(size)));
  }

  async *rest(): AsyncGenerator<Buffer> {
    yield this.#rest;
    for (let next = await this.#source.next(); !next.done; next = await this.#source.next()) yield next.value;
  }
}
