// Waits for background work with a timeout, after which the call is answered and the work continues.
import { setTimeout as sleep } from 'node:timers/promises';

const defaultTimeoutMs = 60_000;

/** Returns false on timeout, which the caller of the API has to learn. */
export async function waitUntil(holds: () => Promise<boolean>, within = defaultTimeoutMs): Promise<boolean> {
  for (const end = performance.now() + within; ; await sleep(50)) {
    if (await holds()) return true;
    if (performance.now() >= end) return false;
  }
}
