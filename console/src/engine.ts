// Readiness of the engine by /readyz: polled often while it is not ready, and rarely while it is.
import { useSyncExternalStore } from 'react';

const fastPollMs = 1500;
const slowPollMs = 15_000;

/** State of the engine, such as "starting"; undefined if it is ready, or before the first poll. */
let engineState: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let pendingPoll: Promise<void> | undefined;
const listeners = new Set<() => void>();

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  if (listeners.size === 1) void pollOnce();
  return () => {
    listeners.delete(changed);
    if (listeners.size === 0) clearTimeout(timer);
  };
}

/** State of the engine if it cannot answer, else undefined. */
export const useEngine = (): string | undefined => useSyncExternalStore(subscribe, () => engineState);

function pollOnce(): Promise<void> {
  pendingPoll ??= (async () => {
    clearTimeout(timer);
    const found = await fetch('/readyz')
      .then(async (response) => ((await response.json()) as { parts?: Record<string, string> }).parts?.engine)
      // The page itself shows that the server is unreachable.
      .catch(() => engineState);
    const next = found === 'ok' ? undefined : found;
    const changed = next !== engineState;
    engineState = next;
    pendingPoll = undefined;
    if (listeners.size > 0) timer = setTimeout(pollOnce, engineState === undefined ? slowPollMs : fastPollMs);
    if (changed) for (const listener of listeners) listener();
  })();
  return pendingPoll;
}

/** Resolves when the engine is ready; rejects with the reason of the signal. `onWait` is called if it has to wait. */
export async function untilEngine(signal: AbortSignal, onWait: () => void = () => {}): Promise<void> {
  await pollOnce();
  if (engineState === undefined) return;
  onWait();
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      unsubscribe();
      signal.removeEventListener('abort', stopped);
    };
    const unsubscribe = subscribe(() => {
      if (engineState !== undefined) return;
      done();
      resolve();
    });
    const stopped = () => {
      done();
      reject(signal.reason);
    };
    signal.addEventListener('abort', stopped);
    if (signal.aborted) stopped();
  });
}
