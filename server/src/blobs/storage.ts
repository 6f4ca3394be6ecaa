// Storage of everything outside of the database, chosen once at start: blobs, vector tables and shared folders.
import type { Config } from '../config/settings.ts';
import type { TablePlace } from '../vectors/place.ts';
import type { Blobs } from './blobs.ts';
import type { StoredFolders } from './stored-folders.ts';

export interface Storage {
  blobs: Blobs;
  tables: TablePlace;
  /** Store of folders that must survive the loss of this machine. Undefined if the home holds everything. */
  beyond?: { tuned: StoredFolders; jobs: StoredFolders };
  /** Prepares the storage; returns warnings. Throws a StorageProblem if it is unusable or belongs to another installation. */
  claim(installation: string): Promise<string[]>;
  /** Checks the storage without changing it. Throws a StorageProblem if it is unusable. */
  check(): Promise<void>;
  /** Aborts calls in flight, so that a slow or absent storage does not delay a shutdown. */
  close(): void;
}

export type StorageSettings = Pick<
  Config,
  'home' | 'storage' | 'storage_endpoint' | 'storage_region' | 'storage_addressing' | 'storage_credentials'
>;
