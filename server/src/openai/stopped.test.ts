// A server that is told to stop while it answers: an upstream that sends a word and nothing more never ends an answer by itself.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { checkout } from '../config/settings.ts';
import { callerOf, endProcesses, startProcess } from '../testing/process.ts';
import { adminKey } from '../testing/server.ts';
import { until } from '../testing/until.ts';
import { standIn } from '../testing/upstream.ts';

// With facts, since the shipped base has no answer of its own to anything else.
const prompt = 'Facts: Zorbax is red.\nWhat colour is Zorbax?';
const messages = [{ role: 'user', content: prompt }];
const stopping = /^The server is stopping\. Try again/;

it('a stop gives open streams an error as their last event, and other calls one as their answer', async () => {
  const upstream = await standIn();
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  try {
    const stuck = { url: upstream.url('stuck'), model: 'good', folder: join(checkout, 'models/quill'), timeout: 600 };
    const server = await startProcess({ home, upstreams: JSON.stringify({ 'up/stuck': stuck }) });
    const caller = callerOf(server);
    await until('the upstream passed its checks', async () => {
      const { body } = await caller.call('GET', '/v1alpha/downloaded_models');
      return body.some(({ upstream }: { upstream?: { state: string } }) => upstream?.state === 'ok');
    });
    const ask = async (path: string, body: object) =>
      await fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'up/stuck', max_tokens: 50, ...body }),
      });
    const streams = await Promise.all([
      ask('/v1/chat/completions', { messages, stream: true }),
      ask('/inf/chat/completions', { messages, stream: true, n: 2 }),
      ask('/inf/completions', { prompt, stream: true }),
    ]);
    const whole = ask('/v1/chat/completions', { messages });
    // Checks of the upstream ask for other numbers of tokens.
    const asked = () => upstream.heard.filter(({ body }) => body.max_tokens === 50);
    await until('all are being answered', () => asked().length === 5);
    const ended = server.stop();
    for (const stream of streams) {
      assert.equal(stream.status, 200);
      const events = (await stream.text()).trimEnd().split('\n\n');
      assert.ok(
        events.length > 1 && events.slice(0, -1).every((event) => !event.includes('"error"')),
        events.join('\n'),
      );
      const { error } = JSON.parse(events.at(-1)!.replace(/^data: /, ''));
      assert.equal(error.code, 'busy');
      assert.match(error.message, stopping);
    }
    const refused = await whole;
    const { error } = (await refused.json()) as { error: { message: string } };
    assert.deepEqual([refused.status, stopping.test(error.message)], [503, true], error.message);
    assert.equal(await ended, 0);
  } finally {
    await endProcesses();
    await upstream.end();
    await rm(home, { recursive: true, force: true });
  }
});
