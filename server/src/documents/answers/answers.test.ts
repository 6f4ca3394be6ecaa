// Grounds of an answer: only passages about the question, never more than fits beside the answer, and the reply without
// grounds.
// biome-ignore-all lint/suspicious/noExplicitAny: tests look into answers of every shape
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWithEngine } from '../../testing/engine.ts';
import type { TestServer } from '../../testing/server.ts';
import { ask, built } from '../testing/indexes.ts';
import { emptyValue } from './no-answer.ts';

const house = `# Money

Dana Reyes approves travel expenses for the staff.

# Breaker

A fuse trips when sixteen amperes flow through the copper winding of the coil.

# Pool

The lifeguard is Ilse Brandt. The pool opens at 7 am.

# Glue

The signs are painted with enamel; off cuts of timber go into the stove.
`;
const chinese = Array.from(
  { length: 12 },
  (_, at) =>
    `# 图书馆 ${at}\n\n${`第${at}号图书馆位于北港市中心，每天早上九点开放，晚上八点关闭，由安娜管理，入馆费用为十二元。`.repeat(5)}`,
).join('\n\n');

/** Questions that are not in the set that calibrates an index. */
const offTopicQuestions = [
  'Which opera did Verdi write last?',
  'How many moons does Saturn have?',
  'What do koalas eat?',
  'Who discovered penicillin?',
  'How do I knit a scarf?',
];

describe('answers from an index', () => {
  let server: TestServer;
  let id: number;
  before(async () => {
    server = await startWithEngine({ slots: '0' });
    id = await built(server, { 'house.md': house }, { name: 'house' });
  });
  after(async () => await server.end());

  const chat = async (question: string, more: object = {}) =>
    await server.call('POST', '/inf/chat/completions', {
      body: { model: 'index/house', messages: [{ role: 'user', content: question }], answer: 'generate', ...more },
    });
  const chunksOf = (body: string): any[] => body.match(/^data: \{.*$/gm)!.map((line) => JSON.parse(line.slice(6)));

  it('use passages about the question, not passages that share a word with it', async () => {
    const question = 'Which colleague signs off business trips?';
    const { body } = await server.call('POST', `/v1/indexes/${id}/search`, { body: { query: question, limit: 1 } });
    assert.equal(body.passages[0].heading, 'Glue', 'first by a chance word');
    const answer = (await ask(server, id, question, { rag_query_size: 1 })).body;
    assert.deepEqual(
      answer.citations.map(({ heading }: any) => heading),
      ['Money'],
    );
    assert.deepEqual([answer.retrieval.found, answer.retrieval.used], [true, 1]);
  });

  it('state that the documents do not say if nothing is relevant', async () => {
    for (const question of offTopicQuestions) {
      const { body } = await ask(server, id, question);
      assert.deepEqual(
        [body.outputs, body.citations, body.retrieval.found, body.retrieval.used],
        [['The documents do not say.'], [], false, 0],
        question,
      );
    }
    assert.equal((await ask(server, id, 'When does the pool open?')).body.retrieval.found, true);
  });

  it('are empty without relevant passages in the requested schema, in a stream, and to chat clients', async () => {
    const [question] = offTopicQuestions as [string];
    const shaped = await ask(server, id, question, { output_type: { opera: 'str', year: 'int' } });
    assert.deepEqual(shaped.body.outputs, [{ opera: 'The documents do not say.', year: 0 }]);
    const streamed = await ask(server, id, question, { stream: true });
    assert.deepEqual(chunksOf(streamed.body).slice(1), [
      { delta: 'The documents do not say.' },
      { output: 'The documents do not say.', finish_reason: 'stop' },
    ]);
    const schema = {
      type: 'object',
      properties: { year: { type: 'integer' } },
      required: ['year'],
      additionalProperties: false,
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'year', schema } };
    const { body } = await chat(question, { response_format });
    assert.ok(Number.isInteger(JSON.parse(body.choices[0].message.content).year), JSON.stringify(body));
    assert.deepEqual([body.citations, body.retrieval.found], [[], false]);
    const chunks = chunksOf((await chat(question, { response_format, stream: true })).body);
    assert.deepEqual([chunks[0].citations, chunks[0].retrieval.found], [[], false]);
    const text = chunks.map(({ choices }) => choices[0].delta.content ?? '').join('');
    assert.ok(Number.isInteger(JSON.parse(text).year), text);
  });

  it('return citations to chat clients, from as many passages and files as requested', async () => {
    const question = 'When does the pool open?';
    const { body } = await chat(question, { rag_query_size: 1 });
    assert.deepEqual([body.retrieval.asked, body.citations.length], [1, 1]);
    const [chunk, next] = chunksOf((await chat(question, { rag_query_size: 1, stream: true })).body);
    assert.deepEqual([chunk.retrieval, next.retrieval], [body.retrieval, undefined]);
    const elsewhere = await chat(question, { filter: { files: ['other*'] } });
    assert.equal(elsewhere.body.retrieval.found, false);
    assert.equal((await chat(question, { rag_query_size: 0 })).status, 400);
    const text = await server.call('POST', '/inf/completions', { body: { model: 'index/house', prompt: question } });
    assert.deepEqual([text.status, text.body.error.code], [400, 'index_answers_chats']);
  });

  it('leave room for the answer in any script', async () => {
    const library = await built(server, { 'library.md': chinese });
    for (const more of [{}, { output_type: { opens: 'str', closes: 'str', fee: 'str' } }]) {
      const asked = { rag_query_size: 12, max_tokens: 64, ...more };
      const { status, body } = await ask(server, library, '图书馆几点开放？', asked);
      assert.equal(status, 200, JSON.stringify(body));
      assert.ok(body.citations.length > 0 && body.citations.length < 12, `${body.citations.length} passages`);
      assert.equal(body.retrieval.used, body.citations.length);
      assert.match(body.retrieval.reason, /^the model reads 2048 tokens, and more would not fit/);
    }
  });

  it('are refused if the question leaves no room for a passage', async () => {
    const { status, body } = await ask(server, id, 'When does the pool open? '.repeat(300));
    assert.deepEqual([status, body.code], [400, 'context_exceeded'], JSON.stringify(body));
    assert.match(body.detail, /2048 with 512 for the answer/);
  });
});

it('an answer without grounds fills a schema with empty values of the right types', () => {
  const text = emptyValue({
    name: 'str',
    age: ' Int',
    share: 'float',
    ok: 'bool',
    kind: ['a', 'b'],
    maybe: ['a', null],
    one: ['a'],
    tags: ['str'],
    rows: [{ name: 'str' }],
    owner: { age: 'integer' },
  });
  assert.deepEqual(JSON.parse(text), {
    name: 'The documents do not say.',
    age: 0,
    share: 0,
    ok: false,
    kind: 'a',
    maybe: null,
    one: 'a',
    tags: [],
    rows: [],
    owner: { age: 0 },
  });
});
