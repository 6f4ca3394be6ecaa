// Retry for background work while the engine is down, full or loading the model.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@lorekeep/contract';

/** A prompt that the engine does not survive must not be tried for ever; others that were under way with it get their answer. */
const maxAttempts = 8;
const maxPauseMs = 10_000;

/** Tries again while the engine is away or full; what it refuses for good is answered as a refusal. */
export async function retry<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result | Refusal> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const refusal =
        error instanceof Refusal
          ? (error as Refusal)
          : (new Refusal(
              'engine_unavailable',
              { reason: 'it failed at this prompt again and again' },
              { cause: error },
            ) as Refusal);
      // A full queue empties; it says nothing about this prompt.
      if (refusal.code === 'overloaded') attempt = Math.min(attempt, maxAttempts - 1);
      if (!isTransient(refusal) || attempt >= maxAttempts) return refusal;
      await sleep(Math.min(maxPauseMs, 200 * 2 ** attempt), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Away, full or reading the model: it may do it later. */
export const isTransient = ({ status }: Refusal): boolean => status === 503 || status === 513;
