// Places of Lance's tables, a folder each: on a disk, or in object storage (blobs/s3/tables.ts).
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface TablePlace {
  readonly uri: string;
  /** Milliseconds that a search waits for it. A disk is always waited for. */
  readonly patience?: number;
  /** Options of a connection; others than before need a new one. */
  options(): Record<string, string>;
  hasFiles(folder: string): Promise<boolean>;
  remove(folder: string): Promise<void>;
  folders(): Promise<string[]>;
  /** The error for callers where Lance's own says that the place cannot be reached, and nothing about a table. */
  failure(error: Error): Error | undefined;
}

export function folderOfTables(root: string): TablePlace {
  return {
    uri: root,
    options: () => ({}),
    hasFiles: async (folder) => (await readdir(join(root, folder)).catch(() => [])).length > 0,
    remove: async (folder) => await rm(join(root, folder), { recursive: true, force: true }),
    folders: async () =>
      await readdir(root).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      }),
    failure: () => undefined,
  };
}
