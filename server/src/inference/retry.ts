// Retries background work while the engine is down, full or loading the model.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@lorekeep/contract';
import { isTransient } from './transient.ts';

/** Attempts after crashes are bounded, since the prompt itself may crash the engine. Other prompts in flight with it still get answers. */
const maxAttempts = 8;
const pauseMs = 400;
const maxPauseMs = 10_000;

/** Retries while the engine is unavailable or full. A permanent refusal is returned. */
export async function retry<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
  firstPauseMs = pauseMs,
): Promise<Result | Refusal> {
  let attempts = 0;
  for (let pause = firstPauseMs; ; pause = Math.min(maxPauseMs, 2 * pause)) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const refusal =
        error instanceof Refusal
          ? (error as Refusal)
          : (new Refusal(
              'engine_unavailable',
              { reason: 'it failed repeatedly at this prompt' },
              { cause: error },
            ) as Refusal);
      // A full queue empties by itself and does not count as an attempt.
      if (refusal.code !== 'overloaded') attempts++;
      if (!isTransient(refusal) || attempts >= maxAttempts) return refusal;
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
