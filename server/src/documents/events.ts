// What happens to an index, told as it happens: the stored events, read on and on until the index is at rest.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexEvent } from '@lorekeep/contract';
import type { Store } from '../store/database.ts';
import { atWork } from './indexing/ledger.ts';

const lookEvery = 250;
const atOnce = 200;
/** Something has to come now and then, or proxies between take the stream for dead. */
const silence = 15_000;

export async function* eventsOf(
  store: Store,
  indexId: number,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = after;
  let said = performance.now();
  while (!signal.aborted) {
    // Read before the events: what happened before it came to rest is among them.
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
      .limit(atOnce)
      .execute();
    for (const { id, at, kind, text, data } of rows) {
      const event: IndexEvent = { id, at: new Date(at).toISOString(), kind, text, ...JSON.parse(data) };
      yield `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(event)}\n\n`;
      last = id;
      said = performance.now();
    }
    if (rows.length === atOnce) continue;
    if (!index || !atWork.includes(index.status)) return;
    if (performance.now() - said > silence) {
      yield ': still at work\n\n';
      said = performance.now();
    }
    await sleep(lookEvery, undefined, { signal }).catch(() => {});
  }
}
