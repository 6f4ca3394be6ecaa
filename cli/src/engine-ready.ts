// At the first start of a server its engine is set up for minutes while the server answers already. What asks a model waits for that.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './command.ts';

const interval = 1_000;

/** One that does not come, or comes again and again, the command meets in the words of the server. */
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
    await sleep(interval, undefined, { signal });
  }
  terminal.clear();
}
