// A page of the rows with one outcome, on real databases.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Caller } from '../auth/caller.ts';
import { countedStore } from '../testing/counted-store.ts';
import { onEveryDatabase, storeOfEachTest } from '../testing/databases.ts';
import { accountRecord } from '../testing/records.ts';
import { Evaluations } from './evaluations.ts';

onEveryDatabase('rows of an evaluation with one outcome', (make) => {
  const store = storeOfEachTest(make);

  /** An evaluation with one target; `outcomes` by row. */
  async function evaluated(account_id: number, key_id: number, outcomes: ('recite' | 'base')[]): Promise<number> {
    const request = JSON.stringify({ targets: [{ name: 'm', model_name: 'm' }], form: 'chat' });
    const { id } = await store()
      .db.insertInto('evaluations')
      .values({ account_id, key_id, request, rows: outcomes.length, status: 'completed', created_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [at, outcome] of outcomes.entries()) {
      const place = { evaluation_id: id, row: at + 1 };
      await store()
        .db.insertInto('evaluation_questions')
        .values({ ...place, input: `"question ${at + 1}"`, output: '"x"' })
        .execute();
      await store()
        .db.insertInto('evaluation_answers')
        .values({
          ...{ ...place, target: 0, output: '"x"', exact: 1, normalised: 1, finish_reason: 'stop', outcome },
          ...{ error: null, milliseconds: 1, prompt_tokens: 1, completion_tokens: 1 },
        })
        .execute();
    }
    return id;
  }

  it('are read without the rows between them', async () => {
    const { account, key } = await accountRecord(store(), 'one');
    const id = await evaluated(account, key, ['recite', ...Array<'base'>(50).fill('base'), 'recite', 'recite']);
    const counted = countedStore(store());
    const evaluations = new Evaluations(counted.store, {} as never, {} as never, () => {});
    const caller = { account: { id: account } } as Caller;
    const page = async (after: number | undefined, outcome: 'recite' | 'ground' = 'recite') => {
      const { rows, next } = await evaluations.results(caller, id, { limit: 2, after, outcome });
      return { rows: rows.map(({ row, input, answers }) => [row, input, answers[0]?.outcome]), next };
    };
    const read = await counted.read(async () =>
      assert.deepEqual(await page(undefined), {
        rows: [
          [1, 'question 1', 'recite'],
          [52, 'question 52', 'recite'],
        ],
        next: 52,
      }),
    );
    // The evaluation, three numbers of rows, two questions and two answers.
    assert.equal(read.rows, 8);
    assert.deepEqual(await page(52), { rows: [[53, 'question 53', 'recite']], next: null });
    assert.deepEqual(await page(undefined, 'ground'), { rows: [], next: null });
  });
});
