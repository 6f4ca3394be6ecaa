// The one port through which the server uses the engine. Its adapters: a child process (child.ts), and engines
// elsewhere that stand before it (upstream/).
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
  /** Pieces of the answer as they come, then its end. Aborting the signal ends it with `cancelled`; leaving the loop does the same. */
  generate(request: Generation, signal?: AbortSignal): AsyncGenerator<Delta, End>;
  embed(request: Embedding, signal?: AbortSignal): Promise<Vectors>;
  load(request: Loading, onProgress?: (progress: LoadProgress) => void): Promise<Loaded>;
  unload(model: string): Promise<void>;
  status(): Promise<EngineStatus>;
  /** Undefined when it can be asked, else why not: it is being set up, it is starting again, it does not answer, it was stopped. */
  unready(): string | undefined;
  /** True after a heartbeat request that has been unanswered for too long. */
  isSilent(): boolean;
  /** True if waiting does not help: the operator has to repair something and restart. */
  isLost(): boolean;
  /** The folder of the default embedding model, known once the engine has started. */
  embedder(): string | undefined;
  /** Number of GPUs that it computes on, 0 on the CPU; known once the engine has started. */
  gpus(): number | undefined;
  stop(): Promise<void>;
}

/** A refusal or failure of the engine. `stopped` is the server's own word for an engine that ended. */
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
