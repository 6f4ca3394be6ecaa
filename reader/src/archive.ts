// ZIP archives: each entry is unpacked under a number in the scratch folder and read like any other file. The unpacked size is bounded
// and measured; declared sizes are not trusted.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Entry } from 'yauzl';
import type { FileToRead, Parsed } from './block.ts';
import { damaged, Unreadable } from './failures.ts';
import { openZip, type Zip } from './office/zip.ts';
import { distinct, shownPart } from './part-names.ts';

export async function* parseZip(file: FileToRead): AsyncGenerator<Parsed> {
  let zip: Zip;
  try {
    zip = await openZip(file.path, file.limits);
  } catch (error) {
    throw damaged(error);
  }
  const taken = new Set<string>();
  try {
    for (const [index, entry] of zip.entries.entries()) {
      if (isClutter(entry.fileName)) continue;
      const name = distinct(shownPart(entry.fileName), taken);
      try {
        const path = join(file.scratch, `part-${index}`);
        yield { type: 'part', name, path, bytes: await unpackEntry(zip, entry, path) };
      } catch (error) {
        const failure = damaged(error);
        // The budget applies to the whole archive.
        if (failure.code === 'expanded') throw failure;
        yield { type: 'notice', text: `${name} was skipped: ${failure.message}` };
      }
    }
  } finally {
    zip.close();
  }
}

async function unpackEntry(zip: Zip, entry: Entry, path: string): Promise<number> {
  const file = await open(path, 'w');
  let bytes = 0;
  try {
    for await (const chunk of zip.bytes(entry)) {
      await file.write(chunk);
      bytes += chunk.length;
    }
    return bytes;
  } catch (error) {
    await file.truncate(0);
    throw error instanceof Unreadable ? error : damaged(error);
  } finally {
    await file.close();
  }
}

/** Folders, and metadata files of operating systems. */
const isClutter = (name: string) =>
  name.endsWith('/') || /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\.git\/)/.test(name);
