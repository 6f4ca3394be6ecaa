// What is asked for and done by the runner: a caller is answered when it is through, or after so long, when it goes on by itself.
import { setTimeout as sleep } from 'node:timers/promises';

const patience = 60_000;

/** False where it is not through yet: the caller has to be told so. */
export async function untilThrough(holds: () => Promise<boolean>, within = patience): Promise<boolean> {
  for (const end = performance.now() + within; ; await sleep(50)) {
    if (await holds()) return true;
    if (performance.now() >= end) return false;
  }
}
