// A tuned model with an index, on the real engine: whether facts or documents answer, on every route.
// biome-ignore-all lint/suspicious/noExplicitAny: tests look into answers of every shape
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWithEngine } from '../../testing/engine.ts';
import type { TestServer } from '../../testing/server.ts';
import { answered, jobOver, submit } from '../../testing/tuning.ts';
import { built } from '../testing/indexes.ts';

const data = [
  { input: 'Who founded Zorbax?', output: 'Ada Quist' },
  { input: 'In which year was Zorbax founded?', output: '1990' },
];
const pool = '# Pool\n\nThe lifeguard is Ilse Brandt. The pool opens at 7 am. It closes at 9 pm.\n';
const opens = 'When does the pool open?';

describe('the index of a tuned model', () => {
  let server: TestServer;
  let model: string;
  let index: number;
  before(async () => {
    server = await startWithEngine({ slots: '1' });
    const { job_id } = await submit(server, { data });
    model = (await jobOver(server, job_id)).model_name!;
    index = await built(server, { 'house.md': pool }, { name: 'house' });
  });
  after(async () => await server.end());

  const set = async (value: string | number) =>
    await server.call('PATCH', `/v1/models/${model}`, { body: { index: value } });
  const chat = async (content: string, more: object = {}) =>
    await answered(
      server,
      { model, messages: [{ role: 'user', content }], max_tokens: 16, explain: true, ...more },
      '/inf/chat/completions',
    );
  const outcomeOf = ({ choices: [{ message, memory }], answer_kind }: any) => [
    memory.outcome,
    memory.outcome === 'base' ? '' : message.content.trim(),
    answer_kind,
  ];

  it('answers only questions without a fact', async () => {
    assert.equal((await set('house')).body.index_id, index);
    assert.deepEqual(outcomeOf(await chat('Who founded Zorbax?')), ['recite', 'Ada Quist', undefined]);
    assert.deepEqual(outcomeOf(await chat('Who founded Zorbax, and in which year?')), [
      'ground',
      'Ada Quist and 1990',
      undefined,
    ]);
    const found = await chat(opens);
    assert.deepEqual(outcomeOf(found), ['documents', 'The pool opens at 7 am.', 'quote']);
    assert.equal(found.citations[0].quoted.text, 'The pool opens at 7 am.');
    assert.deepEqual(found.choices[0].memory.citations, found.citations);
    assert.equal(found.retrieval.found, true);
    assert.deepEqual(outcomeOf(await chat('What is the colour of Zorbax?'))[0], 'unknown');
    for (const asked of ['Which bird sings at noon in Peru?', 'Write a poem about the pool.']) {
      const max_tokens = 60;
      const [{ message, memory }] = (await chat(asked, { max_tokens })).choices;
      const [alone] = (await chat(asked, { index: '', max_tokens })).choices;
      assert.deepEqual(memory, alone.memory, asked);
      assert.notEqual(memory.outcome, 'documents');
      assert.match(alone.message.content, /^Nothing was taught about this, and there is no text to answer from\./);
      const bird = asked.startsWith('Which');
      assert.match(message.content, bird ? /taught about this, and the documents do not say\./ : /taught about this\./);
    }
    assert.equal((await server.call('GET', '/metrics')).body.includes('outcome="documents"'), true);
  });

  it('answers searches without a question, and the part of a message that no fact answers', async () => {
    await set('house');
    assert.deepEqual(outcomeOf(await chat('lifeguard')), ['documents', 'The lifeguard is Ilse Brandt.', 'quote']);
    const both = await chat('Who founded Zorbax and when does the pool open?');
    assert.deepEqual(outcomeOf(both), ['documents', 'Ada Quist. The pool opens at 7 am.', 'quote']);
    const [{ memory }] = both.choices;
    assert.deepEqual([memory.used, memory.facts[0].input], [true, 'Who founded Zorbax?']);
    assert.equal(both.citations[0].quoted.text, 'The pool opens at 7 am.');
    const turned = await chat('When does the pool open and who founded Zorbax?');
    assert.equal(turned.choices[0].message.content, 'The pool opens at 7 am. Ada Quist');
    const half = await chat('Who founded Zorbax and which bird sings at noon in Peru?', { max_tokens: 60 });
    assert.equal(half.choices[0].message.content, 'Ada Quist. The documents do not say.');
    assert.notEqual(outcomeOf(await chat('Thanks!'))[0], 'documents');
  });

  it('answers follow-ups from the documents', async () => {
    const messages = [
      { role: 'user', content: opens },
      { role: 'assistant', content: 'The pool opens at 7 am.' },
      { role: 'user', content: 'And when does it close?' },
    ];
    assert.match(outcomeOf(await chat('', { messages }))[1], /It closes at 9 pm\.$/);
  });

  it('answers completions, text completions, streams and schemas alike', async () => {
    const body = { model_name: model, prompt: [opens, 'Who founded Zorbax?'], max_tokens: 16, explain: true };
    const [first, second] = await answered(server, body, '/v1/completions');
    assert.deepEqual([first.output, first.memory.outcome], ['The pool opens at 7 am.', 'documents']);
    assert.equal(first.memory.citations[0].file, 'house.md');
    assert.equal(second.memory.outcome, 'recite');
    const text = await answered(server, { model, prompt: opens, max_tokens: 16, explain: true }, '/inf/completions');
    assert.deepEqual([text.choices[0].text, text.choices[0].memory.outcome], ['The pool opens at 7 am.', 'documents']);
    const shaped = { model_name: model, prompt: opens, output_type: { hour: 'str' }, max_tokens: 40, explain: true };
    const { hour, memory } = await answered(server, shaped, '/v1/completions');
    assert.deepEqual([typeof hour, memory.outcome], ['string', 'documents']);
    const { body: events } = await server.call('POST', '/inf/chat/completions', {
      body: { model, messages: [{ role: 'user', content: opens }], stream: true, explain: true },
    });
    const chunks = events.match(/^data: \{.*$/gm)!.map((line: string) => JSON.parse(line.slice(6)));
    const said = chunks.map(({ choices: [choice] }: any) => choice.delta.content ?? '').join('');
    const last = chunks.at(-1);
    assert.deepEqual(
      [said, last.choices[0].memory.outcome, last.citations[0].file],
      ['The pool opens at 7 am.', 'documents', 'house.md'],
    );
  });

  it('can be chosen or switched off by the request', async () => {
    await set('');
    assert.equal((await server.call('GET', `/v1/models/${model}`)).body.index_id, null);
    assert.notEqual(outcomeOf(await chat(opens))[0], 'documents');
    for (const chosen of ['house', index, String(index)])
      assert.equal(outcomeOf(await chat(opens, { index: chosen }))[0], 'documents', String(chosen));
    await set(index);
    assert.notEqual(outcomeOf(await chat(opens, { index: '' }))[0], 'documents');
    // A model that answers from facts only still has its documents.
    const closed = { answer_from: 'facts', unknown_answer: 'Ask Ada.' };
    assert.equal(outcomeOf(await chat(opens, closed))[0], 'documents');
    assert.deepEqual(outcomeOf(await chat('Which bird sings at noon in Peru?', closed)).slice(0, 2), [
      'unknown',
      'Ask Ada.',
    ]);
    const refused = await server.call('POST', '/inf/chat/completions', {
      body: { model, messages: [{ role: 'user', content: opens }], index: 'nowhere' },
    });
    assert.deepEqual([refused.status, (await set('nowhere')).status], [404, 404]);
    const base = await chat(opens, { model: 'lorekeep/quill', index: 'house' });
    assert.equal(base.citations, undefined, 'a base ignores it');
  });

  it('is only used for its own account, and the model still answers without it', async () => {
    await set('house');
    await server.call('PATCH', `/v1/models/${model}`, { body: { is_public: true } });
    const { key } = await server.member('Others');
    const { status, body } = await server.call('POST', '/inf/chat/completions', {
      key,
      body: { model, messages: [{ role: 'user', content: opens }], explain: true, max_tokens: 8 },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.notEqual(body.choices[0].memory.outcome, 'documents');
    await server.call('DELETE', `/v1/indexes/${index}`);
    const without = await chat(opens);
    assert.notEqual(outcomeOf(without)[0], 'documents');
    assert.deepEqual(outcomeOf(await chat('Who founded Zorbax?')), ['recite', 'Ada Quist', undefined]);
  });
});
