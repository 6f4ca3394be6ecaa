// Rows of memories for the erasures, whose changes stand among those of their memory.
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
