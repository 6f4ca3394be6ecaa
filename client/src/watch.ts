// Polls the state of long-running work and yields each state that differs from the one before.
import type { CallOptions } from './call.ts';
import { LorekeepError, UnavailableError } from './errors.ts';
import { sleep } from './sleep.ts';

export interface WatchOptions extends CallOptions {
  /** Milliseconds between two polls. By default short at first, then up to three seconds. */
  intervalMs?: number | undefined;
}

const firstIntervalMs = 200;
const maxIntervalMs = 3_000;
/** Polling tolerates a restart of the server, since the awaited work continues after it. */
const maxAbsenceMs = 5 * 60_000;

export async function* watch<State>(
  ask: (options: CallOptions) => Promise<State>,
  isOver: (state: State) => boolean,
  { intervalMs, ...options }: WatchOptions = {},
): AsyncGenerator<State, void> {
  let lastText = '';
  let interval = firstIntervalMs;
  let awaySince: number | undefined;
  for (;;) {
    let state: State | undefined;
    try {
      state = await ask(options);
      awaySince = undefined;
    } catch (error) {
      awaySince ??= Date.now();
      if (!isTransient(error) || Date.now() - awaySince > maxAbsenceMs) throw error;
    }
    if (state !== undefined) {
      const text = JSON.stringify(state);
      if (text !== lastText) {
        lastText = text;
        interval = firstIntervalMs;
        yield state;
      }
      if (isOver(state)) return;
    }
    await sleep(intervalMs ?? interval, options.signal);
    interval = Math.min(maxIntervalMs, interval * 1.5);
  }
}

const isTransient = (error: unknown) =>
  error instanceof UnavailableError ||
  (error instanceof LorekeepError && (error.code === 'unreachable' || error.code === 'connection_lost'));

/** Reads to the end and returns the last value. */
export async function last<State>(states: AsyncIterable<State>): Promise<State> {
  let found: { state: State } | undefined;
  for await (const state of states) found = { state };
  if (!found) throw new TypeError('There was nothing to wait for.');
  return found.state;
}
