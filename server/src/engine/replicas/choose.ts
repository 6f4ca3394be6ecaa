// Chooses the replica that answers a request: one where the model is warm, by a fixed order for each model, so that the requests for one
// memory reach the replica that has its experts. Pure functions.
import { createHash } from 'node:crypto';

export interface Candidate {
  number: number;
  inFlight: number;
  /** State of the model on the replica; `refused`: a recent load failed. */
  model: 'ready' | 'loading' | 'refused' | 'cold';
}

export interface Choice<One> {
  replica: One;
  /** A replica that should load the model, too, since all that have it are full. */
  warmUp?: One;
}

/** Rendezvous hashing (highest random weight): each model has its own order of replicas, and an added replica moves few models. */
export function ranked<One extends { number: number }>(model: string, replicas: readonly One[]): One[] {
  const weights = new Map(replicas.map((one) => [one, weight(`${one.number} ${model}`)]));
  return [...replicas].sort((one, other) => (weights.get(one)! < weights.get(other)! ? 1 : -1));
}

const weight = (text: string) => createHash('sha256').update(text).digest('hex');

/** `full`: number of requests in flight from which a replica gets only requests that no other one can answer. */
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

/** The replica with the fewest requests; ties go to the first. */
export function leastBusy<One extends { inFlight: number }>(replicas: readonly One[]): One {
  return replicas.reduce((best, one) => (one.inFlight < best.inFlight ? one : best));
}
