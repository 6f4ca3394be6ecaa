// Hostile requests to a model: each is answered or refused with a reason, and the service keeps working.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultEmbedder } from '../models/models.ts';
import { startWithEngine } from '../testing/engine.ts';
import type { Reply, TestServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';

const model = 'lorekeep/quill';
/** A prompt that the model continues endlessly (its repetition guard is off). */
const endless = { model_name: model, prompt: 'The library', max_tokens: 1900, no_repeat_ngram_size: 0 };
/** Maximum number of prompts in one call. */
const most = 10_000;
/** A number of prompts that needs many steps. */
const many = process.env.LOREKEEP_TEST_LONG ? most : 500;
const numbered = (count: number) => Array.from({ length: count }, (_, number) => `${number}`);
/** A prompt that leaves so little context that its answer ends at once. */
const brief = 'word '.repeat(2040);

describe('hostile completions', () => {
  let server: TestServer;
  before(async () => {
    server = await startWithEngine();
  });
  after(async () => await server.end());

  const post = async (path: string, body: unknown) => await server.call('POST', path, { body });
  const ask = async (more: object) =>
    await post('/v1/completions', { model_name: model, prompt: 'a', max_tokens: 4, ...more });
  function assertRefused(
    name: string,
    { status, body }: Reply,
    refused: [status: number, code: string],
    message: RegExp,
  ) {
    assert.deepEqual([status, body.code], refused, `${name}: ${JSON.stringify(body).slice(0, 300)}`);
    assert.match(JSON.stringify(body.detail), message, name);
  }

  it('refuses values of the wrong type and names the field', async () => {
    const cases: [object, RegExp][] = [
      [{ model_name: 7 }, /"model_name"\].*expected string, received number/],
      [{ model_name: '' }, /"model_name"/],
      [{ prompt: null }, /"prompt"/],
      [{ prompt: {} }, /"prompt"/],
      [{ prompt: [] }, /"prompt"\].*>=1/],
      [{ prompt: ['a', null, 7] }, /"prompt",1\].*"prompt",2\]/],
      [{ prompt: [['a']] }, /"prompt",0\].*expected string, received array/],
      [{ prompt: new Array(most + 1).fill('a') }, /"prompt"\].*<=10000/],
      [{ max_tokens: '8' }, /"max_tokens"\].*expected number, received string/],
      [{ max_tokens: 0 }, /"max_tokens"\].*>=1/],
      [{ max_tokens: 1.5 }, /"max_tokens"/],
      [{ max_new_tokens: -1 }, /"max_new_tokens"/],
      [{ max_new_tokens: 1_000_001 }, /"max_new_tokens"\].*<=1000000/],
      [{ output_type: 'str' }, /"output_type"\]/],
      [{ output_type: {} }, /must have at least one key/],
      [{ output_type: { a: 'text' } }, /"output_type","a"\].*one of.*str/],
      [{ output_type: { a: [] } }, /"output_type","a"\]/],
      [{ output_type: { a: { b: { c: 7 } } } }, /"output_type","a","b","c"\]/],
      [{ output_type: { a: [{ b: 'text' }] } }, /"output_type","a",0,"b"\]/],
    ];
    for (const path of ['/v1/completions', '/v2/completions', '/v3/streaming_completions', '/v1/batch_completions'])
      for (const [more, message] of cases) {
        const body = { model_name: model, prompt: 'a', ...more };
        assertRefused(
          `${path} ${JSON.stringify(more).slice(0, 60)}`,
          await post(path, body),
          [422, 'validation'],
          message,
        );
      }
    for (const path of ['/v1/embedding', '/v1/batch_embeddings'])
      for (const prompt of [null, [], [1], {}, new Array(most + 1).fill('a')])
        assertRefused(path, await post(path, { prompt }), [422, 'validation'], /"prompt"/);
  });

  it('accepts every Unicode character and refuses half of a surrogate pair', async () => {
    const odd = [
      'a\u0000b',
      '\u0001\u001b[31m\u007f',
      '\u2028\ufeff\u202e',
      '   ',
      '👩‍👩‍👧‍👦',
      '<|begin_of_text|>',
      '\\ud800',
    ];
    for (const prompt of odd) {
      const { status, body } = await ask({ prompt });
      assert.equal(status, 200, JSON.stringify(prompt));
      assert.ok(body.output.isWellFormed());
    }
    assert.equal((await post('/v1/embedding', { prompt: [...odd, ''] })).body.embedding.length, odd.length + 1);
    const half = '"a\\ud800"';
    for (const [path, body] of [
      ['/v1/completions', `{"model_name": "${model}", "prompt": ${half}}`],
      ['/v1/completions', `{"model_name": "${model}", "prompt": "a", "output_type": {${half}: "bool"}}`],
      ['/v1/completions', `{"model_name": "${model}", "prompt": "a", "output_type": {"a": [${half}]}}`],
      ['/v1/batch_completions', `{"model_name": "${model}", "prompt": [${half}]}`],
      ['/v1/embedding', `{"prompt": [${half}]}`],
      ['/v1/batch_embeddings', `{"prompt": ${half}}`],
    ] as const)
      assertRefused(path, await post(path, body), [400, 'json_invalid'], /half of a character/);
  });

  it('reports the length and the limit for a prompt that is too long, and generates up to the end of the context', async () => {
    const too = [400, 'context_exceeded'] as [number, string];
    assertRefused('long', await ask({ prompt: 'word '.repeat(2046) }), too, /has 2048 tokens, and .* reads 2048/);
    assertRefused('in a list', await ask({ prompt: ['a', 'word '.repeat(3000)] }), too, /number 2 has 3002 tokens/);
    const { body } = await post('/v2/completions', {
      model_name: model,
      prompt: 'word '.repeat(2040),
      max_tokens: 1_000_000,
    });
    assert.ok(['length', 'stop'].includes(body.finish_reason[0]));
  });

  it('answers with exactly the requested keys, even unusual ones', async () => {
    const output_type = {
      'a "quoted"\n\\ key': 'bool',
      '🙂': ['x"\n\u0000y', 1.5, null, true],
      '': { constructor: { toString: 'int' }, hasOwnProperty: ['yes', 'no'] },
      ' 1': 'float',
      list: [{ valueOf: 'bool' }],
    };
    const { status, body } = await ask({ output_type, max_tokens: 200 });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(Object.keys(body), Object.keys(output_type));
    assert.ok(output_type['🙂'].includes(body['🙂']));
    assert.deepEqual(Object.keys(body['']), ['constructor', 'hasOwnProperty']);
    assert.ok(Number.isInteger(body[''].constructor.toString));
    assert.ok(Array.isArray(body.list));

    const lost = `{"model_name": "${model}", "prompt": "a", "output_type": {"a": {"__proto__": "int"}}}`;
    assertRefused(
      '__proto__',
      await post('/v1/completions', lost),
      [422, 'validation'],
      /"a","__proto__"\].*no key can be/,
    );
  });

  it('refuses impossible output types with a reason', async () => {
    const deep = (levels: number) =>
      `{"model_name": "${model}", "prompt": "a", "output_type": ${'{"a":'.repeat(levels)}"bool"${'}'.repeat(levels)}}`;
    assert.equal((await post('/v1/completions', deep(20))).status, 200);
    assertRefused('deep', await post('/v1/completions', deep(50_000)), [400, 'json_invalid'], /more than 64 levels/);
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, key) => [`key ${key}`, 'bool']));
    assertRefused('wide', await ask({ output_type: wide }), [400, 'schema_impossible'], /No answer can have the shape/);
    const short = await ask({ output_type: { a: 'int' }, max_tokens: 1 });
    assertRefused('short', short, [400, 'max_tokens_too_small'], /shortest answer .* has \d+ tokens/);
  });

  it('accepts 10,000 prompts in one call', async () => {
    const body = { model_name: 'no/such', prompt: new Array(most).fill('a') };
    for (const path of ['/v1/completions', '/v2/completions', '/v3/streaming_completions', '/v1/batch_completions'])
      assertRefused(path, await post(path, body), [594, 'model_not_found'], /no\/such/);
  });

  it('answers thousands of prompts in one call', async () => {
    const { status, body } = await post('/v2/completions', {
      model_name: model,
      prompt: numbered(many),
      max_tokens: 1,
    });
    assert.equal(status, 200);
    assert.equal(body.outputs.length, many);
    // On a slow machine the last answers are cut short and reported as such.
    assert.ok(body.finish_reason.every((reason: string) => ['stop', 'length', 'timeout'].includes(reason)));
    assert.notEqual(body.finish_reason[0], 'timeout');
    const alone = await ask({ prompt: '7', max_tokens: 1 });
    assert.equal(body.outputs[7], alone.body.output);
  });

  it('answers a single prompt promptly beside a batch of 10,000', async () => {
    const prompt = numbered(most);
    const { body: started } = await post('/v1/batch_completions', { model_name: model, prompt, max_tokens: 1 });
    const path = `/v1/batch_completions/${started.id}`;
    const run = async () => (await server.call('GET', path)).body;
    await until('the batch is under way', async () => (await run()).answered > 0);
    assert.equal((await ask({})).status, 200);
    assert.equal((await run()).status, 'running');
    assert.equal((await server.call('DELETE', path)).status, 200);
  });

  it('answers a batch of thousands of prompts in order', async () => {
    const prompt = numbered(many);
    const { body: started } = await post('/v1/batch_completions', { model_name: model, prompt, max_tokens: 1 });
    const results = `/v1/batch_completions/${started.id}/result`;
    let ready = 0;
    await until('the batch is complete', async () => {
      const { body } = await server.call('GET', results);
      const reasons: (string | null)[] = body.finish_reason ?? [];
      const open = reasons.indexOf(null);
      assert.ok(open < 0 || reasons.slice(open).every((reason) => reason === null), 'in the order of the prompts');
      const now = open < 0 ? reasons.length : open;
      assert.ok(now >= ready);
      ready = now;
      // Each poll reads all answers.
      if (ready < many) await sleep(500);
      return ready === many;
    });
    const { body } = await server.call('GET', results);
    assert.equal(body.outputs.length, many);
    assert.equal(body.outputs[7], (await ask({ prompt: '7', max_tokens: 1 })).body.output);
  });

  it('stops generating for a client that disconnected and for a deleted stream', async () => {
    const usage = async (key: string) => (await server.call('GET', '/v1/usage', { key })).body.total;
    const leave = async (key: string) => {
      const gone = new AbortController();
      const left = fetch(`${server.url}/v1/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...endless, prompt: [endless.prompt, brief] }),
        signal: gone.signal,
      });
      const rejected = assert.rejects(left, { name: 'AbortError' });
      // Both run in one batch: when one is answered, the other has begun.
      await until('the brief one is answered', async () => (await usage(key)).requests === 1);
      gone.abort();
      await rejected;
      return 2;
    };
    const remove = async (key: string) => {
      const { id } = (await server.call('POST', '/v3/streaming_completions', { body: endless, key })).body;
      const result = `/v3/streaming_completions/${id}/result`;
      await until('it has begun', async () => Boolean((await server.call('GET', result, { key })).body.outputs?.[0]));
      assert.equal((await server.call('DELETE', `/v1/batch_completions/${id}`, { key })).status, 200);
      return 1;
    };
    for (const end of [leave, remove]) {
      const { key } = await server.member(`who will ${end.name}`, ['infer', 'read']);
      const prompts = await end(key);
      // Usage is counted when the work ends. It is less than requested, since the work was cancelled.
      await until('the use is counted', async () => (await usage(key)).requests === prompts);
      const used = (await usage(key)).completion_tokens;
      assert.ok(used > 0 && used < 1900, `${end.name}: ${used} tokens`);
    }
  });

  it('embeds many texts, long ones and empty ones', async () => {
    const texts = Array.from({ length: 1000 }, (_, number) => (number % 10 === 0 ? '' : `text ${number}`));
    texts.push('long '.repeat(1000));
    const { status, body } = await post('/v1/embedding', { prompt: texts, model_name: defaultEmbedder });
    assert.equal(status, 200);
    assert.equal(body.embedding.length, 1001);
    assert.ok(body.embedding.every((vector: number[]) => vector.length === 384 && vector.every(Number.isFinite)));
  });
});
