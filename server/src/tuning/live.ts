// What happens to a job as server-sent events, from wherever a watcher stopped listening. Read from the tables, so that any server can tell it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../keys/caller.ts';
import type { Jobs } from './jobs.ts';
import { isOver } from './states.ts';

const lookEvery = 400;
/** Connections that say nothing are cut by what stands between. */
const quietFor = 15_000;

export async function* liveEvents(
  jobs: Jobs,
  caller: Caller,
  id: number,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = after;
  let told = '';
  let spokeAt = performance.now();
  yield ': events of a job\n\n';
  for (;;) {
    // Read before the events: when it is over, all of them are there.
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
    if (text !== told) {
      told = text;
      spokeAt = performance.now();
      yield message('progress', progress);
    }
    if (isOver(job.status)) return;
    if (performance.now() - spokeAt > quietFor) {
      spokeAt = performance.now();
      yield ': still here\n\n';
    }
    await sleep(lookEvery, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
  }
}

function message(type: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
