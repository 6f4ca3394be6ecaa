// Models on an upstream engine: the requests that it receives, those refused before, and the errors that callers get when it fails. A
// fake upstream misbehaves on request, which no real engine does.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../../../cli/src/testing/program.ts';
import { effectiveConfig } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';
import { checkout } from '../../config/settings.ts';
import { startWithEngine } from '../../testing/engine.ts';
import { adminKey, type TestServer } from '../../testing/server.ts';
import { until } from '../../testing/until.ts';
import { type StandIn, standIn, standInWords } from '../../testing/upstream.ts';

const folder = `${checkout}/models/quill`;
const words = standInWords.join('');
const messages = [{ role: 'user', content: 'Facts: Zorbax is red.\nWhat colour is <|eot_id|> Zorbax?' }];
const misfits = ['unlisted', 'without', 'doubled', 'foreign', 'endless'];
const failing = [
  ...['good', 'shaky', 'page', 'redirect', 'other', 'malformed', 'stuck', 'silent', 'cut', 'unended', 'aborted'],
  ...['broken', 'full', 'strict', 'slow', 'shapeless', 'revoked'],
];

describe('upstream engines', () => {
  let upstream: StandIn;
  let server: TestServer;

  before(async () => {
    upstream = await standIn();
    const entry = (name: string, more = {}) => [
      `up/${name}`,
      // Short where the test waits for it to pass. On a busy machine, the checks of the others would fail as well.
      { url: upstream.url(name), model: 'good', folder, timeout: ['stuck', 'silent'].includes(name) ? 1 : 60, ...more },
    ];
    const all = [
      ...[...failing, ...misfits].map((name) => entry(name, { key: 'sk-stand-in-secret' })),
      entry('locked', { key: 'sk-wrong-secret' }),
      entry('down', { url: 'http://127.0.0.1:9/v1' }),
      entry('bare', { url: upstream.url('good'), folder: `${checkout}/docs` }),
    ];
    server = await startWithEngine({ upstreams: JSON.stringify(Object.fromEntries(all)) });
    await until('the stand-in passed its checks', async () => (await stateOf('good')) === 'ok');
  });
  after(async () => {
    await server.end();
    await upstream.end();
  });

  const listed = async (name: string) =>
    (await server.call('GET', '/v1alpha/downloaded_models')).body.find(
      ({ model_name }: { model_name: string }) => model_name === `up/${name}`,
    );
  const stateOf = async (name: string) => (await listed(name)).upstream.state;
  const chat = async (name: string, more: Record<string, unknown> = {}) =>
    await server.call('POST', '/v1/chat/completions', { body: { model: `up/${name}`, messages, ...more } });
  const asked = (name: string) =>
    upstream.heard.filter(({ behaviour, body }) => behaviour === name && body.stream === true);
  const told = async (name: string, more = {}) => {
    const { status, body, headers } = await chat(name, more);
    assert.ok(!JSON.stringify(body).includes('secret'), 'no key is told');
    return { status, code: body.error?.code, message: body.error?.message ?? '', headers };
  };

  it('receive one prompt of token IDs, rendered here, with all parameters set and the key of the settings', async () => {
    const { body } = await chat('good', { seed: 7, stop: ['\n\n'], temperature: 0.5, top_k: 3, max_tokens: 40 });
    assert.equal(body.choices[0].message.content, words);
    assert.equal(body.choices[0].finish_reason, 'stop');
    assert.equal(body.model, 'up/good');
    const { body: sent, authorization } = asked('good').at(-1)!;
    const { prompt, cache_salt, ...rest } = sent as { prompt: number[]; cache_salt: string };
    assert.equal(authorization, 'Bearer sk-stand-in-secret');
    assert.equal(prompt.filter((token) => token === 1).length, 1, 'one token of the beginning');
    assert.equal(prompt.filter((token) => token === 5).length, 1, 'no message forges the end of a turn');
    assert.match(cache_salt, /^[\w-]{24}$/);
    assert.deepEqual(rest, {
      ...{ model: 'good', max_tokens: 40, n: 1, stream: true, stream_options: { include_usage: true } },
      ...{ temperature: 0.5, top_p: 1, top_k: 3, min_p: 0, repetition_penalty: 1 },
      ...{ stop_token_ids: [5, 2], skip_special_tokens: true, seed: 7, stop: ['\n\n'] },
    });
    assert.deepEqual(body.usage.prompt_tokens, prompt.length);
    assert.deepEqual([body.usage.completion_tokens, body.usage.prompt_tokens_details.cached_tokens], [3, 2]);
  });

  it('answer streams, several choices, log probabilities, JSON schemas and raw prompts', async () => {
    const stream = await chat('good', { stream: true });
    const said = [...String(stream.body).matchAll(/"content":"([^"]+)"/g)].map(([, text]) => text);
    assert.deepEqual(said, standInWords);
    const two = await chat('good', { n: 2, seed: 3, logprobs: true, top_logprobs: 1 });
    assert.equal(two.body.choices.length, 2);
    assert.deepEqual(
      asked('good')
        .slice(-2)
        .map(({ body }) => body.seed)
        .sort(),
      [3, 4],
    );
    assert.deepEqual(two.body.choices[0].logprobs.content[0].top_logprobs[0].logprob, -0.5);
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const shaped = await chat('good', { response_format: { type: 'json_schema', json_schema: { name: 'c', schema } } });
    assert.deepEqual(JSON.parse(shaped.body.choices[0].message.content), { city: 'Lyon' });
    const typed = await server.call('POST', '/v1/completions', {
      body: { model_name: 'up/good', prompt: 'Facts: it is in Lyon. Where?', output_type: { city: 'str' } },
    });
    assert.deepEqual(typed.body, { city: 'Lyon' });
    const raw = await server.call('POST', '/v1/completions', { body: { model: 'up/good', prompt: 'Once upon' } });
    assert.equal(raw.body.choices[0].text, words);
  });

  it('are asked for no more tokens than fit into both contexts', async () => {
    const long = [{ role: 'user', content: 'It is red. '.repeat(300) }];
    const { status, code, message } = await told('good', { messages: long });
    assert.deepEqual([status, code], [400, 'context_exceeded']);
    assert.match(message, /up\/good reads 700/);
    await chat('good');
    const { body } = asked('good').at(-1)!;
    assert.equal(body.max_tokens, 700 - (body.prompt as number[]).length);
  });

  it('stop generating when the caller disconnects', async () => {
    const gone = new AbortController();
    const call = fetch(`${server.url}/v1/chat/completions`, {
      ...{ method: 'POST', signal: gone.signal },
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'up/slow', messages, stream: true }),
    });
    const reader = (await call).body!.getReader();
    await reader.read();
    gone.abort();
    await until('the stand-in lost its caller', async () => asked('slow').some(({ left }) => left));
    await reader.cancel().catch(() => {});
  });

  it('are retried if no part of the answer had arrived, and never otherwise', async () => {
    const { status, body } = await chat('shaky');
    assert.deepEqual([status, body.choices?.[0].message.content], [200, words]);
    assert.equal(asked('shaky').length, 3);
    await told('cut');
    assert.equal(asked('cut').length, 1);
  });

  const wrong: [string, number, string, RegExp][] = [
    ['page', 502, 'upstream_failed', /it answers with text\/html instead of a stream/],
    ['redirect', 502, 'upstream_failed', /a redirect \(307\), which is not followed/],
    ['other', 502, 'upstream_failed', /answers with the model "somebody-else" in the place of "good"/],
    ['malformed', 502, 'upstream_failed', /an event of its stream is not JSON/],
    ['cut', 502, 'upstream_failed', /broke off in the middle/],
    ['unended', 502, 'upstream_failed', /its stream ended in the middle/],
    ['aborted', 502, 'upstream_failed', /it ended the answer with "abort"/],
    ['stuck', 504, 'upstream_slow', /sent nothing for 1 seconds/],
    ['silent', 504, 'upstream_slow', /sent nothing for 1 seconds/],
    ['full', 503, 'overloaded', /is full \(429: too many requests for \(hidden\)\)/],
    ['strict', 400, 'upstream_refused', /max_tokens is too large/],
    ['broken', 503, 'upstream_unavailable', /it answers 500: CUDA error: an illegal memory access was encountered/],
    ['down', 503, 'upstream_unavailable', /it cannot be reached \(ECONNREFUSED\)/],
    ['locked', 503, 'upstream_unavailable', /it refuses the key of the settings \(401\)/],
    ['unlisted', 503, 'upstream_unavailable', /it has no model "good", but "x": set "model"/],
    ['without', 503, 'upstream_unavailable', /it has no \/v1\/completions/],
    ['doubled', 503, 'upstream_unavailable', /it read \d+ tokens where \d+ were sent/],
    ['foreign', 503, 'upstream_unavailable', /token IDs mean "something else".*the folder is of another model/],
    ['endless', 503, 'upstream_unavailable', /do not end at the end token 5/],
  ];
  it('give each kind of failure its own code and reason', async () => {
    for (const [name, status, code, reason] of wrong) {
      const found = await told(name);
      assert.deepEqual([found.status, found.code], [status, code], `${name}: ${found.message}`);
      assert.match(found.message, reason, name);
    }
    const platform = { model_name: 'up/silent', prompt: 'Once upon' };
    assert.equal((await server.call('POST', '/v1/completions', { body: platform })).status, 524);
    assert.equal((await told('full')).headers.get('retry-after'), '7');
    const streamed = String((await chat('cut', { stream: true })).body);
    assert.match(streamed, /"content":"One"/);
    assert.match(streamed, /upstream_failed/);
  });

  it('refuse unsupported options by name', async () => {
    const ngram = await told('good', { no_repeat_ngram_size: 2 });
    assert.deepEqual([ngram.status, ngram.code], [400, 'upstream_cannot']);
    const shaped = await told('shapeless', { response_format: { type: 'json_object' } });
    assert.deepEqual([shaped.status, shaped.code], [400, 'upstream_cannot']);
    assert.match(shaped.message, /answers of a given JSON shape/);
    const body = { model_name: 'up/good', data: [{ input: 'Who?', output: 'Ada' }] };
    const tuned = await server.call('POST', '/v1/train', { body });
    assert.deepEqual([tuned.status, tuned.body.code], [400, 'upstream_only']);
  });

  it('are listed with origin and state, and do not affect the readiness of the server', async () => {
    const { body: ready, status } = await server.call('GET', '/readyz');
    assert.deepEqual(
      [status, ready.parts['upstream up/good'], ready.parts['upstream up/down']],
      [...[200, 'ok', 'cannot be asked']],
    );
    const { source, status: state, upstream: told } = await listed('good');
    assert.deepEqual([source, state, told.state], ['upstream', 'available', 'ok']);
    assert.ok(told.notes.includes('its own chat template was not compared'));
    assert.equal((await listed('bare')).status, 'failed');
    assert.match(await stateOf('bare'), /it has no config\.json/);
    const models = (await server.call('GET', '/inf/models')).body.data as { id: string; owned_by: string }[];
    assert.equal(models.find(({ id }) => id === 'up/good')?.owned_by, 'upstream');
    const { body: metrics } = await server.call('GET', '/metrics');
    assert.match(metrics, /lorekeep_upstream_up\{model="up\/good"\} 1/);
    assert.match(metrics, /lorekeep_upstream_up\{model="up\/down"\} 0/);
    assert.match(metrics, /lorekeep_upstream_answers\{model="up\/good",result="answered"\} [1-9]/);
  });

  it('are shown by doctor with their failure, and in the list of models with their origin', async () => {
    const environment = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey, HOME: server.home };
    const { code, out } = await run(['doctor', '--json'], environment);
    assert.equal(code, 6, 'some are reported as problems');
    const findings = JSON.parse(out) as { name: string; state: string; about: string }[];
    const about = (name: string) => findings.find((one) => one.about.startsWith(`up/${name}: `));
    assert.deepEqual([about('unlisted')?.name, about('unlisted')?.state], ['upstream', 'problem']);
    assert.match(about('unlisted')!.about, /it has no model "good"/);
    assert.equal(about('shapeless')?.state, 'unknown');
    assert.ok(!out.includes('secret'));
    assert.match((await run(['models', 'list'], environment)).out, /up\/good +base +upstream +available/);
  });

  it('recover without a restart', async () => {
    // One failed request does not affect the others.
    assert.equal((await told('broken')).code, 'upstream_unavailable');
    assert.equal(await stateOf('broken'), 'ok');
    assert.equal((await told('revoked')).code, 'upstream_unavailable');
    assert.match(await stateOf('revoked'), /it refuses the key/);
    // A failure is cached for a moment; then the checks run again.
    await until('the checks are made again', async () => {
      await sleep(500);
      await chat('revoked');
      return (
        upstream.heard.filter(({ behaviour, path }) => behaviour === 'revoked' && path === '/v1/models').length > 1
      );
    });
  });
});

describe('the setting of upstream engines', () => {
  const load = (value: unknown) =>
    loadConfig({ flags: { upstreams: typeof value === 'string' ? value : JSON.stringify(value) }, environment: {} });
  const refused = (value: unknown, reason: RegExp) =>
    assert.throws(
      () => load(value),
      (error: Error) => reason.test(error.message) && !error.message.includes('sk-'),
    );

  it('never shows a key', () => {
    const loaded = load({ a: { url: 'http://h:1', key: 'sk-abc' } });
    assert.equal(loaded.config.upstreams[0]!.key!.reveal(), 'sk-abc');
    for (const shown of [effectiveConfig(loaded), JSON.stringify(loaded.config.upstreams), String(loaded.config)])
      assert.ok(!shown.includes('sk-abc'), shown);
    assert.equal(loaded.config.upstreams[0]!.url, 'http://h:1/v1');
  });

  it('is rejected with the name of the model and the field', () => {
    refused('{"a": {"url": "http://h", "key": "sk-1"', /the text is not valid JSON/);
    refused('/no/such/file', /the file cannot be read \(ENOENT\)/);
    refused({ a: { key: 'sk-1' } }, /"url" of a/);
    refused({ a: { url: 'ftp://h' } }, /"url" of a.*must be an address/);
    refused({ a: { url: 'http://me:sk-1@h' } }, /"url" of a/);
    refused({ 'a b': { url: 'http://h' } }, /"a b" is not a name of a model/);
    refused({ a: { url: 'http://h', keys: 'sk-1' } }, /a: /);
    refused({ a: { url: 'http://h', key: 'sk-1', key_file: '/x' } }, /"key" and a "key_file"/);
    refused({ a: { url: 'http://h', key_file: '/no/such' } }, /the key_file of a cannot be read/);
  });
});
