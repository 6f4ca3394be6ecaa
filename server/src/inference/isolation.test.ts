// Cache isolation between accounts on every route: neither the reported cache figures nor the engine's requests reveal what another
// account has asked.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { atRest, send } from '../documents/testing/indexes.ts';
import { shellEngine, untilReady } from '../testing/engine.ts';
import { program } from '../testing/pages.ts';
import { startServer, type TestServer } from '../testing/server.ts';
import { facts, jobOver, submit } from '../testing/tuning.ts';
import { until } from '../testing/until.ts';

const model_name = 'lorekeep/quill';
const secret = 'The number of the safe is 4711.';
const long = (mark: string) => `${mark}: ${'The Brimoor library opens at nine. '.repeat(30)}${secret} Who?`;

describe('requests of an account', () => {
  let folder: string;
  let server: TestServer;
  let one: { id: number; key: string };
  let other: { id: number; key: string };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    // The real engine, with its requests recorded.
    const python = join(folder, 'python');
    await program(python, `tee -a '${join(folder, 'asked')}' | ${await shellEngine()} "$@"`);
    server = await startServer({ slots: '1' }, Promise.resolve(python));
    await untilReady(server);
    one = await server.member('one', ['read', 'infer', 'tune']);
    other = await server.member('other', ['read', 'infer', 'tune']);
  });
  after(async () => {
    await server.end();
    await rm(folder, { recursive: true, force: true });
  });

  const call = async (key: string, path: string, body: unknown) => {
    const answer = await server.call('POST', path, { body, key });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const finished = async (key: string, path: string, id: string) =>
    await until('it is complete', async () => {
      const { body } = await server.call('GET', `${path}/${id}/result`, { key });
      return body.finish_reason?.every((reason: unknown) => reason !== null) ?? false;
    });
  /** Number of prompt tokens served from the cache. */
  const cached = async (key: string, path: string, prompt: string, more: object = {}): Promise<number> => {
    const asked = path.includes('chat') ? { messages: [{ role: 'user', content: prompt }] } : { prompt };
    const { usage } = await call(key, path, { model: model_name, max_tokens: 2, ...asked, ...more });
    return usage.prompt_tokens_details.cached_tokens;
  };
  const ways: Record<string, (key: string, prompt: string) => Promise<unknown>> = {
    completions: async (key, prompt) => await call(key, '/v1/completions', { model_name, prompt, max_tokens: 2 }),
    'answers in arrays': async (key, prompt) =>
      await call(key, '/v2/completions', { model_name, prompt: [prompt], max_tokens: 2 }),
    'polled streams': async (key, prompt) => {
      const path = '/v3/streaming_completions';
      await finished(key, path, (await call(key, path, { model_name, prompt, max_tokens: 2 })).id);
    },
    batches: async (key, prompt) => {
      const path = '/v1/batch_completions';
      await finished(key, path, (await call(key, path, { model_name, prompt: [prompt], max_tokens: 2 })).id);
    },
    'completions of OpenAI': async (key, prompt) =>
      await call(key, '/inf/completions', { model: model_name, prompt, max_tokens: 2 }),
    evaluations: async (key, prompt) => {
      const { dataset_id } = await call(key, '/v1/local-data', { data: [{ input: prompt, output: 'Ada' }] });
      const { evaluation_id } = await call(key, '/v1/evaluations', { dataset_id, targets: [{ model_name }] });
      await until('it is evaluated', async () => {
        const { body } = await server.call('GET', `/v1/evaluations/${evaluation_id}`, { key });
        return body.status !== 'running';
      });
    },
  };

  for (const [way, ask] of Object.entries(ways))
    it(`by ${way}: a prompt is cached for its own account and not for another`, async () => {
      const prompt = long(way);
      // An evaluation asks its question as a chat message.
      const path = way === 'evaluations' ? '/inf/chat/completions' : '/inf/completions';
      await ask(one.key, prompt);
      assert.equal(await cached(other.key, path, prompt), 0);
      assert.ok((await cached(one.key, path, prompt)) > 128);
      // By now the other account has asked it, too.
      assert.ok((await cached(other.key, path, prompt)) > 128);
    });

  it('by chat: a conversation is cached for its own account and not for another', async () => {
    const path = '/inf/chat/completions';
    await cached(one.key, path, long('chat'));
    assert.equal(await cached(other.key, path, long('chat')), 0);
    assert.ok((await cached(one.key, path, long('chat'))) > 128);
  });

  it('reach the engine with the scope of their account on every route', async () => {
    const recorded = join(folder, 'asked');
    const before = (await readFile(recorded, 'utf8')).length;
    const data = facts(3, 'Scope');
    for (const { key } of [one, other]) {
      for (const [way, ask] of Object.entries(ways)) await ask(key, `${way} once more`);
      await cached(key, '/inf/chat/completions', 'Hello');
      const documents = { 'library.txt': 'The Brimoor library opens at nine in the morning. Ada Quist runs it.' };
      const job_id = await send(server, documents, {}, key);
      await atRest(server, job_id, key);
      const prompt = 'When does the Brimoor library open?';
      await call(key, '/alpha/memory-rag/completions', { prompt, job_id, model_name, answer: 'generate' });
      await call(key, '/alpha/memory-rag/suggestions', { job_id });
      await cached(key, '/inf/chat/completions', prompt, { model: `index/${job_id}`, answer: 'generate' });
      await call(key, '/v1/embedding', { prompt });
      const { model_name: tuned } = await jobOver(server, (await submit(server, { data }, key)).job_id, key);
      await call(key, '/v1/completions', { model_name: tuned, prompt: data[0]!.input });
    }
    const lines = (await readFile(recorded, 'utf8')).slice(before).trim().split('\n');
    const asked = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'generate');
    for (const { id } of [one, other])
      assert.ok(asked.filter(({ scope }) => scope === String(id)).length > Object.keys(ways).length + 4);
    for (const request of asked) {
      assert.ok([one.id, other.id].map(String).includes(request.scope), JSON.stringify(request));
      assert.equal(request.account.split(' ')[0], request.scope);
    }
  });
});
