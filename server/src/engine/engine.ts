// The port through which the server uses the engine. Adapters: a child process (child.ts), replicas (replicas/), and
// upstream engines that answer in front of them (upstream/).
import type {
  Delta,
  Embedding,
  End,
  EngineErrorCode,
  EngineStatus,
  Generation,
  Loaded,
  Loading,
  LoadProgress,
  Vectors,
} from './protocol.ts';

export interface Engine {
  /** Streams the answer in pieces, then its end. Aborting the signal, or leaving the loop, ends it with `cancelled`. */
  generate(request: Generation, signal?: AbortSignal): AsyncGenerator<Delta, End>;
  embed(request: Embedding, signal?: AbortSignal): Promise<Vectors>;
  load(request: Loading, onProgress?: (progress: LoadProgress) => void): Promise<Loaded>;
  unload(model: string): Promise<void>;
  status(): Promise<EngineStatus>;
  /** Undefined when the engine is ready, else the reason why not: it is being set up, restarts, does not answer, was stopped. */
  unready(): string | undefined;
  /** True while a heartbeat has been unanswered for too long. */
  isSilent(): boolean;
  /** True if waiting does not help: the operator has to repair something and restart the server. */
  isLost(): boolean;
  /** The folder of the default embedding model, known once the engine has started. */
  embedder(): string | undefined;
  /** Number of GPUs that it computes on (0: the CPU). Known once the engine has started. */
  gpus(): number | undefined;
  stop(): Promise<void>;
}

/** A refusal or failure of the engine. The code `stopped` comes from the server itself, for an engine process that ended. */
export class EngineFailure extends Error {
  readonly code: EngineErrorCode | 'stopped';
  readonly facts: Record<string, unknown>;

  constructor(code: EngineErrorCode | 'stopped', message: string, facts: Record<string, unknown> = {}) {
    super(message);
    this.name = 'EngineFailure';
    this.code = code;
    this.facts = facts;
  }
}
