// Where files are kept: a port with one adapter now (a folder) and room for another (object storage).

/** A file being written. Nobody sees it before `keep`; what is neither kept nor discarded is swept away after a crash. */
export interface Draft {
  readonly name: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Makes it durable and visible under its name. After this it survives a power cut. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

export interface Blobs {
  /** Starts a file under a name that no other file ever had or will have. */
  draft(kind: string): Promise<Draft>;
  read(name: string, range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** Where another program of this machine can read it. */
  path(name: string): string;
  remove(name: string): Promise<void>;
  /** Removes what writers that are no more left behind: unfinished drafts, and files that `isKnown` does not know. */
  sweep(kind: string, isKnown: (names: string[]) => Promise<Set<string>>): Promise<number>;
}
