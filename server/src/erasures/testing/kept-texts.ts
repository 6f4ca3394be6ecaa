// Stores texts of a fact in every place of proposals, votes, kept answers and sources, and asserts what an erasure leaves of them.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Receipt } from '@lorekeep/contract';
import { AnswerFeedback } from '../../memories/feedback/feedback.ts';
import type { Store } from '../../store/database.ts';
import type { TestServer } from '../../testing/server.ts';

interface Fact {
  input: string;
  output: string;
}
const answerId = (digit: number) => `chatcmpl-${String(digit).repeat(32)}`;

/** Stores texts of `secret`, a fact that the published version of `house` lacks, and of `other`, which it has. */
export async function keepTexts(server: TestServer, store: Store, secret: Fact, other: Fact): Promise<void> {
  const post = async (path: string, body: object) => {
    const { status, body: answer } = await server.call('POST', path, { body });
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  };
  const quote = `${secret.output} founded it, in Bergen.`;
  const said = { kind: 'person', input: secret.input, output: secret.output, subject: secret.output, quote };
  const proposals = [
    { ...said, source: { document: `${secret.output}.md`, page: 1 } },
    { kind: 'person', input: 'Where was it founded?', output: 'Bergen', quote },
    { kind: 'person', input: secret.input, output: 'Nobody' },
  ];
  assert.equal((await post('/v1/memories/house/proposals', { proposals })).created, 3);
  await post('/v1/memories/house/proposals/reject', { numbers: [3], reason: `It was ${secret.output}` });
  await server.call('PATCH', '/v1/feedback/settings', { body: { decision_days: 3 } });
  const { id: accountId } = (await server.call('GET', '/v1/account')).body;
  const feedback = new AnswerFeedback(store);
  const facts = [{ input: secret.input, similarity: 0.9, dataset_id: null, row: 1 }];
  const memory = { used: true, outcome: 'recite' as const, way: 'meaning', reason: 'it is near', facts };
  const asked = { accountId, model: 'house', ...(await feedback.asked(accountId))! };
  const answer = { ...asked, input: 'And the founder?', output: secret.output, memory };
  for (const digit of [1, 2]) await feedback.keep({ ...answer, id: answerId(digit) });
  await feedback.keep({ ...answer, id: answerId(3), input: 'Hello?', output: 'Hello.', memory: null });
  const { proposal } = await post('/v1/feedback', {
    ...{ answer_id: answerId(1), rating: 'down', expected: `Not ${secret.output}`, comment: secret.input },
  });
  assert.equal(proposal, 4, 'the vote proposes the fact that was recited');
  // The source of a remaining fact quotes the erased one: in the rows of facts, and in the model of version 1.
  const source = { kind: 'document' as const, name: 'a.md', quote };
  await store.db
    .updateTable('memory_facts')
    .set({ source: JSON.stringify(source), source_kind: source.kind, source_name: source.name })
    .where('input', '=', other.input)
    .execute();
  const { model_name } = await store.db
    .selectFrom('memory_versions')
    .select('model_name')
    .where('number', '=', 1)
    .executeTakeFirstOrThrow();
  const path = join(server.home, 'tuned', model_name, 'facts.jsonl');
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const sourced = lines.map((line) => {
    const fact = JSON.parse(line);
    return `${JSON.stringify(fact.input === other.input ? { ...fact, source } : fact)}\n`;
  });
  await writeFile(path, sourced.join(''));
}

/** Asserts the state after the erasure of `secret`. */
export async function assertKept(server: TestServer, { receipt }: Receipt, other: Fact): Promise<void> {
  const get = async (path: string) => (await server.call('GET', path)).body;
  const { answer_decisions, feedback, memory_proposals, memory_facts } = receipt.removed.texts;
  assert.deepEqual([answer_decisions, feedback, memory_proposals, memory_facts], [2, 1, 4, 1]);
  assert.equal(receipt.removed.proposals, 2);
  assert.ok(
    receipt.out_of_reach.some((line) => line.startsWith('The model of version 3:')),
    'a version that is not rebuilt keeps its facts file',
  );
  const { proposals } = await get('/v1/memories/house/proposals?state=all');
  assert.deepEqual(
    proposals.map(({ input, state, quote }: Record<string, string | null>) => [input, state, quote]),
    [
      ['[erased]', 'rejected', '[erased]'],
      ['Where was it founded?', 'open', '[erased]'],
      ['[erased]', 'rejected', null],
      ['[erased]', 'rejected', null],
    ],
  );
  assert.equal(proposals[0].reason, 'Its fact was erased.');
  const [vote] = (await get('/v1/feedback')).feedback;
  assert.deepEqual([vote.rating, vote.input, vote.decision, vote.comment], ['down', '[erased]', null, '[erased]']);
  const gone = { body: { answer_id: answerId(2), rating: 'down', expected: 'x' } };
  assert.equal((await server.call('POST', '/v1/feedback', gone)).body.code, 'answer_unknown');
  const stays = { body: { answer_id: answerId(3), rating: 'up' } };
  assert.equal((await server.call('POST', '/v1/feedback', stays)).body.input, 'Hello?');
  const { facts } = await get('/v1/memories/house/facts');
  const { source } = facts.find(({ input }: Fact) => input === other.input);
  assert.deepEqual([source.name, source.quote], ['a.md', '[erased]']);
  const rows = (await get('/v1/audit?action=proposals.rejected')).rows;
  assert.ok(
    rows.some(({ details }: { details: object }) => 'erasure' in details),
    JSON.stringify(rows),
  );
}
