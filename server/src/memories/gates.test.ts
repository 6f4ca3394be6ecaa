// Gates of memories on real databases. The test itself ends jobs and answers evaluations; trained-gate.test.ts uses the
// real engine.
import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { onDatabase } from '../testing/databases.ts';
import { type Given, House } from './testing/house.ts';

const first: Given[] = [
  { input: 'Who founded Zorbex?', output: 'Ada Quist' },
  { input: 'Where is Zorbex?', output: 'Oslo' },
];
const added = { input: 'Who runs Zorbex?', output: 'Ben Oru' };
const set: Given[] = [...first, { input: 'In which town is Zorbex?', output: 'Oslo' }];

onDatabase('gates of memories', 'SQLite', (make) => {
  let house: House;
  let dataset: string;
  beforeEach(async () => {
    house = await House.of(make, first);
    dataset = await upload(set);
  });
  afterEach(async () => await house.end());

  const call: House['call'] = async (...asked) => await house.call(...asked);
  const get: House['get'] = async (path) => await house.get(path);
  const gate = async (bars: object, dataset_id = dataset) => await call('POST', '/gate', { dataset_id, ...bars });
  const upload = async (data: Given[]) =>
    (await house.server.call('POST', '/v1/local-data', { body: { data } })).body.dataset_id as string;
  const answers: House['answers'] = async (...told) => await house.answers(...told);
  const over: House['over'] = async (number) => await house.over(number);
  const asked = async (number: number, not: number | null = null) =>
    (await house.changeWhen(number, ({ evaluation_id }) => evaluation_id !== null && evaluation_id !== not))
      .evaluation_id!;

  /** A change whose job is over and whose gate is being evaluated. */
  async function checked(): Promise<{ number: number; evaluation: number }> {
    const number = await house.order({ add: [added] });
    await house.ends(await house.jobOf(number), [...first, added]);
    return { number, evaluation: await asked(number) };
  }

  it('publish a version that reaches the bars, and report the figures', async () => {
    assert.equal((await call('GET', '/gate')).body.code, 'gate_not_found');
    const { status, body } = await gate({ exact: 1, reworded: 0.9, max_regressions: 0 });
    assert.deepEqual([status, body.rows, body.exact, body.by], [200, 3, 1, 'operator'], JSON.stringify(body));
    const { number, evaluation } = await checked();
    assert.equal((await get('')).version, 1, 'the name waits for the gate');
    await answers(evaluation, [null, null, null], [null, null, 'no']);
    assert.equal((await over(number)).state, 'published');
    const result = await get('/versions/2/gate');
    assert.deepEqual(
      [result.holds, result.exact, result.reworded, result.regressions, result.against_version],
      [true, { rows: 2, right: 2 }, { rows: 1, right: 1 }, 0, 1],
    );
    assert.deepEqual(
      (await get('/versions')).versions.map(({ gate }: { gate: string | null }) => gate),
      ['holds', null],
    );
    assert.equal((await call('GET', '/versions/1/gate')).body.code, 'gate_not_checked');
    assert.equal((await house.server.call('GET', `/v1/evaluations/${evaluation}`)).body.rows, 3);
  });

  it('read no facts of the new model while they are evaluated', async () => {
    await gate({ exact: 1 });
    const { number, evaluation } = await checked();
    const { name } = await house.store.db
      .selectFrom('tuned_models')
      .select('name')
      .where('job_id', '=', await house.jobOf(number))
      .executeTakeFirstOrThrow();
    const facts = join(house.server.home, 'tuned', name, 'facts.jsonl');
    // A server looks at the changes when it starts, and stops when it has done so.
    await house.restart(async () => await rename(facts, `${facts}.away`));
    await house.restart(async () => await rename(`${facts}.away`, facts));
    await answers(evaluation, [null, null, null], [null, null, null]);
    const { state, error } = await over(number);
    assert.equal(state, 'published', error ?? undefined);
  });

  it('hold a version that fails, with the failed bars and the regressions by row, until it is forced', async () => {
    await gate({ exact: 1, reworded: 0.9, max_regressions: 0 });
    const { number, evaluation } = await checked();
    await answers(evaluation, [null, 'Bergen', 'Bergen'], [null, null, 'no']);
    const held = await over(number);
    assert.equal(held.state, 'held');
    assert.match(
      held.error!,
      /the gate does not hold: exact 0\.5 \(1 of 2 rows\) and not 1; reworded 0 .*; 1 regression/,
    );
    const result = await get('/versions/2/gate');
    assert.deepEqual(
      result.failing.map(({ bar }: { bar: string }) => bar),
      ['exact', 'reworded', 'max_regressions'],
    );
    assert.deepEqual(await get('/versions/2/regressions'), {
      regressions: [
        {
          ...{ row: 2, input: 'Where is Zorbex?', output: 'Oslo' },
          ...{ before: { output: 'Oslo', error: null }, after: { output: 'Bergen', error: null } },
        },
      ],
      next: null,
    });
    const refused = await call('POST', '/publish', { version: 2 });
    assert.deepEqual([refused.status, refused.body.code], [409, 'gate_not_held']);
    assert.match(refused.body.detail, /exact 0\.5 \(1 of 2 rows\)/);
    assert.equal((await call('POST', '/publish', { version: 2, force: true })).body.code, 'validation');
    assert.equal((await call('POST', '/publish', { version: 2, force: true, reason: '  ' })).body.code, 'validation');
    const forced = await call('POST', '/publish', { version: 2, force: true, reason: 'the set is old' });
    assert.equal(forced.body.version, 2, JSON.stringify(forced.body));
    const { rows } = (await house.server.call('GET', '/v1/audit?action=memory.published')).body;
    assert.deepEqual([rows[0].details.forced, 'reason' in rows[0].details], [true, false]);
    assert.match(rows[0].details.gate, /1 regression/);
    const [told] = (await house.server.call('GET', '/v1/audit?action=memory.changed')).body.rows;
    assert.deepEqual(told.details.gate.regressions, 1);
    assert.equal((await call('POST', '/publish', { version: 1 })).body.version, 1, 'the way back stays open');
    assert.equal((await call('POST', '/publish', { version: 2 })).body.code, 'gate_not_held');
    await gate({ exact: 0.5, max_regressions: 1 });
    assert.equal((await call('POST', '/publish', { version: 2 })).body.version, 2, 'by the bars of now');
  });

  it('hold a version with the reason if the set is deleted or the evaluation cancelled', async () => {
    await gate({ exact: 1 });
    await house.server.call('DELETE', `/v1/datasets/${dataset}`);
    assert.equal((await get('/gate')).rows, null);
    const number = await house.order({ add: [added] });
    await house.ends(await house.jobOf(number), [...first, added]);
    assert.match((await over(number)).error!, /the set could not be asked: There is no dataset/);
    const refused = (await call('POST', '/publish', { version: 2 })).body;
    assert.equal(refused.code, 'gate_not_held');
    assert.doesNotMatch(refused.detail, /\.\./);
    dataset = await upload(set);
    await gate({ exact: 1 });
    const { number: next, evaluation } = await checked();
    await house.server.call('POST', `/v1/evaluations/${evaluation}/cancel`);
    assert.match((await over(next)).error!, /the evaluation \d+ was cancelled/);
    await call('DELETE', '/gate');
    assert.equal((await call('POST', '/publish', { version: 3 })).body.version, 3, 'no gate, no refusal');
  });

  it('evaluate again if the evaluation is deleted or the set replaced, and stop when the gate is removed', async () => {
    await gate({ exact: 1 });
    const { number, evaluation } = await checked();
    await house.server.call('DELETE', `/v1/evaluations/${evaluation}`);
    const again = await asked(number, evaluation);
    await gate({ exact: 1 }, await upload(first));
    const third = await asked(number, again);
    assert.equal((await house.server.call('GET', `/v1/evaluations/${again}`)).body.status, 'cancelled');
    assert.equal((await house.server.call('GET', `/v1/evaluations/${third}`)).body.rows, 2);
    await call('DELETE', '/gate');
    assert.equal((await over(number)).state, 'published');
    assert.equal((await call('GET', '/versions/2/gate')).body.code, 'gate_not_checked');
  });

  it('apply to changes that are running when they are set, and to versions never checked', async () => {
    const number = await house.order({ add: [added] });
    const job = await house.jobOf(number);
    await gate({ exact: 1 });
    await house.ends(job, [...first, added]);
    await answers(await asked(number), [null, null, null], [null, null, null]);
    assert.equal((await over(number)).state, 'published');
    await call('DELETE', '/gate');
    const next = await house.order({ withdraw: [added.input] });
    await house.ends(await house.jobOf(next), [first[0]!]);
    assert.equal((await over(next)).state, 'held');
    await gate({ exact: 1 });
    assert.equal((await call('POST', '/publish', { version: 3 })).body.code, 'gate_not_passed');
    assert.equal((await call('POST', '/publish', { version: 1 })).body.version, 1);
  });

  it('continue with the same evaluation after a restart', async () => {
    await gate({ max_regressions: 0 });
    const { number, evaluation } = await checked();
    await house.restart(async () => await answers(evaluation, [null, null, 'no'], [null, null, 'no']));
    const done = await over(number);
    assert.deepEqual([done.state, done.evaluation_id], ['published', evaluation]);
  });

  it('refuse bars out of range, sets that cannot measure a bar, and other accounts', async () => {
    for (const bars of [
      {},
      { exact: 1.1 },
      { exact: -0.1 },
      { max_regressions: 0.5 },
      { max_regressions: -1 },
      { bar: 1 },
    ])
      assert.equal((await gate(bars)).body.code, 'validation', JSON.stringify(bars));
    assert.equal((await gate({ exact: '1' })).body.code, 'validation');
    assert.equal((await gate({ exact: 1 }, 'f'.repeat(64))).body.code, 'dataset_not_found');
    const words = await upload([{ input: 'In which town is Zorbex?', output: 'Oslo' }]);
    assert.match((await gate({ exact: 1 }, words)).body.detail, /no row asks a fact of the memory in its taught words/);
    assert.match((await gate({ reworded: 1 }, await upload(first))).body.detail, /"reworded" counts the others/);
    assert.equal((await call('GET', '/gate')).body.code, 'gate_not_found');
    assert.equal((await call('DELETE', '/gate')).body.code, 'gate_not_found');
    await gate({ exact: 1 });
    const { key } = await house.server.member('Support');
    for (const [method, path] of [
      ['GET', 'gate'],
      ['DELETE', 'gate'],
      ['GET', 'versions/1/gate'],
      ['GET', 'versions/1/regressions'],
    ] as const)
      assert.equal(
        (await house.server.call(method, `/v1/memories/house/${path}`, { key })).body.code,
        'memory_not_found',
      );
    const { rows } = (await house.server.call('GET', '/v1/audit?action=memory.gate_set')).body;
    assert.deepEqual([rows.length, rows[0].details.exact], [1, 1]);
  });
});
