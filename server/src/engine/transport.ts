// Ways to a process that speaks the engine's protocol: the pipes of a child (child.ts), or a socket to a replica elsewhere
// (replicas/on-ray.ts).

export interface TransportEvents {
  /** The process lives: something came from it, or it waits for its place, which is no silence. */
  heard(): void;
  line(text: string): void;
  /** Told once, for the last. `how` is for people. */
  ended(how: string): void;
}

export interface Connection {
  /** Names the process in the log. */
  about(): Record<string, unknown>;
  send(line: string): void;
  /** Lets the process end by itself. */
  close(): void;
  /** Ends it at once; `ended` follows. */
  kill(): void;
}

/** Starts the process, or reaches it. */
export type Transport = (events: TransportEvents) => Connection;
