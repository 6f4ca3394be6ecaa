// A ZIP file on disk: its entries, and the bytes of one as a stream, within a budget for everything that is unpacked from it.
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

export async function openZip(path: string, limits: Pick<ParserLimits, 'parts' | 'expanded'>): Promise<Zip> {
  const file = await opened(path);
  const entries = await listed(file, limits.parts);
  const byName = new Map(entries.map((entry) => [entry.fileName, entry]));
  let left = limits.expanded;
  return {
    entries,
    entry: (name) => byName.get(name),
    async *bytes(entry) {
      if (entry.isEncrypted()) throw new Unreadable('encrypted');
      const stream = await streamOf(file, entry);
      try {
        for await (const chunk of stream) {
          left -= (chunk as Buffer).length;
          if (left < 0) throw new Unreadable('expanded', { limit: limits.expanded });
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

function listed(file: ZipFile, most: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  return new Promise((resolve, reject) => {
    file.on('error', reject);
    file.on('end', () => resolve(entries));
    file.on('entry', (entry: Entry) => {
      if (entries.length >= most) return reject(new Unreadable('parts', { limit: most }));
      entry.fileName = nameOf(entry);
      entries.push(entry);
      file.readEntry();
    });
    file.readEntry();
  });
}

/** With decodeStrings off the name is bytes: UTF-8 where it is valid, whatever the flag says; else the code page of DOS, of which ASCII is a part. */
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
