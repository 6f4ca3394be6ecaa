// One replica of a group: its models, and its requests in flight.
import type { replicaStates } from '@lorekeep/contract';
import type { ConnectedEngine } from '../connected.ts';
import type { Loading } from '../protocol.ts';
import type { Candidate } from './choose.ts';

/** Time after which a model that could not be loaded for lack of memory is tried again. */
const retryLoadMs = 60_000;

export interface ReplicaState {
  number: number;
  state: (typeof replicaStates)[number];
  /** The machine that it runs on; null if it is this one, or not known yet. */
  node: string | null;
  reason: string | null;
  models: number;
  inFlight: number;
  answered: number;
  failed: number;
}

export interface ReplicaPlace {
  /** The machine; null if it is this one, or not known yet. */
  node(): string | null;
  /** Reason why it has not started there yet. */
  waits(): string | undefined;
}

const localPlace: ReplicaPlace = { node: () => null, waits: () => undefined };

export class Replica {
  readonly number: number;
  readonly engine: ConnectedEngine;
  readonly #place: ReplicaPlace;
  inFlight = 0;
  answered = 0;
  failed = 0;
  /** It gets no further requests, and ends after those in flight. */
  draining = false;
  readonly #models = new Map<string, 'ready' | 'loading' | { refusedAt: number }>();
  readonly #warmingUp = new Map<string, Promise<void>>();
  #starts = 0;

  constructor(number: number, engine: ConnectedEngine, place = localPlace) {
    this.number = number;
    this.engine = engine;
    this.#place = place;
  }

  /** Models of the current process. */
  get #known() {
    if (this.#starts !== this.engine.starts) this.#models.clear();
    this.#starts = this.engine.starts;
    return this.#models;
  }

  isAskable(): boolean {
    return this.engine.unready() === undefined;
  }

  modelState(model: string): Candidate['model'] {
    const known = this.#known.get(model);
    if (known === undefined) return 'cold';
    if (typeof known === 'string') return known;
    return performance.now() - known.refusedAt < retryLoadMs ? 'refused' : 'cold';
  }

  has(model: string, state: 'ready' | 'loading'): void {
    this.#known.set(model, state);
  }

  hasNot(model: string): void {
    this.#known.delete(model);
  }

  refused(model: string): void {
    this.#known.set(model, { refusedAt: performance.now() });
  }

  /** Loads a model in the background, for later requests. */
  warmUp(request: Loading): void {
    const { model } = request;
    this.has(model, 'loading');
    const load = this.engine.load(request).then(
      () => this.has(model, 'ready'),
      () => this.refused(model),
    );
    this.#warmingUp.set(
      model,
      load.finally(() => this.#warmingUp.delete(model)),
    );
  }

  /** Resolves when the model is unloaded. A load in progress is awaited first, since it would restore the model. */
  async unload(model: string): Promise<void> {
    await this.#warmingUp.get(model);
    this.hasNot(model);
    await this.engine.unload(model);
  }

  state(): ReplicaState {
    const reason = this.engine.unready();
    const { number, inFlight, answered, failed, draining } = this;
    return {
      ...{ number, inFlight, answered, failed, node: this.#place.node() },
      reason: (reason && this.#place.waits()) ?? reason ?? null,
      models: [...this.#known.values()].filter((state) => state === 'ready').length,
      state: this.engine.isLost()
        ? 'lost'
        : this.engine.isSilent()
          ? 'silent'
          : reason !== undefined
            ? 'starting'
            : draining
              ? 'draining'
              : 'ready',
    };
  }
}
