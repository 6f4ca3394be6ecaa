// Port for folders that have to outlive this machine: tuned models, and what a job needs to begin. Where servers share a file system there
// is no such store; the adapter is object storage (s3/folders.ts).

export interface StoredFolders {
  /** Durable, whole, once it is done. Files that are not wanted stay behind. Storing again replaces. */
  store(name: string, folder: string, isWanted?: (path: string) => boolean): Promise<void>;
  isStored(name: string): Promise<boolean>;
  /** Whether it is stored, and a file of it is missing in the folder or another one there. */
  differs(name: string, folder: string): Promise<boolean>;
  /** Brings it to this machine by way of a draft, in which each file is checked: the target is whole or not there. False where none is. */
  fetch(name: string, target: string, draft: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** For the doctor: a sentence where it is not whole, as far as sizes tell. */
  problem(name: string): Promise<string | undefined>;
  /** Removes what no record names and nobody has written for a day. */
  sweep(recorded: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number>;
}
