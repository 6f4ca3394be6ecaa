// What is asked for and done by the runner: a caller is answered when it is through, or after so long, when it goes on by itself.
import { setTimeout as sleep } from 'node:timers/promises';

const patience = 60_000;

export async function untilThrough(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + patience; performance.now() < end; await sleep(50)) if (await holds()) return;
}
