// Feedback over HTTP on real databases: decision records of accounts that opted in, votes, and the resulting proposals.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { ChatBody, Feedback, Proposal } from '@lorekeep/contract';
import { forKeeping, keepDecision, keptEvents } from '../../openai/decisions.ts';
import type { Store } from '../../store/database.ts';
import { onDatabase } from '../../testing/databases.ts';
import type { TestServer } from '../../testing/server.ts';
import { House } from '../testing/house.ts';
import { AnswerFeedback } from './feedback.ts';

onDatabase('feedback', 'SQLite', (make) => {
  let server: TestServer;
  let store: Store;
  let house: House;
  beforeEach(async () => {
    house = await House.of(make, [{ input: 'Where is Zorbex?', output: 'Oslo' }]);
    ({ server, store } = house);
  });
  afterEach(async () => await house.end());

  const answerId = (digit: number) => `chatcmpl-${String(digit).repeat(32)}`;
  const vote = async (body: object, key?: string) =>
    await server.call('POST', '/v1/feedback', { body, ...(key !== undefined && { key }) });
  const keep = async (decision_days: number | null) =>
    await server.call('PATCH', '/v1/feedback/settings', { body: { decision_days } });
  const accountId = async () => (await server.call('GET', '/v1/account')).body.id;

  const decision = (input: string) => ({
    ...{ used: true, outcome: 'recite' as const, way: 'meaning', reason: 'it is near' },
    facts: [{ input, similarity: 0.9, dataset_id: null, row: 1 }],
  });
  const ofAnswer = async (digit: number) => ({
    ...{ accountId: await accountId(), id: answerId(digit), model: 'house', input: 'In which town is Zorbex?' },
    ...{ output: 'Oslo', memory: decision('Where is Zorbex?'), receipt: 0 },
  });

  it('keeps nothing without an opt-in, keeps answers for the chosen days, and deletes them on opt-out', async () => {
    const feedback = new AnswerFeedback(store);
    await feedback.keep(await ofAnswer(1));
    assert.equal((await vote({ answer_id: answerId(1), rating: 'up' })).body.code, 'answer_unknown');
    assert.deepEqual((await keep(3)).body, { decision_days: 3 });
    assert.equal((await keep(91)).body.code, 'validation');
    const kept = new AnswerFeedback(store);
    await kept.keep(await ofAnswer(1));
    await kept.keep(await ofAnswer(2));
    const up = (await vote({ answer_id: answerId(1), rating: 'up', comment: 'just so' })).body;
    assert.deepEqual([up.output, up.decision.way, up.memory, up.proposal], ['Oslo', 'meaning', 'house', null]);
    const member = await server.member('Support');
    assert.equal((await vote({ answer_id: answerId(2), rating: 'up' }, member.key)).body.code, 'answer_unknown');
    await store.db
      .updateTable('answer_decisions')
      .set({ expires_at: 1 })
      .where('answer_id', '=', answerId(1))
      .execute();
    await kept.sweep();
    const left = async () => (await store.db.selectFrom('answer_decisions').select('answer_id').execute()).length;
    assert.equal(await left(), 1);
    await keep(null);
    assert.equal(await left(), 0);
    assert.deepEqual((await server.call('GET', '/v1/feedback/settings')).body, { decision_days: null });
  });

  it('removes the kept question, answer and decision from votes on opt-out and after the retention time', async () => {
    const votes = async () => (await server.call('GET', '/v1/feedback')).body.feedback;
    const held = async () => (await votes()).map((vote: Feedback) => [vote.input, vote.output, vote.decision?.way]);
    await keep(3);
    const feedback = new AnswerFeedback(store);
    for (const digit of [1, 2]) {
      await feedback.keep(await ofAnswer(digit));
      await vote({ answer_id: answerId(digit), rating: 'down', comment: 'no' });
    }
    const named = { input: 'Who runs it?', model: 'house' };
    await vote({ answer_id: answerId(3), rating: 'up', ...named });
    const whole = ['In which town is Zorbex?', 'Oslo', 'meaning'];
    const own = ['Who runs it?', null, undefined];
    assert.deepEqual(await held(), [own, whole, whole]);
    const first = store.db.updateTable('answer_decisions').set({ expires_at: 1 });
    await first.where('answer_id', '=', answerId(1)).execute();
    await feedback.sweep();
    assert.deepEqual(await held(), [own, whole, [null, null, undefined]]);
    await keep(null);
    assert.deepEqual(await held(), [own, [null, null, undefined], [null, null, undefined]]);
    assert.deepEqual(
      (await votes()).map((vote: Feedback) => [vote.rating, vote.comment]),
      [
        ['up', null],
        ['down', 'no'],
        ['down', 'no'],
      ],
    );
  });

  it('turns a vote down with an expected answer into a proposal of the memory that answered', async () => {
    await keep(3);
    const feedback = new AnswerFeedback(store);
    await feedback.keep(await ofAnswer(1));
    const down = { answer_id: answerId(1), rating: 'down', expected: 'Bergen' };
    const given = (await vote(down)).body;
    assert.deepEqual([given.memory, given.proposal], ['house', 1]);
    assert.equal((await vote(down)).body.proposal, 1, 'a vote that is sent twice proposes once');
    const [proposal] = (await house.get('/proposals')).proposals;
    assert.deepEqual(
      [proposal.kind, proposal.input, proposal.output, proposal.stands[0].output, proposal.source.conversation],
      ['feedback', 'Where is Zorbex?', 'Bergen', 'Oslo', answerId(1)],
    );
    const named = { answer_id: answerId(2), rating: 'down', expected: 'Ada', model: 'house', input: 'Who runs it?' };
    assert.equal((await vote(named)).body.proposal, 2);
    assert.equal((await vote({ ...named, answer_id: answerId(3), model: 'lorekeep/quill' })).body.proposal, null);
    const { feedback: votes } = (await server.call('GET', '/v1/feedback?rating=down')).body;
    assert.equal(votes.length, 3);
  });

  it('withdraws the open proposal of a vote that is changed, unless another vote shares it or it is decided', async () => {
    const named = { model: 'house', input: 'Where is Zorbex?' };
    const down = async (digit: number, expected: string) =>
      (await vote({ answer_id: answerId(digit), rating: 'down', expected, ...named })).body.proposal;
    const up = async (digit: number) => await vote({ answer_id: answerId(digit), rating: 'up', ...named });
    const states = async () => (await house.get('/proposals?state=all')).proposals.map((one: Proposal) => one.state);
    assert.deepEqual([await down(1, 'Bergen'), await down(1, 'Bodo'), await down(2, 'Bodo')], [1, 2, 2]);
    assert.deepEqual(await states(), ['withdrawn', 'open']);
    const [first] = (await house.get('/proposals?state=all')).proposals;
    assert.deepEqual([first.reason, first.decided_by], ['The vote was changed.', 'operator']);
    await up(1);
    assert.deepEqual(await states(), ['withdrawn', 'open'], 'another vote says the same');
    assert.equal(await down(3, 'Tromso'), 3);
    await house.post('/proposals/reject', { numbers: [3], reason: 'no' });
    await up(3);
    assert.deepEqual(await states(), ['withdrawn', 'open', 'rejected']);
    const { rows } = (await server.call('GET', '/v1/audit?action=proposals.withdrawn')).body;
    assert.deepEqual(
      rows.map(({ details }: { details: object }) => details),
      [{ count: 1, numbers: [1] }],
    );
  });

  it('shows a reviewer the question as asked, the answer and the comment of the vote', async () => {
    await keep(3);
    await new AnswerFeedback(store).keep(await ofAnswer(1));
    await vote({ answer_id: answerId(1), rating: 'down', expected: 'Bergen', comment: 'they moved' });
    await house.post('/proposals', { proposals: [{ input: 'Who runs Zorbex?', output: 'Ben Oru' }] });
    const [given, plain] = (await house.get('/proposals')).proposals;
    assert.deepEqual(given.vote, {
      ...{ input: 'In which town is Zorbex?', output: 'Oslo', comment: 'they moved', by: 'operator' },
    });
    assert.equal(plain.vote, null);
  });

  it('refuses texts that are too long, with the limit, and invalid ids', async () => {
    const long = await vote({ answer_id: answerId(1), rating: 'down', expected: 'x'.repeat(100_000) });
    assert.equal(long.status, 422);
    assert.match(JSON.stringify(long.body), /must be at most 10000 characters/);
    assert.equal((await vote({ answer_id: 'none', rating: 'up' })).body.code, 'validation');
    assert.equal((await vote({ answer_id: answerId(1), rating: 'so so' })).body.code, 'validation');
  });

  it('keeps answers and streams, and returns explanations only on request', async () => {
    await keep(1);
    const keeper = new AnswerFeedback(store);
    const body = { model: 'house', messages: [{ role: 'user', content: 'Where is Zorbex?' }] } as unknown as ChatBody;
    const of = await forKeeping(keeper, await accountId(), body);
    assert.equal(of.asked.explain, true);
    const memory = decision('Where is Zorbex?');
    const choice = { index: 0, message: { role: 'assistant', content: 'Oslo', refusal: null }, memory };
    const head = { id: answerId(4), created: 1, model: 'house' };
    const answer = {
      ...head,
      object: 'chat.completion',
      choices: [{ ...choice, finish_reason: 'stop', logprobs: null }],
    };
    const shown = await keepDecision(of, answer as never);
    assert.ok(!JSON.stringify(shown).includes('"memory"'));
    async function* events() {
      for (const content of ['Os', 'lo'])
        yield { ...head, id: answerId(5), choices: [{ index: 0, delta: { content }, memory }] } as never;
    }
    for await (const event of keptEvents(of, events())) assert.ok(!JSON.stringify(event).includes('"memory"'));
    const rows = await store.db.selectFrom('answer_decisions').selectAll().orderBy('answer_id').execute();
    assert.deepEqual(
      rows.map(({ input, output }) => [input, output]),
      [
        ['Where is Zorbex?', 'Oslo'],
        ['Where is Zorbex?', 'Oslo'],
      ],
    );
  });
});
