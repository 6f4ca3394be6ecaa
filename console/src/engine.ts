// Readiness of the engine by /readyz: polled often while it is not ready, and rarely while it is.
import { useSyncExternalStore } from 'react';

const oftenMs = 1500;
const seldomMs = 15_000;

/** State of the engine, such as "starting"; undefined if it is ready, or before the first poll. */
let words: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let looking: Promise<void> | undefined;
const listeners = new Set<() => void>();

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  if (listeners.size === 1) void look();
  return () => {
    listeners.delete(changed);
    if (listeners.size === 0) clearTimeout(timer);
  };
}

/** State of the engine if it cannot answer, else undefined. */
export const useEngine = (): string | undefined => useSyncExternalStore(subscribe, () => words);

function look(): Promise<void> {
  looking ??= (async () => {
    clearTimeout(timer);
    const found = await fetch('/readyz')
      .then(async (response) => ((await response.json()) as { parts?: Record<string, string> }).parts?.engine)
      // The page itself shows that the server is unreachable.
      .catch(() => words);
    const next = found === 'ok' ? undefined : found;
    const changed = next !== words;
    words = next;
    looking = undefined;
    if (listeners.size > 0) timer = setTimeout(look, words === undefined ? seldomMs : oftenMs);
    if (changed) for (const listener of listeners) listener();
  })();
  return looking;
}

/** Resolves when the engine is ready; rejects with the reason of the signal. `onWait` is called if it has to wait. */
export async function untilEngine(signal: AbortSignal, onWait: () => void = () => {}): Promise<void> {
  await look();
  if (words === undefined) return;
  onWait();
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      unsubscribe();
      signal.removeEventListener('abort', stopped);
    };
    const unsubscribe = subscribe(() => {
      if (words !== undefined) return;
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
