// Port for stored files. Its adapters are a folder (folder.ts) and object storage (s3/s3-blobs.ts).

/** A file being written (a draft). It becomes visible with `keep`. The next start removes drafts that were neither kept nor discarded. */
export interface Draft {
  readonly name: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the file durable and visible under its name. Afterwards it survives a power failure. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** A local copy of a file for another program on this machine, until it is released. */
export interface LocalFile {
  path: string;
  release(): Promise<void>;
}

export interface Blobs {
  /** Starts a file under a unique name that is never reused. */
  draft(kind: string): Promise<Draft>;
  read(name: string, range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** Size of the file in bytes; undefined if it does not exist. */
  size(name: string): Promise<number | undefined>;
  local(name: string): Promise<LocalFile>;
  remove(name: string): Promise<void>;
  /** Sweep: removes drafts of dead writers, and orphaned files that `isKnown` does not know. */
  sweep(kind: string, isKnown: (names: string[]) => Promise<Set<string>>, now?: number): Promise<number>;
}
