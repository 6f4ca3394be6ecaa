// Streams the events of an index: reads the stored events until the index has no work left.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexEvent } from '@lorekeep/contract';
import type { Store } from '../store/database.ts';
import { activeStatuses } from './indexing/index-store.ts';

const pollMs = 250;
const pageSize = 200;
/** Interval of keep-alive comments, since proxies close silent streams. */
const keepAliveMs = 15_000;

export async function* eventsOf(
  store: Store,
  indexId: number,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = after;
  let lastWriteAt = performance.now();
  while (!signal.aborted) {
    // The state is read before the events, so that no event before the end is missed.
    const index = await store.db
      .selectFrom('indexes')
      .select('status')
      .where('id', '=', indexId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    const rows = await store.db
      .selectFrom('index_events')
      .selectAll()
      .where('index_id', '=', indexId)
      .where('id', '>', last)
      .orderBy('id')
      .limit(pageSize)
      .execute();
    for (const { id, at, kind, text, data } of rows) {
      const event: IndexEvent = { id, at: new Date(at).toISOString(), kind, text, ...JSON.parse(data) };
      yield `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(event)}\n\n`;
      last = id;
      lastWriteAt = performance.now();
    }
    if (rows.length === pageSize) continue;
    if (!index || !activeStatuses.includes(index.status)) return;
    if (performance.now() - lastWriteAt > keepAliveMs) {
      yield ': still at work\n\n';
      lastWriteAt = performance.now();
    }
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}
