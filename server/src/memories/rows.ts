// Queries of memories for erasures, since an erasure is a change of its memory.
export {
  type Change,
  type Db,
  lockMemory,
  memoryOf,
  type OwnChange,
  type OwnMemory,
  type OwnVersion,
  openChanges,
  versionOf,
} from './memory-store.ts';
