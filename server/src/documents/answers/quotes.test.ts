// Quoted answers of an index for callers: the words, their place, and when the model writes the answer instead.
// biome-ignore-all lint/suspicious/noExplicitAny: tests look into answers of every shape
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { readsProse } from '../../models/reads-prose.ts';
import { startWithEngine } from '../../testing/engine.ts';
import type { TestServer } from '../../testing/server.ts';
import { ask, built, templated } from '../testing/indexes.ts';

const pool = `# Pool

The lifeguard is Ilse Brandt. The pool opens at 7 am. It closes at 9 pm.

## Fees

| Ticket | Adults | Children |
|---|---|---|
| Day | 6 EUR | 3 EUR |
| Season | 90 EUR | 40 EUR |

# Library

The library lends eight books for three weeks.
`;

describe('quoted answers', () => {
  let server: TestServer;
  let id: number;
  before(async () => {
    server = await startWithEngine({ slots: '0' });
    id = await built(server, { 'house.md': pool }, { name: 'house' });
  });
  after(async () => await server.end());

  const quoted = async (question: string, more: object = {}) =>
    (await ask(server, id, question, { answer: 'quote', ...more })).body;
  const chat = async (question: string, more: object = {}) =>
    (
      await server.call('POST', '/inf/chat/completions', {
        body: { model: 'index/house', messages: [{ role: 'user', content: question }], answer: 'quote', ...more },
      })
    ).body;
  const chunksOf = (body: string): any[] => body.match(/^data: \{.*$/gm)!.map((line) => JSON.parse(line.slice(6)));

  it('are a sentence of the documents, with its place', async () => {
    const answer = await quoted(templated('When does the pool open?'));
    assert.deepEqual(
      [answer.outputs, answer.finish_reason, answer.answer_kind],
      [['The pool opens at 7 am.'], ['stop'], 'quote'],
    );
    const [{ quoted: words, ...citation }, ...others] = answer.citations;
    assert.equal(words.text, 'The pool opens at 7 am.');
    assert.equal(citation.text.slice(words.start - citation.start, words.end - citation.start), words.text);
    assert.equal(citation.heading, 'Pool');
    assert.ok(others.every((other: any) => other.quoted === undefined));
    assert.equal((await quoted('When does the pool open?', { rag_query_size: 1 })).citations.length, 1);
  });

  it('are one cell of a table, with its row and its column', async () => {
    const answer = await quoted('What does a season ticket cost for children?');
    assert.deepEqual([answer.outputs, answer.answer_kind], [['Season, Children: 40 EUR'], 'quote']);
    assert.equal(answer.citations[0].quoted.text, '40 EUR');
  });

  it('follow the questions before, in messages and in a template', async () => {
    const season = 'What does a season ticket cost for children?';
    const talked = (content: string) =>
      chat('', {
        messages: [
          { role: 'user', content: season },
          { role: 'assistant', content: 'Season, Children: 40 EUR' },
          { role: 'user', content },
        ],
      });
    const said = async (content: string) => (await talked(content)).choices[0].message.content;
    assert.equal(await said('And for adults?'), 'Season, Adults: 90 EUR');
    assert.equal(await said('what about a day ticket?'), 'Day, Children: 3 EUR');
    assert.equal(await said('Who is the lifeguard?'), 'The lifeguard is Ilse Brandt.');
    assert.equal(await said('And for dogs?'), 'The documents do not say.');
    assert.equal((await talked('And for adults?')).retrieval.question, `${season} And for adults?`);
    const turns = [season, 'Season, Children: 40 EUR', 'And for adults?'];
    const prompt = turns
      .map((text, at) => `<|im_start|>${at === 1 ? 'assistant' : 'user'}\n${text}<|im_end|>\n`)
      .join('');
    assert.deepEqual((await quoted(`${prompt}<|im_start|>assistant\n`)).outputs, ['Season, Adults: 90 EUR']);
  });

  it('answer each question of a message, with the passages of all', async () => {
    const both = await quoted('Who is the lifeguard and how many books does the library lend?');
    assert.deepEqual(both.outputs, ['The lifeguard is Ilse Brandt. The library lends eight books for three weeks.']);
    assert.deepEqual(
      both.citations.slice(0, 2).map(({ quoted: words }: any) => words.text),
      ['The lifeguard is Ilse Brandt.', 'The library lends eight books for three weeks.'],
    );
    const apart = await quoted('What does a season ticket cost for adults? And for children?');
    assert.deepEqual(apart.outputs, ['Season, Adults: 90 EUR; Season, Children: 40 EUR']);
    const half = await quoted('Who is the lifeguard? Which opera did Verdi write last?');
    assert.deepEqual(half.outputs, ['The lifeguard is Ilse Brandt. The documents do not say.']);
    const neither = await quoted('Which bird sings at noon in Peru and who wrote Macbeth?');
    assert.equal(neither.answer_kind, 'none');
  });

  it('answer a question with a typing error', async () => {
    assert.deepEqual((await quoted('lifegaurd')).outputs, ['The lifeguard is Ilse Brandt.']);
    assert.deepEqual((await quoted('libary books')).outputs, ['The library lends eight books for three weeks.']);
  });

  it('are missing if no sentence answers or nothing is about the question', async () => {
    const close = await quoted('How deep is the pool?');
    assert.deepEqual([close.outputs, close.answer_kind], [['The documents do not say.'], 'none']);
    assert.ok(close.citations.length > 0 && /no sentence of the passages/.test(close.retrieval.reason));
    const far = await quoted('Which opera did Verdi write last?');
    assert.deepEqual(
      [far.outputs, far.answer_kind, far.citations, far.retrieval.found],
      [['The documents do not say.'], 'none', [], false],
    );
    const shaped = await quoted('Which opera did Verdi write last?', { output_type: { opera: 'str', acts: 'int' } });
    assert.deepEqual(shaped.outputs, [{ opera: 'The documents do not say.', acts: 0 }]);
  });

  it('are streamed and returned to chat clients', async () => {
    const events = chunksOf(await quoted('Who is the lifeguard?', { stream: true }));
    assert.deepEqual(
      [events[0].answer_kind, events[0].citations[0].quoted.text],
      ['quote', 'The lifeguard is Ilse Brandt.'],
    );
    assert.deepEqual(events.slice(1), [
      { delta: 'The lifeguard is Ilse Brandt.' },
      { output: 'The lifeguard is Ilse Brandt.', finish_reason: 'stop' },
    ]);
    const said = await chat('Who is the lifeguard?', { n: 2 });
    assert.deepEqual(
      [said.choices.map(({ message }: any) => message.content), said.answer_kind, said.usage.total_tokens],
      [['The lifeguard is Ilse Brandt.', 'The lifeguard is Ilse Brandt.'], 'quote', 0],
    );
    const chunks = chunksOf(await chat('Who is the lifeguard?', { stream: true }));
    assert.deepEqual([chunks[0].answer_kind, chunks[1].answer_kind], ['quote', undefined]);
    assert.equal(chunks.map(({ choices }) => choices[0].delta.content ?? '').join(''), 'The lifeguard is Ilse Brandt.');
  });

  it('are put into a schema by the model, from the quoted words', async () => {
    const answer = await quoted('When does the pool open?', { output_type: { opens: 'str' } });
    assert.deepEqual([Object.keys(answer.outputs[0]), answer.answer_kind], [['opens'], 'generated']);
    assert.equal(answer.citations[0].quoted.text, 'The pool opens at 7 am.');
    const response_format = { type: 'json_object' };
    const said = await chat('When does the pool open?', { response_format });
    assert.equal(typeof JSON.parse(said.choices[0].message.content), 'object');
    assert.equal(said.answer_kind, 'generated');
  });

  it('are replaced by a generated answer on request', async () => {
    const answer = await quoted('When does the pool open?', { answer: 'generate' });
    assert.equal(answer.answer_kind, 'generated');
    assert.ok(answer.citations.every((citation: any) => citation.quoted === undefined));
    const { status } = await ask(server, id, 'When does the pool open?', { answer: 'invent' });
    assert.equal(status, 422);
  });
});

test('a base counts as able to read prose by its measurement, or if it has none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-model-'));
  const reads = async (said: object) => {
    await writeFile(join(folder, 'lorekeep.json'), JSON.stringify(said));
    return await readsProse(folder);
  };
  try {
    assert.equal(await readsProse(folder), true);
    assert.equal(await reads({}), true);
    assert.equal(await reads({ reading: { asked: 100, right: 59 } }), false);
    assert.equal(await reads({ reading: { asked: 100, right: 60 } }), true);
    assert.equal(await reads({ reading: { asked: 19, right: 0 } }), true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
