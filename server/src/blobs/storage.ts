// Places of everything that is no record, decided once, at the start: nothing else asks which they are.
import type { Config } from '../config/settings.ts';
import type { TablePlace } from '../vectors/place.ts';
import type { Blobs } from './blobs.ts';
import type { StoredFolders } from './stored-folders.ts';

export interface Storage {
  blobs: Blobs;
  tables: TablePlace;
  /** Folders that have to outlive this machine. Undefined where the home holds everything. */
  beyond?: { tuned: StoredFolders; jobs: StoredFolders };
  /** Throws a StorageProblem where it cannot be used or is of another installation. Answers what the operator should know besides. */
  claim(installation: string): Promise<string[]>;
  /** Throws a StorageProblem where it cannot be used. Changes nothing. */
  look(): Promise<void>;
  /** Ends calls that are under way: a storage that is slow or gone holds up no stop. */
  close(): void;
}

export type StorageSettings = Pick<
  Config,
  'home' | 'storage' | 'storage_endpoint' | 'storage_region' | 'storage_addressing' | 'storage_credentials'
>;
