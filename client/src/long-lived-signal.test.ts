// One signal for many calls, such as that of a server's shutdown: it aborts each of them, and keeps nothing of those that are over.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Lorekeep } from './index.ts';
import { type ScriptedServer, startScripted } from './testing/scripted-server.ts';

const question = { model: 'm', messages: [{ role: 'user' as const, content: 'Tell.' }] };

describe('a signal of many calls', () => {
  let server: ScriptedServer;
  let lorekeep: Lorekeep;
  /** Ends the answers that have begun. */
  let ends: (() => void)[];
  beforeEach(async () => {
    ends = [];
    server = await startScripted(({ url }, response) => {
      const isStream = url!.endsWith('/completions');
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/jsonl' });
      response.write(isStream ? 'data: {"choices":[]}\n\n' : '{"input":"a","output":"b"}\n');
      ends.push(() => response.end(isStream ? 'data: [DONE]\n\n' : ''));
    });
    lorekeep = new Lorekeep({ baseUrl: server.url });
  });
  afterEach(async () => await server.end());

  it('has no listeners after downloads and streams', async () => {
    const { signal } = new AbortController();
    const download = await lorekeep.downloadDataset({ id: 'd' }, { signal });
    ends[0]!();
    assert.equal(await download.text(), '{"input":"a","output":"b"}\n');
    for await (const _ of lorekeep.openaiChatEvents(question, { signal })) ends[1]!();
    // Left before its end.
    for await (const _ of lorekeep.openaiChatEvents(question, { signal })) break;
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });

  it('aborts a download and a stream that have begun', async () => {
    const shutdown = new AbortController();
    const { signal } = shutdown;
    const download = await lorekeep.downloadDataset({ id: 'd' }, { signal });
    const events = lorekeep.openaiChatEvents(question, { signal });
    await events.next();
    shutdown.abort(new Error('the server stops'));
    await assert.rejects(download.text(), { message: 'the server stops' });
    await assert.rejects(events.next(), { message: 'the server stops' });
  });
});
