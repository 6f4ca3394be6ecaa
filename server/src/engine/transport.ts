// Transport to a process that speaks the engine's protocol: the pipes of a child (child.ts), or a socket to a replica on another
// machine (replicas/on-ray.ts).

export interface TransportEvents {
  /** The process is alive: a message arrived, or it still waits for a slot to start in. */
  heard(): void;
  line(text: string): void;
  /** Called once, as the last event. `how` describes the end for people. */
  ended(how: string): void;
}

export interface Connection {
  /** Name of the process in the log. */
  about(): Record<string, unknown>;
  send(line: string): void;
  /** Asks the process to shut down. */
  close(): void;
  /** Kills it; `ended` follows. */
  kill(): void;
}

/** Starts the process, or connects to it. */
export type Transport = (events: TransportEvents) => Connection;
