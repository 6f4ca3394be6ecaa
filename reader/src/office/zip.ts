// A ZIP file on disk: its entries, and the bytes of one as a stream. Unpacked bytes count against `expanded` of the
// limits, which belong to the whole upload.
import type { Readable } from 'node:stream';
import { type Entry, open, type ZipFile } from 'yauzl';
import type { ParserLimits } from '../block.ts';
import { Unreadable } from '../failures.ts';

export interface Zip {
  entries: Entry[];
  entry(name: string): Entry | undefined;
  bytes(entry: Entry): AsyncGenerator<Buffer>;
  close(): void;
}

/** `most` entries; other than the files of an archive the parts of an Office file count for nothing. */
export async function openZip(
  path: string,
  limits: Pick<ParserLimits, 'parts' | 'expanded'>,
  maxEntries = limits.parts,
): Promise<Zip> {
  const file = await opened(path);
  const entries = await listed(file, maxEntries).catch((error) => {
    file.close();
    throw error;
  });
  const byName = new Map(entries.map((entry) => [entry.fileName, entry]));
  const whole = limits.expanded;
  return {
    entries,
    entry: (name) => byName.get(name),
    async *bytes(entry) {
      if (entry.isEncrypted()) throw new Unreadable('encrypted');
      const stream = await streamOf(file, entry);
      try {
        for await (const chunk of stream) {
          limits.expanded -= (chunk as Buffer).length;
          if (limits.expanded < 0) throw new Unreadable('expanded', { limit: whole });
          yield chunk as Buffer;
        }
      } finally {
        stream.destroy();
      }
    },
    close: () => file.close(),
  };
}

function opened(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // Names are checked where they are shown; none of them is ever used as a path.
    open(
      path,
      { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true },
      (error, file) => (error ? reject(error) : resolve(file)),
    );
  });
}

function listed(file: ZipFile, maxEntries: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  return new Promise((resolve, reject) => {
    file.on('error', reject);
    file.on('end', () => {
      const problem = overlapping(entries);
      if (problem) reject(problem);
      else resolve(entries);
    });
    file.on('entry', (entry: Entry) => {
      if (entries.length >= maxEntries) return reject(new Unreadable('parts', { limit: maxEntries }));
      entry.fileName = nameOf(entry);
      entries.push(entry);
      file.readEntry();
    });
    file.readEntry();
  });
}

/** The fixed part of the local header of an entry. */
const localHeader = 30;

/** Entries that share bytes unpack one piece of data many times over. Those of no bytes share nothing. */
function overlapping(entries: Entry[]): Unreadable | undefined {
  const inOrder = entries
    .filter(({ compressedSize }) => compressedSize > 0)
    .sort((one, other) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader);
  let last: Entry | undefined;
  let end = 0;
  for (const entry of inOrder) {
    const start = entry.relativeOffsetOfLocalHeader;
    if (last && start < end)
      return new Unreadable('overlapping', { one: last.fileName.slice(0, 100), other: entry.fileName.slice(0, 100) });
    last = entry;
    end = start + localHeader + entry.compressedSize;
  }
  return undefined;
}

/** The name of an entry. With decodeStrings off it is bytes: UTF-8 where it is valid, whatever the flag says; else the code page of DOS, of which ASCII is a part. */
function nameOf(entry: Entry): string {
  const bytes = entry.fileName as unknown as Buffer;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('ibm866').decode(bytes);
  }
}

function streamOf(file: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    file.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}
