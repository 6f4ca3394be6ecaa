// Waits by polling, as a client does.
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 50;
const maxLooks = 6000;

/** The first value that meets the condition. Throws with the last one after some five minutes. */
export async function polled<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let looks = 1; ; looks++) {
    const value = await read();
    if (holds(value)) return value;
    if (looks === maxLooks) throw new Error(`It came to be ${JSON.stringify(value)}.`);
    await sleep(pauseMs);
  }
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 1; !(await holds()); looks++) {
    if (looks === maxLooks) throw new Error(`It did not come to pass that ${what}.`);
    await sleep(pauseMs);
  }
}
