// OpenAI's own package from npm, with nothing changed but the address and the key.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { startWithEngine } from '../testing/engine.ts';
import { adminKey, type TestServer } from '../testing/server.ts';

const model = 'lorekeep/quill';
const embedder = 'sentence-transformers/all-MiniLM-L6-v2';
const messages = [
  {
    role: 'user' as const,
    content: 'Context: Ada Quist runs the Brimoor library.\nQuestion: Who runs the Brimoor library?',
  },
];

describe("OpenAI's client for Node", () => {
  let server: TestServer;
  let client: OpenAI;
  const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${server.url}/inf`, maxRetries: 0 });
  before(async () => {
    server = await startWithEngine();
    client = clientOf(adminKey);
  });
  after(async () => await server.end());

  it('is answered', async () => {
    const { choices, usage } = await client.chat.completions.create({ model, messages });
    assert.deepEqual(choices[0]!.message, { role: 'assistant', content: 'Ada Quist', refusal: null });
    assert.equal(choices[0]!.finish_reason, 'stop');
    assert.equal(usage!.total_tokens, usage!.prompt_tokens + usage!.completion_tokens);
  });

  it('streams an answer piece by piece, with usage where it is asked for', async () => {
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

  it('parses an answer of a shape', async () => {
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

  it('goes on from a text, at once and streamed', async () => {
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

  it('makes its own exception of every refusal, streamed or not', async () => {
    const { key: reader } = await server.member('readers', ['read']);
    const ask = (of: OpenAI, more: object) => of.chat.completions.create({ model, messages, ...more });
    const cases: [
      of: OpenAI,
      more: object,
      kind: new (...values: never[]) => InstanceType<typeof OpenAI.APIError>,
      RegExp,
    ][] = [
      [client, { model: 'no/such' }, OpenAI.NotFoundError, /There is no model "no\/such" here/],
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
    for (const [of, more, kind, told] of cases)
      for (const stream of [false, true])
        await assert.rejects(ask(of, { ...more, stream }), (error) => {
          assert.ok(error instanceof kind, `${error}`);
          assert.match((error as Error).message, told);
          return true;
        });
  });

  it('leaves in the middle of a stream and of an answer, and is answered again', async () => {
    // Goes on and on until the context is full.
    const long = { model, prompt: 'The library', max_tokens: 1900 };
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
