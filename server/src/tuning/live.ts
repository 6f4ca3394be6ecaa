// Streams the events of a job as server-sent events, from where a watcher stopped listening. They are read from the
// tables, so that any server can send them.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';
import type { Jobs } from './jobs.ts';

const pollMs = 400;
/** Interval of keep-alive comments: proxies close idle connections. */
const keepAliveMs = 15_000;

export async function* liveEvents(
  jobs: Jobs,
  caller: Caller,
  id: number,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = after;
  let sent = '';
  let spokeAt = performance.now();
  yield ': events of a job\n\n';
  for (;;) {
    // The state is read before the events: if the job is over, all its events are stored.
    const job = await jobs.show(caller, id);
    for (;;) {
      const { events, next } = await jobs.events(caller, id, 1000, last);
      for (const event of events) {
        last = event.id;
        yield message(event.type, event, event.id);
        spokeAt = performance.now();
      }
      if (next === null) break;
    }
    const progress = { job_id: id, status: job.status, queue_position: job.queue_position, progress: job.progress };
    const text = JSON.stringify(progress);
    if (text !== sent) {
      sent = text;
      spokeAt = performance.now();
      yield message('progress', progress);
    }
    if (isOver(job.status)) return;
    if (performance.now() - spokeAt > keepAliveMs) {
      spokeAt = performance.now();
      yield ': still here\n\n';
    }
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
  }
}

function message(type: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
