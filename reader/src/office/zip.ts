// ZIP file on disk: its entries, and the content of one as a stream. Unpacked bytes count against the limit `expanded` of
// the whole upload.
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

/** Opens a ZIP file with a maximum number of entries. Parts of an Office file do not count as files of an archive. */
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
    // Names are sanitized for display and never used as paths.
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

/** Length of the fixed part of an entry's local header. */
const localHeader = 30;

/** Refuses overlapping entries, which unpack the same data many times (a non-recursive zip bomb). Empty entries cannot overlap. */
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

/** Decodes the name of an entry: UTF-8 if it is valid, whatever the flag says, else the DOS code page. */
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
