// Waits for the engine: at the first start of a server it is set up for minutes while the server already answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './command.ts';

const pollIntervalMs = 1_000;

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
    if (state !== 'being set up' && state !== 'starting') break;
    terminal.draw([`The engine is ${state}: waiting for it. At the first start that takes minutes.`]);
    await sleep(pollIntervalMs, undefined, { signal });
  }
  terminal.clear();
}
