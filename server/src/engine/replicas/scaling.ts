// Decides when there are too few or too many replicas, by the requests in flight of each, with hysteresis. A state machine without a
// clock of its own.

export interface Range {
  min: number;
  max: number;
}

export interface Load {
  /** Requests in flight of each replica that answers. */
  inFlight: readonly number[];
  /** Replicas that start, or start again. */
  starting: number;
}

/** Time for which all replicas must be full before another one is started. */
export const fullMs = 5_000;
/** Time for which one replica less must suffice before one is drained. */
export const idleMs = 300_000;

export class Scaler {
  readonly #range: Range;
  #fullSince: number | undefined;
  #idleSince: number | undefined;

  constructor(range: Range) {
    this.#range = range;
  }

  step(now: number, { inFlight, starting }: Load, full: number): 'more' | 'fewer' | undefined {
    const { min, max } = this.#range;
    const isFull = inFlight.length > 0 && inFlight.every((requests) => requests >= full);
    const requests = inFlight.reduce((sum, one) => sum + one, 0);
    const count = inFlight.length + starting;
    // Half of the remaining capacity, so that a removed replica is not needed again at once. Starting replicas do not count.
    const isIdle = requests <= (Math.min(inFlight.length, count - 1) * full) / 2;
    this.#fullSince = isFull ? (this.#fullSince ?? now) : undefined;
    this.#idleSince = isIdle ? (this.#idleSince ?? now) : undefined;
    if (starting === 0 && this.#fullSince !== undefined && now - this.#fullSince >= fullMs && count < max) {
      this.#fullSince = undefined;
      return 'more';
    }
    if (this.#idleSince !== undefined && now - this.#idleSince >= idleMs && count > min) {
      this.#idleSince = undefined;
      return 'fewer';
    }
    return undefined;
  }
}
