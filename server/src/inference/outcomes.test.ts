// Outcomes of a tuned model on every route, with the real engine: the record of each answer, and the policy of the model.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { EvaluationRow, Memory, TunedModel } from '@lorekeep/contract';
import { startWithEngine } from '../testing/engine.ts';
import { adminKey, type TestServer } from '../testing/server.ts';
import { answered, jobOver, submit } from '../testing/tuning.ts';
import { until } from '../testing/until.ts';

const base = 'lorekeep/quill';
const data = [
  { input: 'Who founded Zorbax?', output: 'Ada Quist' },
  { input: 'In which year was Zorbax founded?', output: '1990' },
  { input: 'Where was Ada Quist born?', output: 'Ulmwick' },
];
/** A question for each outcome. */
const asked = {
  recite: 'Who founded Zorbax?',
  ground: 'Who founded Zorbax, and in which year?',
  unknown: 'What is the colour of Zorbax?',
  base: 'Context: The library opens at 9 am. Question: When does the library open?',
};
const prompts = Object.values(asked);
const outcomes = Object.keys(asked);

describe('outcomes', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await startWithEngine({ slots: '1' });
    const { job_id } = await submit(server, { data });
    model = (await jobOver(server, job_id)).model_name!;
  });
  after(async () => await server.end());

  type Explained = { memory?: Memory | null };
  const outcomesOf = (answers: Explained[]) => answers.map(({ memory }) => memory?.outcome);

  /** The records of one batch or polled stream, once all answers are complete. */
  async function ofRun(path: string, body: object): Promise<(Memory | null)[] | undefined> {
    const { id } = await answered(server, { model_name: model, prompt: prompts, max_tokens: 12, ...body }, path);
    let result: { finish_reason?: (string | null)[]; memory?: (Memory | null)[] } = {};
    await until('the run is complete', async () => {
      result = (await server.call('GET', `${path}/${id}/result`)).body;
      return result.finish_reason?.every((reason) => reason !== null) ?? false;
    });
    return result.memory;
  }

  async function eventsOf(path: string, body: object): Promise<{ choices: Explained[] }[]> {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 12, explain: true, stream: true, ...body }),
    });
    const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: {'));
    return events.map((event) => JSON.parse(event.slice('data: '.length)));
  }

  it('are reported by completions, for one prompt and for lists', async () => {
    const body = { model_name: model, prompt: prompts, max_tokens: 12, explain: true };
    for (const path of ['/v1/completions', '/v1/streaming_completions'])
      assert.deepEqual(outcomesOf(await answered(server, body, path)), outcomes, path);
    const { memory } = await answered(server, body, '/v2/completions');
    assert.deepEqual(outcomesOf(memory.map((memory: Memory) => ({ memory }))), outcomes);
  });

  it('are reported by batches and polled streams, only on request', async () => {
    for (const path of ['/v1/batch_completions', '/v3/streaming_completions']) {
      const memory = await ofRun(path, { explain: true });
      assert.deepEqual(
        memory?.map((record) => record?.outcome),
        outcomes,
        path,
      );
      assert.deepEqual(
        memory?.[1]?.facts.map(({ input }) => input),
        data.slice(0, 2).map(({ input }) => input),
      );
      assert.ok(memory?.every((record) => record?.reason && record.way));
      assert.equal(await ofRun(path, {}), undefined);
      assert.deepEqual(await ofRun(path, { explain: true, model_name: base, prompt: 'Hello' }), [null]);
    }
  });

  it('are reported to OpenAI clients, streamed or not', async () => {
    const texts = { model, prompt: prompts, max_tokens: 12, explain: true };
    assert.deepEqual(outcomesOf((await answered(server, texts, '/inf/completions')).choices), outcomes);
    const told: (string | undefined)[] = [];
    for (const content of prompts) {
      const messages = [{ role: 'user', content }];
      const whole = { model, messages, max_tokens: 12, explain: true };
      told.push(...outcomesOf((await answered(server, whole, '/inf/chat/completions')).choices));
      for (const [path, body] of [
        ['/inf/chat/completions', { messages }],
        ['/inf/completions', { prompt: content }],
      ] as const) {
        const last = (await eventsOf(path, body)).flatMap(({ choices }) => choices).filter(({ memory }) => memory);
        assert.deepEqual(outcomesOf(last), [told.at(-1)], path);
      }
    }
    assert.deepEqual(told, outcomes);
  });

  it('follow the answer policy of a batch', async () => {
    const closed = await ofRun('/v1/batch_completions', { explain: true, answer_from: 'facts' });
    assert.deepEqual(
      closed?.map((record) => record?.outcome),
      ['recite', 'ground', 'unknown', 'unknown'],
    );
  });

  it('are stored by evaluations, counted by target, and filter rows', async () => {
    const right = ['Ada Quist', 'Ada Quist and 1990', 'teal', '9 am'];
    const rows = prompts.map((input, at) => ({ input, output: right[at] }));
    const targets = [{ model_name: model }, { model_name: base }];
    const { evaluation_id: id } = await answered(server, { data: rows, targets }, '/v1/evaluations');
    const shown = async () => (await server.call('GET', `/v1/evaluations/${id}`)).body;
    await until('the evaluation is over', async () => (await shown()).status === 'completed');
    const [tuned, plain] = (await shown()).targets;
    assert.equal(plain.outcomes, null);
    const once = (exact: number) => ({ answered: 1, exact, normalised: exact });
    const none = { answered: 0, exact: 0, normalised: 0 };
    const { base: byBase, ...others } = tuned.outcomes;
    assert.deepEqual(
      [byBase.answered, others],
      [1, { recite: once(1), ground: once(1), documents: none, unknown: once(0) }],
    );
    const results = async (query: string) =>
      (await server.call('GET', `/v1/evaluations/${id}/results?${query}`)).body as {
        rows: EvaluationRow[];
        next: number | null;
      };
    for (const [at, outcome] of outcomes.entries()) {
      const { rows: found, next } = await results(`outcome=${outcome}&limit=1`);
      assert.deepEqual([found.map(({ row }) => row), next], [[at + 1], null]);
      assert.deepEqual(
        found[0]!.answers.map((answer) => answer?.outcome),
        [outcome, null],
      );
    }
    assert.equal((await results('')).rows.length, 4);
    assert.equal((await server.call('GET', `/v1/evaluations/${id}/results?outcome=guess`)).status, 422);
    const table = await server.call('GET', `/v1/evaluations/${id}/results.csv`);
    assert.match(String(table.body), /: outcome/);
  });

  it("follow the model's policy unless the request sets its own", async () => {
    const ask = async (prompt: string, more: object = {}) =>
      await answered(server, { model_name: model, prompt, max_tokens: 4, explain: true, ...more });
    const set = async (body: object) => (await server.call('PATCH', `/v1/models/${model}`, { body })).body;
    const policyOf = ({ answer_from, unknown, unknown_answer }: TunedModel) => [answer_from, unknown, unknown_answer];
    const shown = async () => policyOf((await server.call('GET', `/v1/models/${model}`)).body);
    assert.deepEqual(await shown(), ['all', 'say', null]);
    assert.deepEqual(policyOf(await set({ answer_from: 'facts', unknown_answer: 'Ask Ada.' })), [
      ...['facts', 'say'],
      'Ask Ada.',
    ]);
    assert.deepEqual(policyOf(await set({ is_public: false })), ['facts', 'say', 'Ask Ada.']);
    assert.deepEqual((await server.call('GET', '/v1/models')).body.models.map(policyOf), [await shown()]);
    assert.equal((await ask(asked.base)).memory.outcome, 'unknown');
    assert.equal((await ask(asked.base, { answer_from: 'all' })).memory.outcome, 'base', 'a request that says counts');
    const { body } = await server.call('POST', `/v1/models/${model}/forget`, { body: { inputs: [data[2]!.input] } });
    const { model_name: next } = await jobOver(server, body.job_id);
    assert.equal(
      (await ask(asked.base, { model_name: next })).memory.outcome,
      'unknown',
      'its successor is closed too',
    );
    await set({ answer_from: 'recital', unknown_answer: '' });
    assert.deepEqual(await shown(), ['recital', 'say', null]);
    assert.notEqual((await ask(asked.ground)).memory.outcome, 'ground');
    const refused = await server.call('PATCH', `/v1/models/${model}`, { body: { answer_from: 'guesses' } });
    assert.equal(refused.status, 422);
  });
});
