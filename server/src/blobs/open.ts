// Opens the storage that the settings name: the home, or object storage, whose code is loaded only if it is used.
import { join } from 'node:path';
import { folderOfTables } from '../vectors/place.ts';
import { FolderBlobs } from './folder.ts';
import type { Storage, StorageSettings } from './storage.ts';

export async function openStorage(settings: StorageSettings): Promise<Storage> {
  if (settings.storage !== 'folder') return (await import('./s3/open.ts')).openS3(settings);
  return {
    blobs: new FolderBlobs(join(settings.home, 'files')),
    tables: folderOfTables(join(settings.home, 'vectors')),
    claim: async () => [],
    check: async () => {},
    close: () => {},
  };
}
