// Matches the requests to one engine process with their answers, independent of the transport.
import { EngineFailure } from './engine.ts';
import type {
  Delta,
  Embedding,
  End,
  EngineAnswer,
  EngineRequest,
  EngineStatus,
  Generation,
  Loaded,
  Loading,
  LoadProgress,
  Vectors,
} from './protocol.ts';

/** Receiver of the answers to one request. */
interface Waiter {
  answer(message: EngineAnswer): void;
  fail(failure: EngineFailure): void;
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

export class Exchange {
  readonly #send: (request: EngineRequest) => void;
  readonly #unready: () => string | undefined;
  readonly #waiters = new Map<string, Waiter>();
  #count = 0;

  constructor(send: (request: EngineRequest) => void, unready: () => string | undefined) {
    this.#send = send;
    this.#unready = unready;
  }

  receive(message: Exclude<EngineAnswer, { type: 'hello' }>): void {
    this.#waiters.get(message.id ?? '')?.answer(message);
  }

  /** Fails all requests in flight when their process is gone. */
  failAll(failure: EngineFailure): void {
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.fail(failure);
  }

  /** Sends a request and passes its answers, up to the last one, to the receiver. */
  #ask(request: Unnumbered<EngineRequest>, waiter: Waiter): string {
    const id = String(++this.#count);
    const unready = this.#unready();
    if (unready !== undefined) {
      waiter.fail(new EngineFailure('stopped', `The engine is ${unready}.`));
      return id;
    }
    this.#waiters.set(id, {
      answer: (message) => {
        if (message.type !== 'delta' && message.type !== 'progress') this.#waiters.delete(id);
        if (message.type === 'error') waiter.fail(new EngineFailure(message.code, message.message, message.facts));
        else waiter.answer(message);
      },
      fail: waiter.fail,
    });
    this.#send({ ...request, id } as EngineRequest);
    return id;
  }

  /** Sends a request that has exactly one answer. */
  async #askOnce<Answer extends EngineAnswer>(
    request: Unnumbered<EngineRequest>,
    onProgress?: (message: LoadProgress) => void,
    signal?: AbortSignal,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const id = this.#ask(request, {
      answer: (message) => (message.type === 'progress' ? onProgress?.(message) : resolve(message as Answer)),
      fail: reject,
    });
    const cancel = () => this.#send({ type: 'cancel', id });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async *generate(request: Generation, signal?: AbortSignal): AsyncGenerator<Delta, End> {
    signal?.throwIfAborted();
    const pieces: Delta[] = [];
    let outcome: End | EngineFailure | undefined;
    let wake = () => {};
    const id = this.#ask(
      { ...request, type: 'generate' },
      {
        answer: (message) => {
          if (message.type === 'delta') pieces.push(message);
          if (message.type === 'end') outcome = message;
          wake();
        },
        fail: (failure) => {
          outcome = failure;
          wake();
        },
      },
    );
    const cancel = () => this.#send({ type: 'cancel', id });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        while (pieces.length > 0) yield pieces.shift()!;
        if (outcome instanceof EngineFailure) throw outcome;
        if (outcome) return outcome;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (!outcome) cancel();
    }
  }

  async embed(request: Embedding, signal?: AbortSignal): Promise<Vectors> {
    return await this.#askOnce<Vectors>({ ...request, type: 'embed' }, undefined, signal);
  }

  async load(request: Loading, onProgress?: (progress: LoadProgress) => void): Promise<Loaded> {
    return await this.#askOnce<Loaded>({ type: 'load', ...request }, onProgress);
  }

  async unload(model: string): Promise<void> {
    await this.#askOnce<EngineStatus>({ type: 'unload', model });
  }

  async status(): Promise<EngineStatus> {
    return await this.#askOnce<EngineStatus>({ type: 'status' });
  }
}
