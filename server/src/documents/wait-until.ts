// Waits for background work: the call is answered when it is done or after a timeout, and the work goes on.
import { setTimeout as sleep } from 'node:timers/promises';

const defaultTimeoutMs = 60_000;

/** False where it is not through yet: the caller has to be told so. */
export async function waitUntil(holds: () => Promise<boolean>, within = defaultTimeoutMs): Promise<boolean> {
  for (const end = performance.now() + within; ; await sleep(50)) {
    if (await holds()) return true;
    if (performance.now() >= end) return false;
  }
}
