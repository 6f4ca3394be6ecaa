// Reads stored files with an integrity check of length and SHA-256; a damaged file is refused by name. A download of ordinary size is
// checked before its first byte is sent. Of a larger one the last piece is held back until the check, so that no client takes a damaged
// file for a complete one.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { Refusal } from '@lorekeep/contract';
import type { Blobs, LocalFile } from './blobs.ts';

export interface Written {
  /** Description for messages: a dataset, document or index, and which. */
  what: string;
  name: string;
  blob: string;
  bytes: number;
  sha256: string;
}

/** Maximum size of files that are read twice for a download: first to check them. */
const maxPrecheckedBytes = 256 << 20;

export const damagedData = ({ what, name }: Pick<Written, 'what' | 'name'>, reason: string, cause?: unknown): Refusal =>
  new Refusal('data_damaged', { what, name, reason }, { cause }) as Refusal;

/** Streams the bytes. The last piece follows only if the check succeeds, otherwise it throws `data_damaged`. */
export async function* checkedBytes(blobs: Pick<Blobs, 'read'>, written: Written): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let bytes = 0;
  let held: Uint8Array | undefined;
  try {
    for await (const chunk of blobs.read(written.blob)) {
      bytes += chunk.length;
      if (bytes > written.bytes) break;
      digest.update(chunk);
      if (held) yield held;
      held = chunk;
    }
  } catch (error) {
    throw asDamage(written, error);
  }
  if (bytes !== written.bytes) {
    const found = bytes > written.bytes ? 'is longer' : `has ${bytes} bytes`;
    throw damagedData(written, `its file ${found} where ${written.bytes} bytes were written`);
  }
  if (digest.digest('hex') !== written.sha256) throw damagedData(written, 'its content does not match its checksum');
  if (held) yield held;
}

function asDamage(written: Written, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return damagedData(written, 'its file is missing', error);
  if (code === 'EIO') return damagedData(written, 'its file cannot be read from the storage', error);
  return error;
}

export async function checkBlob(blobs: Pick<Blobs, 'read'>, written: Written): Promise<void> {
  for await (const _ of checkedBytes(blobs, written));
}

/** A checked local copy for another program on this machine. The check reads the same bytes as that program. */
export async function checkedFile(blobs: Blobs, written: Written): Promise<LocalFile> {
  const file = await blobs.local(written.blob).catch((error) => {
    throw asDamage(written, error);
  });
  try {
    await checkBlob({ read: () => createReadStream(file.path, { highWaterMark: 1 << 20 }) }, written);
  } catch (error) {
    await file.release();
    throw error;
  }
  return file;
}

/** The stream of a download. It throws before the first byte if possible. A later failure ends the connection. */
export async function checkedDownload(blobs: Blobs, written: Written): Promise<Readable> {
  if (written.bytes <= maxPrecheckedBytes) await checkBlob(blobs, written);
  return Readable.from(checkedBytes(blobs, written), { objectMode: false });
}
