// Waits for the engine: at the first start of a server it is set up for minutes while the server already answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './command.ts';

const pollIntervalMs = 1_000;

/** Whether a part of the server is still starting, by its state: the word alone, or followed by its progress. */
export const isStarting = (state: string): boolean => /^(being set up|starting)(:|$)/.test(state);

/** Waits while the engine starts. If it fails or keeps restarting, the command continues and gets the server's error. */
export async function engineReady(context: Context): Promise<void> {
  const { signal, terminal } = context;
  const client = context.client();
  for (;;) {
    const state = await client.readiness({ signal, retries: 0 }).then(
      ({ parts }) => parts?.engine,
      () => undefined,
    );
    signal.throwIfAborted();
    if (state === undefined || !isStarting(state)) break;
    terminal.draw([`The engine is ${state}. The command waits for it; at the first start that takes minutes.`]);
    await sleep(pollIntervalMs, undefined, { signal });
  }
  terminal.clear();
}
