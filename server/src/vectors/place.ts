// Locations of Lance tables, one folder each: on disk, or in object storage (blobs/s3/tables.ts).
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface TablePlace {
  readonly uri: string;
  /** Timeout of a search in milliseconds. Undefined for a disk. */
  readonly patience?: number;
  /** Connection options. If they change, a new connection is opened. */
  options(): Record<string, string>;
  hasFiles(folder: string): Promise<boolean>;
  remove(folder: string): Promise<void>;
  folders(): Promise<string[]>;
  /** Translates errors of Lance that mean that the place is unreachable; undefined for errors about a table. */
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
