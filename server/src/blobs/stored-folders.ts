// Port for folders that must survive the loss of this machine: tuned models, and the files that start a job. Servers that share a file
// system have no such store. The adapter is object storage (s3/folders.ts).

export interface StoredFolders {
  /** Stores a folder; it is durable and complete afterwards. `isWanted` selects the files. Storing again replaces it. */
  store(name: string, folder: string, isWanted?: (path: string) => boolean): Promise<void>;
  isStored(name: string): Promise<boolean>;
  /** Whether it is stored, and a file is missing or different in the local folder. */
  differs(name: string, folder: string): Promise<boolean>;
  /** Downloads it into a draft and checks each file there, so that the target is complete or absent. False if none is stored. */
  fetch(name: string, target: string, draft: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** Check for `lorekeep doctor`: returns the problem if sizes show that the folder is incomplete. */
  problem(name: string): Promise<string | undefined>;
  /** Sweep: removes orphaned folders that nobody has written for a day. */
  sweep(recorded: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number>;
}
