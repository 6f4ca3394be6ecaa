// The replica that answers a request: one where the model is warm, by an order of its own for each model, so that the requests for one
// memory meet where its experts are. Pure functions.
import { createHash } from 'node:crypto';

export interface Candidate {
  number: number;
  inFlight: number;
  /** State of the model there; `refused`: it could not be loaded a moment ago. */
  model: 'ready' | 'loading' | 'refused' | 'cold';
}

export interface Choice<One> {
  replica: One;
  /** A replica that should load the model too: all that have it are full. */
  warmUp?: One;
}

/** Highest random weight: each model has an order of replicas, and one more replica moves few models. */
export function ranked<One extends { number: number }>(model: string, replicas: readonly One[]): One[] {
  const weights = new Map(replicas.map((one) => [one, weight(`${one.number} ${model}`)]));
  return [...replicas].sort((one, other) => (weights.get(one)! < weights.get(other)! ? 1 : -1));
}

const weight = (text: string) => createHash('sha256').update(text).digest('hex');

/** `full` is the number of requests from which on a replica is left to those that nobody else can answer. */
export function choose<One extends Candidate>(
  model: string,
  replicas: readonly One[],
  full: number,
): Choice<One> | undefined {
  const order = ranked(model, replicas);
  const warm = order.filter((one) => one.model === 'ready');
  const [first] = order;
  if (!first) return undefined;
  if (warm.length === 0)
    return {
      replica: order.find((one) => one.model === 'loading') ?? order.find((one) => one.model === 'cold') ?? first,
    };
  const free = warm.find((one) => one.inFlight < full);
  if (free) return { replica: free };
  const next = order.find((one) => one.model === 'cold' && one.inFlight < full);
  const isComing = order.some((one) => one.model === 'loading');
  return { replica: leastBusy(warm), ...(next && !isComing && { warmUp: next }) };
}

/** The one with the fewest requests; among equals the first. */
export function leastBusy<One extends { inFlight: number }>(replicas: readonly One[]): One {
  return replicas.reduce((best, one) => (one.inFlight < best.inFlight ? one : best));
}
