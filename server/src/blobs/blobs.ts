// Port for stored files. Its adapters are a folder (folder.ts) and object storage (s3/s3-blobs.ts).

/** A file being written. It is visible after `keep`. A start removes files that were neither kept nor discarded. */
export interface Draft {
  readonly name: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Makes it durable and visible under its name. After this it survives a power cut. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** A file where another program of this machine can read it, until it is released. */
export interface LocalFile {
  path: string;
  release(): Promise<void>;
}

export interface Blobs {
  /** Starts a file under a name that no other file ever had or will have. */
  draft(kind: string): Promise<Draft>;
  read(name: string, range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** Bytes of the file; undefined where there is none. */
  size(name: string): Promise<number | undefined>;
  local(name: string): Promise<LocalFile>;
  remove(name: string): Promise<void>;
  /** Removes what writers that are no more left behind: unfinished drafts, and files that `isKnown` does not know. */
  sweep(kind: string, isKnown: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number>;
}
