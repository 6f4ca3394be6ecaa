// Detects the encoding and decodes text as a stream: by a byte order mark, a declaration, valid UTF-8, else a guess from the non-ASCII
// bytes.
import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { analyse } from 'chardet';
import type { FileToRead } from '../block.ts';

const chunkSize = 256 * 1024;
const sampleSize = 64 * 1024;

/** Streams decoded text. `declared` is the encoding named in the file; it is ignored if the bytes contradict it. */
export async function* decodedFile(
  { path, onBytes }: Pick<FileToRead, 'path' | 'onBytes'>,
  declared?: string,
): AsyncGenerator<string> {
  const encoding = await encodingOf(path, declared);
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path, { highWaterMark: chunkSize })) {
    onBytes?.(chunk.length);
    const text = decoder.decode(chunk as Buffer, { stream: true });
    if (text) yield text;
  }
  const rest = decoder.decode();
  if (rest) yield rest;
}

/** Cached result of the last file, since both the detection and the parser need it. */
let last: { key: string; found: ReturnType<typeof utf8> } | undefined;

export async function encodingOf(path: string, declared?: string): Promise<string> {
  const head = await firstBytes(path, 4096);
  const marked = byMark(head) ?? byZeros(head);
  if (marked) return marked;
  const { size, mtimeMs, ino } = await stat(path);
  const key = [path, ino, size, mtimeMs].join();
  if (last?.key !== key) last = { key, found: utf8(path) };
  const { valid, sample } = await last.found;
  if (valid) return 'utf-8';
  return known(declared) ?? guess(sample);
}

export async function firstBytes(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function byMark(head: Buffer): string | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** Detects UTF-16 without a mark: western text has zeros in every second byte, and hardly any elsewhere. */
function byZeros(head: Buffer): string | undefined {
  const zeros = [0, 0];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) zeros[at % 2]!++;
  const half = head.length / 2;
  if (half < 2) return undefined;
  if (zeros[1]! > half * 0.4 && zeros[0]! < half * 0.05) return 'utf-16le';
  if (zeros[0]! > half * 0.4 && zeros[1]! < half * 0.05) return 'utf-16be';
  return undefined;
}

/** Checks the whole file for UTF-8 and samples non-ASCII bytes. A long file may have a few errors. */
async function utf8(path: string): Promise<{ valid: boolean; sample: Buffer }> {
  const sample: Buffer[] = [];
  let sampled = 0;
  let broken = 0;
  let foreign = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 4 * chunkSize })) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    const end = wholeCharacters(bytes);
    const part = bytes.subarray(0, end);
    rest = Buffer.from(bytes.subarray(end));
    if (isAscii(part)) continue;
    if (sampled < sampleSize) {
      const start = part.findIndex((byte) => byte >= 0x80);
      const taken = Buffer.from(part.subarray(Math.max(0, start - 200), start + sampleSize - sampled));
      sample.push(taken);
      sampled += taken.length;
    }
    if (isUtf8(part)) continue;
    // The chunk has non-ASCII bytes, so every character is checked.
    for (const character of part.toString('utf8').replace(/\p{ASCII}+/gu, '')) {
      foreign++;
      if (character === '\ufffd') broken++;
    }
  }
  if (!isUtf8(rest)) broken++;
  return { valid: broken === 0 || (foreign > 100 && broken * 20 < foreign), sample: Buffer.concat([...sample, rest]) };
}

/** End of the last complete character. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function known(label: string | undefined): string | undefined {
  if (!label) return undefined;
  try {
    const { encoding } = new TextDecoder(label.trim());
    // The declared encoding is wrong and is ignored.
    return encoding.startsWith('utf-') ? undefined : encoding;
  } catch {
    return undefined;
  }
}

function guess(sample: Buffer): string {
  // A few accents in mostly ASCII text prove little; otherwise even a weak guess is better than none.
  const foreign = sample.filter((byte) => byte >= 0x80).length > sample.length / 3;
  for (const { name, confidence } of analyse(sample)) {
    if (confidence < (foreign ? 10 : 25)) break;
    // TextDecoder treats ISO 8859-1 as its superset windows-1252, as on the web.
    const encoding = known(name);
    if (encoding) return encoding;
  }
  return 'windows-1252';
}
