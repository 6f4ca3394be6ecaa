// OpenAI's own package from npm, with nothing changed but the address and the key.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { startWithEngine } from '../testing/engine.ts';
import { adminKey, type TestServer } from '../testing/server.ts';
import '../testing/whole-base.ts';

const model = 'lorekeep/quill';
const embedder = 'sentence-transformers/all-MiniLM-L6-v2';
const messages = [
  {
    role: 'user' as const,
    content: 'Context: Ada Quist runs the Brimoor library.\nQuestion: Who runs the Brimoor library?',
  },
];

for (const base of ['/v1', '/inf'])
  describe(`OpenAI's client for Node below ${base}`, () => {
    let server: TestServer;
    let client: OpenAI;
    const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: server.url + base, maxRetries: 0 });
    before(async () => {
      server = await startWithEngine();
      client = clientOf(adminKey);
    });
    after(async () => await server.end());

    it('gets an answer', async () => {
      const { choices, usage } = await client.chat.completions.create({ model, messages });
      assert.deepEqual(choices[0]!.message, { role: 'assistant', content: 'Ada Quist', refusal: null });
      assert.equal(choices[0]!.finish_reason, 'stop');
      assert.equal(usage!.total_tokens, usage!.prompt_tokens + usage!.completion_tokens);
    });

    it('streams an answer piece by piece, with usage on request', async () => {
      const pieces: string[] = [];
      let used: OpenAI.CompletionUsage | null | undefined;
      for await (const { choices, usage } of await client.chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options: { include_usage: true },
      })) {
        pieces.push(choices[0]?.delta.content ?? '');
        used = usage;
      }
      assert.equal(pieces.join(''), 'Ada Quist');
      assert.ok(pieces.filter((piece) => piece !== '').length > 1);
      assert.ok(used!.completion_tokens > 1);

      const gathered = client.chat.completions.stream({ model, messages });
      assert.equal(await gathered.finalContent(), 'Ada Quist');
    });

    it('gets logprobs of the tokens of the text, with their bytes', async () => {
      for (const [stop, text] of [
        [undefined, 'Ada Quist'],
        [' Quist', 'Ada'],
      ] as const) {
        const asked = { model, messages, logprobs: true, top_logprobs: 1, ...(stop && { stop }) };
        const { choices } = await client.chat.completions.create(asked);
        const bytes = choices[0]!.logprobs!.content!.flatMap((token) => token.bytes!);
        assert.deepEqual([Buffer.from(bytes).toString(), choices[0]!.message.content], [text, text]);
      }
    });

    it('parses an answer in a schema', async () => {
      const person = z.object({
        kind: z.enum(['person', 'place']),
        years: z.array(z.int().min(1000).max(2100)).min(1).max(2),
        inner: z.object({ old: z.boolean(), 'a "key" 🙂': z.null() }),
      });
      const { choices } = await client.chat.completions.parse({
        model,
        messages,
        response_format: zodResponseFormat(person, 'person'),
      });
      assert.deepEqual(person.parse(choices[0]!.message.parsed), choices[0]!.message.parsed);
    });

    it('completes a text, streamed or not', async () => {
      const asked = { model, prompt: ['The library', 'Zoë 🙂 said'], max_tokens: 6, echo: true, logprobs: 1 };
      const { choices } = await client.completions.create(asked);
      const grown = ['', ''];
      for await (const { choices } of await client.completions.create({ ...asked, stream: true }))
        for (const { index, text } of choices) grown[index] += text;
      assert.deepEqual(
        grown,
        choices.map(({ text }) => text),
      );
      assert.ok(grown[1]!.startsWith('Zoë 🙂 said'));
      assert.equal(choices[0]!.logprobs!.tokens!.length, 6);
    });

    it('gets vectors', async () => {
      const { data, usage } = await client.embeddings.create({ model: embedder, input: ['The mill', 'A library'] });
      const floats = await client.embeddings.create({ model: embedder, input: 'The mill', encoding_format: 'float' });
      assert.deepEqual(
        data.map(({ embedding }) => embedding.length),
        [384, 384],
      );
      assert.ok(floats.data[0]!.embedding.every((number, at) => Math.abs(number - data[0]!.embedding[at]!) < 1e-5));
      assert.ok(usage.total_tokens > 0);
    });

    it('lists models and finds one by a name with a slash', async () => {
      const names = [];
      for await (const { id } of client.models.list()) names.push(id);
      assert.deepEqual(names, [model, embedder]);
      assert.equal((await client.models.retrieve(model)).id, model);
      await assert.rejects(client.models.retrieve('no/such'), OpenAI.NotFoundError);
    });

    it('raises its own exception for every refusal, streamed or not', async () => {
      const { key: reader } = await server.member('readers', ['read']);
      const ask = (of: OpenAI, more: object) => of.chat.completions.create({ model, messages, ...more });
      const cases: [
        of: OpenAI,
        more: object,
        kind: new (...values: never[]) => InstanceType<typeof OpenAI.APIError>,
        RegExp,
      ][] = [
        [
          client,
          { model: 'no/such' },
          OpenAI.NotFoundError,
          /There is no model "no\/such" here. GET \/v1\/models lists/,
        ],
        [client, { model: embedder }, OpenAI.BadRequestError, /made to embed/],
        [client, { temperature: 'hot' }, OpenAI.BadRequestError, /temperature: .*expected number/],
        [client, { messages: [] }, OpenAI.BadRequestError, /messages: /],
        [
          client,
          { messages: [{ role: 'user', content: 'word '.repeat(3000) }] },
          OpenAI.BadRequestError,
          /has 30\d\d tokens, and lorekeep\/quill reads 2048/,
        ],
        [
          client,
          { response_format: { type: 'json_schema', json_schema: { name: 'none', schema: { enum: [] } } } },
          OpenAI.BadRequestError,
          /No answer can have the shape/,
        ],
        [clientOf('wrong'), {}, OpenAI.AuthenticationError, /not known here/],
        [clientOf(reader), {}, OpenAI.PermissionDeniedError, /does not have the scope "infer"/],
      ];
      for (const [of, more, kind, message] of cases)
        for (const stream of [false, true])
          await assert.rejects(ask(of, { ...more, stream }), (error) => {
            assert.ok(error instanceof kind, `${error}`);
            assert.match((error as Error).message, message);
            return true;
          });
    });

    it('is refused with the name of a field that would change the answer and is not supported', async () => {
      const tool = { type: 'function', function: { name: 'look', parameters: {} } };
      const asks: [field: string, chat: object | undefined, text?: object][] = [
        ['tools', { tools: [tool] }],
        ['functions', { functions: [{ name: 'look' }] }],
        ['tool_choice', { tool_choice: 'auto' }],
        ['function_call', { function_call: { name: 'look' } }],
        ['audio', { audio: { voice: 'alloy', format: 'wav' } }],
        ['modalities', { modalities: ['text', 'audio'] }],
        ['logit_bias', { logit_bias: { 50256: -100 } }, { logit_bias: { 50256: -100 } }],
        ['guided_json', { guided_json: { type: 'object' } }, { guided_json: '{}' }],
        ['suffix', undefined, { suffix: 'the end' }],
      ];
      const refused = async (asked: Promise<unknown>, field: string) =>
        await assert.rejects(asked, (error) => {
          assert.ok(error instanceof OpenAI.BadRequestError, `${error}`);
          assert.deepEqual([error.param, error.code], [field, 'validation']);
          assert.match(error.message, new RegExp(`${field}: not supported`));
          return true;
        });
      for (const [field, chat, text] of asks)
        for (const stream of [false, true]) {
          if (chat) await refused(client.chat.completions.create({ model, messages, ...chat, stream }), field);
          if (text) await refused(client.completions.create({ model, prompt: 'a', ...text, stream }), field);
        }
      const nothing = { tools: [], tool_choice: 'none', logit_bias: {}, modalities: ['text'], audio: null } as object;
      const unused = {
        tools: [tool],
        tool_choice: 'none',
        functions: [{ name: 'look' }],
        function_call: 'none',
      } as object;
      for (const more of [nothing, unused]) {
        const { choices } = await client.chat.completions.create({ model, messages, ...more });
        assert.equal(choices[0]!.message.content, 'Ada Quist');
      }
      const advice = /models here call no tools or functions. Send "none".*response_format.*json_schema/;
      for (const more of [{ tools: [tool] }, { tools: [tool], tool_choice: 'auto' }] as object[])
        await assert.rejects(client.chat.completions.create({ model, messages, ...more }), advice);
    });

    it('gets a header with the sampling fields that were ignored', async () => {
      const asked = { model, messages, frequency_penalty: 0.5, presence_penalty: 0 };
      const { response } = await client.chat.completions.create(asked).withResponse();
      const warning = response.headers.get('x-warning') ?? '';
      assert.match(warning, /frequency_penalty/);
      assert.doesNotMatch(warning, /presence_penalty/);
    });

    it('can abort a stream and an answer, and gets answers afterwards', async () => {
      // The model continues until the context is full, with repetitions.
      const long = { model, prompt: 'The library', max_tokens: 1900, no_repeat_ngram_size: 0 };
      const stream = await client.completions.create({ ...long, stream: true });
      for await (const _ of stream) break;
      assert.ok(stream.controller.signal.aborted);

      const abort = new AbortController();
      const answer = client.completions.create({ ...long, n: 4 }, { signal: abort.signal });
      setTimeout(() => abort.abort(), 200);
      await assert.rejects(answer, OpenAI.APIUserAbortError);

      const { choices } = await client.chat.completions.create({ model, messages });
      assert.equal(choices[0]!.message.content, 'Ada Quist');
    });
  });

describe('the calls below /v1 of both kinds of clients', () => {
  let server: TestServer;
  before(async () => {
    server = await startWithEngine();
  });
  after(async () => await server.end());
  const complete = async (body: unknown, key: string | null = adminKey) =>
    await server.call('POST', '/v1/completions', { body, key });
  const ask = { prompt: 'The library', max_tokens: 4 };

  it('complete in the format of each client', async () => {
    const theirs = await complete({ ...ask, model });
    assert.deepEqual([theirs.status, theirs.body.object], [200, 'text_completion']);
    for (const of of [
      { model_name: model },
      { model_name: model, model: null },
      { model_name: model, model: 'no/such' },
    ]) {
      const own = await complete({ ...ask, ...of });
      assert.deepEqual([own.status, own.body], [200, { output: theirs.body.choices[0].text }]);
    }
    assert.equal((await complete({ ...ask, model, model_name: null })).body.object, 'text_completion');
    const streamed = await complete({ ...ask, model, stream: true });
    assert.match(streamed.headers.get('content-type')!, /^text\/event-stream/);
    assert.match(streamed.body, /data: \[DONE\]\n\n$/);
  });

  it('are refused in the format of each client, and in both if the kind of client is unknown', async () => {
    const cases: [body: unknown, key: string | null, status: number, shape: string[]][] = [
      [{ ...ask, model: 'no/such' }, adminKey, 404, ['error']],
      [{ ...ask, model: 'no/such', stream: true }, adminKey, 404, ['error']],
      [{ ...ask, model, prompt: 7, n: 99, temperature: 'hot' }, adminKey, 400, ['error']],
      [{ ...ask, model: 7 }, adminKey, 400, ['error']],
      [{ ...ask, model_name: 'no/such' }, adminKey, 594, ['code', 'detail']],
      [{ ...ask, model_name: model, max_tokens: 'many' }, adminKey, 422, ['code', 'detail']],
      [{ ...ask, model_name: model, model, output_type: {} }, adminKey, 422, ['code', 'detail']],
      [ask, adminKey, 422, ['code', 'detail', 'error']],
      [{ ...ask, model }, 'wrong', 401, ['code', 'detail', 'error']],
      ['{', adminKey, 400, ['code', 'detail', 'error']],
    ];
    for (const [body, key, status, shape] of cases) {
      const answer = await complete(body, key);
      assert.deepEqual([answer.status, Object.keys(answer.body).sort()], [status, shape], JSON.stringify(body));
    }
    const wrong = await complete({ ...ask, model, prompt: 7, n: 99, temperature: 'hot' });
    assert.doesNotMatch(wrong.body.error.message, /model_name/);
  });

  it('delete tuned models only, with a refusal that no client repeats', async () => {
    const client = new OpenAI({ apiKey: adminKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
    await assert.rejects(client.models.delete('none'), OpenAI.NotFoundError);
    await assert.rejects(client.models.delete(model), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError, `${error}`);
      assert.match(error.message, /"lorekeep\/quill" can be asked, but is no tuned model/);
      return true;
    });
    const path = `/v1/models/${encodeURIComponent(model)}`;
    for (const [method, to, body] of [
      ['GET', `${path}/facts`],
      ['GET', `${path}/export`],
      ['PATCH', path, { is_public: true }],
      ['POST', `${path}/forget`, { inputs: ['Who?'] }],
      ['POST', `${path}/move`, { base_model: model }],
    ] as const)
      assert.equal((await server.call(method, to, { body })).body.code, 'model_not_tuned', to);
    const { status, body } = await server.call('DELETE', '/v1/models/none');
    assert.deepEqual([status, body.code, body.error.code], [404, 'model_not_found', 'model_not_found']);
  });

  it('list and show models for both', async () => {
    const listed = await server.call('GET', '/v1/models');
    const { models, next, object, data } = listed.body;
    assert.deepEqual([models, next, object], [[], null, 'list']);
    assert.deepEqual(data, (await server.call('GET', '/inf/models')).body.data);
    for (const path of [model, encodeURIComponent(model)]) {
      const { status, body } = await server.call('GET', `/v1/models/${path}`);
      assert.deepEqual([status, body], [200, data[0]]);
    }
    for (const path of ['none', 'no/such', 'index%2Fnone']) {
      const { status, body } = await server.call('GET', `/v1/models/${path}`);
      assert.deepEqual([status, Object.keys(body).sort()], [404, ['code', 'detail', 'error']], path);
    }
  });
});
