// Votes, kept answers and proposals that are stored while an erasure of their text runs: none survives it.
import assert from 'node:assert/strict';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { sql } from 'kysely';
import { AnswerFeedback } from '../memories/feedback/feedback.ts';
import { House } from '../memories/testing/house.ts';
import { onEveryDatabase, onPostgres, type TestDatabase } from '../testing/databases.ts';
import { until } from '../testing/until.ts';
import { noEngine } from './testing/no-engine.ts';

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist of Northmoor' };
const other = { input: 'Where is Zorbex?', output: 'Oslo' };
const answerId = (digit: number) => `chatcmpl-${String(digit).repeat(32)}`;
const vote = (digit: number) => ({
  ...{ answer_id: answerId(digit), rating: 'down', model: 'lorekeep/quill', input: secret.input },
  comment: `It was ${secret.output}`,
});

/** An erasure that has removed everything and cannot write its receipt, since its signing key cannot be created. */
async function beforeReceipt(make: () => Promise<TestDatabase>) {
  const house = await House.of(make, [secret, other], noEngine());
  const key = join(house.server.home, 'receipt-key.pem');
  await mkdir(key);
  await house.server.call('PATCH', '/v1/feedback/settings', { body: { decision_days: 3 } });
  const { id: accountId } = (await house.server.call('GET', '/v1/account')).body;
  const feedback = new AnswerFeedback(house.store);
  const at = await feedback.asked(accountId);
  assert.ok(at, 'answers are kept');
  const keep = async (digit: number, texts: { input: string; output: string }) =>
    await feedback.keep({ ...at, accountId, id: answerId(digit), model: 'house', ...texts, memory: null });
  const { body } = await house.call('POST', '/erasures', { inputs: [secret.input] });
  const look = async () => await house.get(`/erasures/${body.number}`);
  await until('its job is there', async () => (await look()).versions[0].job_id !== null);
  const job = (await look()).versions[0].job_id;
  await house.ends(job, await house.linesOf(job));
  await until('only the receipt is left', async () => {
    const { work } = await house.store.db.selectFrom('erasures').select('work').executeTakeFirstOrThrow();
    return 'files' in JSON.parse(work);
  });
  const isOver = async () => (await look()).finished_at !== null;
  return { house, keep, look, isOver, release: async () => await rmdir(key) };
}

/** The stored texts of votes, answers and proposals. */
async function storedTexts({ store }: House): Promise<string> {
  const rows = await Promise.all(
    (['feedback', 'answer_decisions', 'memory_proposals'] as const).map(async (table) =>
      store.db.selectFrom(table).selectAll().execute(),
    ),
  );
  return JSON.stringify(rows);
}

onEveryDatabase('texts that are stored during an erasure', (make) => {
  it('are erased until the receipt is written, which counts them', async () => {
    const { house, keep, look, isOver, release } = await beforeReceipt(make);
    try {
      assert.equal((await house.server.call('POST', '/v1/feedback', { body: vote(1) })).status, 200);
      await keep(2, secret);
      await keep(3, other);
      const proposals = [{ kind: 'person', ...secret }];
      assert.equal((await house.call('POST', '/proposals', { proposals })).body.created, 1);
      assert.ok((await storedTexts(house)).includes(secret.output));
      await release();
      await until('the erasure is over', isOver);
      const left = await storedTexts(house);
      assert.ok(!left.includes(secret.output) && left.includes(other.output), left);
      const { receipt } = (await house.server.call('GET', `/v1/receipts/${(await look()).receipt}`)).body;
      const { texts, proposals: rejected } = receipt.removed;
      assert.deepEqual([texts.feedback, texts.answer_decisions, texts.memory_proposals, rejected], [1, 1, 1, 1]);
      const [proposal] = (await house.get('/proposals?state=all')).proposals;
      assert.deepEqual([proposal.state, proposal.reason], ['rejected', 'Its fact was erased.']);
      assert.equal((await house.server.call('GET', '/v1/audit/verify')).body.sound, true);
      await keep(4, secret);
      assert.ok(!(await storedTexts(house)).includes(secret.output), 'the answer to a question of before');
    } finally {
      await house.end();
    }
  });
});

onPostgres('words of a transaction that is open during an erasure', (make) => {
  it('block the receipt until their transaction ends', async () => {
    const { house, isOver, release } = await beforeReceipt(make);
    try {
      const giving = Promise.withResolvers<Promise<{ status: number }>>();
      const aborted = new Error('another vote on the same answer');
      // The vote has to wait for this transaction, which is rolled back.
      const blocking = house.store.db.transaction().execute(async (change) => {
        const { id } = await change.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
        await change
          .insertInto('feedback')
          .values({ account_id: id, answer_id: answerId(1), rating: 'up', actor: 'x', created_at: 1 })
          .execute();
        giving.resolve(house.server.call('POST', '/v1/feedback', { body: vote(1) }));
        await until('it waits for a transaction', async () => await waits(house, 'transactionid'));
        await release();
        await until('it waits for a lock or is over', async () => (await waits(house, 'advisory')) || (await isOver()));
        throw aborted;
      });
      await assert.rejects(blocking, aborted);
      assert.equal((await await giving.promise).status, 200);
      await until('the erasure is over', isOver);
      assert.ok(!(await storedTexts(house)).includes(secret.output));
    } finally {
      await house.end();
    }
  });
});

/** Whether a transaction waits for a lock of this kind. */
async function waits({ store }: House, kind: string): Promise<boolean> {
  const found = await sql<{ n: number }>`
    select count(*)::int as n from pg_locks
    where not granted and locktype = ${kind} and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(
    store.db,
  );
  return found.rows[0]!.n > 0;
}
