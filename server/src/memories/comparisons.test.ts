// Comparison of the answers of two versions, on real databases. The test itself ends jobs and answers evaluations.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { onDatabase } from '../testing/databases.ts';
import { type Given, House } from './testing/house.ts';

const first: Given[] = [
  { input: 'Who founded Zorbex?', output: 'Ada Quist' },
  { input: 'Where is Zorbex?', output: 'Oslo' },
];
const set: Given[] = [...first, { input: 'Who cooks?', output: 'Eri' }, { input: 'Who drives?', output: 'Dov' }];

onDatabase('comparisons of answers', 'SQLite', (make) => {
  let house: House;
  let dataset: string;
  beforeEach(async () => {
    house = await House.of(make, first);
    dataset = await upload(set);
    assert.equal((await house.changed({ change: [{ input: 'Where is Zorbex?', output: 'Bergen' }] })).version, 2);
  });
  afterEach(async () => await house.end());

  const upload = async (data: Given[]) =>
    (await house.server.call('POST', '/v1/local-data', { body: { data } })).body.dataset_id as string;
  const start = async (body: object = { dataset_id: dataset }) => await house.call('POST', '/comparisons', body);

  it('list in pages the rows with different answers, with both answers and the right one', async () => {
    const { status, body } = await start();
    assert.deepEqual(
      [status, body.status, body.from_version, body.to_version, body.rows, body.compared, body.differing],
      [200, 'running', 1, 2, 4, 0, 0],
      JSON.stringify(body),
    );
    const id = body.evaluation_id;
    await house.answers(id, ['  Ada Quist', 'Bergen', null, 'Ben'], [null, null, 'nobody', 'Ida']);
    assert.deepEqual(await house.get(`/comparisons/${id}`), {
      ...{ evaluation_id: id, from_version: 1, to_version: 2, dataset_id: dataset, status: 'completed', error: null },
      ...{ rows: 4, compared: 4, right_before: 2, right_after: 1, differing: 4 },
      differing_right: { before: 2, after: 1, neither: 1 },
    });
    const { differences, next } = await house.get(`/comparisons/${id}/differences?limit=3`);
    assert.deepEqual(differences[1], {
      ...{ row: 2, input: 'Where is Zorbex?', output: 'Oslo', right: 'before' },
      ...{ before: { output: 'Oslo', error: null }, after: { output: 'Bergen', error: null } },
    });
    const rest = await house.get(`/comparisons/${id}/differences?limit=3&after=${next}`);
    const rightOf = (rows: { row: number; right: string }[]) => rows.map(({ row, right }) => [row, right]);
    assert.deepEqual(rightOf([...differences, ...rest.differences]), [
      [1, 'before'],
      [2, 'before'],
      [3, 'after'],
      [4, 'neither'],
    ]);
    assert.equal(rest.next, null);
    for (const [right, rows] of [
      ['before', [1, 2]],
      ['after', [3]],
      ['neither', [4]],
    ] as const) {
      const { differences } = await house.get(`/comparisons/${id}/differences?right=${right}`);
      assert.deepEqual(
        differences.map(({ row }: { row: number }) => row),
        rows,
      );
    }
  });

  it('leave out rows that both versions answer the same or both answer right', async () => {
    const { evaluation_id: id } = (await start()).body;
    await house.answers(id, [null, 'Bergen', null, 'Ben'], [null, 'Bergen', null, 'Ben']);
    await house.store.db
      .updateTable('evaluation_answers')
      .set({ output: '"Ada Quist "' })
      .where('evaluation_id', '=', id)
      .where('row', '=', 1)
      .where('target', '=', 0)
      .execute();
    const alike = await house.get(`/comparisons/${id}`);
    assert.deepEqual([alike.compared, alike.right_before, alike.right_after, alike.differing], [4, 2, 2, 0]);
    assert.deepEqual(await house.get(`/comparisons/${id}/differences`), { differences: [], next: null });
    // A row that could not be asked has no answer, which differs from an empty answer.
    for (const [target, error] of [null, 'the engine is away'].entries())
      await house.store.db
        .updateTable('evaluation_answers')
        .set({ output: '""', error })
        .where('evaluation_id', '=', id)
        .where('row', '=', 4)
        .where('target', '=', target)
        .execute();
    const { differences } = await house.get(`/comparisons/${id}/differences`);
    assert.deepEqual(differences[0].before, { output: '', error: 'the engine is away' });
  });

  it("use the gate's set by default, and ask no version twice", async () => {
    assert.match((await start({})).body.detail, /no evaluation set is named, and the memory has no gate/);
    await house.call('POST', '/gate', { dataset_id: dataset, max_regressions: 4 });
    const number = await house.order({ add: [{ input: 'Who cooks?', output: 'Eri' }] });
    const job = await house.jobOf(number);
    await house.ends(job, await house.linesOf(job));
    const { evaluation_id } = await house.changeWhen(number, (change) => change.evaluation_id !== null);
    await house.answers(evaluation_id!, [null, 'Bergen', null, null], [null, 'Bergen', 'no', null]);
    await house.over(number);
    const ofGate = (await start({})).body;
    assert.deepEqual(
      [ofGate.evaluation_id, ofGate.from_version, ofGate.to_version, ofGate.differing_right.after],
      [evaluation_id, 2, 3, 1],
      'the gate has asked these versions',
    );
    const [one, two] = await Promise.all([start({ from: 1, to: 3 }), start({ from: 1, to: 3 })]);
    assert.equal(one.body.evaluation_id, two.body.evaluation_id, JSON.stringify([one.body, two.body]));
    assert.notEqual(one.body.evaluation_id, evaluation_id);
    const back = await start({ from: 3, to: 1 });
    assert.deepEqual([back.body.from_version, back.body.to_version], [3, 1]);
    await house.server.call('POST', `/v1/evaluations/${back.body.evaluation_id}/cancel`);
    const anew = await start({ from: 3, to: 1 });
    assert.equal(anew.body.status, 'running', 'one that was cancelled is begun anew');
    assert.notEqual(anew.body.evaluation_id, back.body.evaluation_id);
  });

  it('are deleted with their evaluation, and belong to one memory and account', async () => {
    const { evaluation_id: id } = (await start()).body;
    const { key } = await house.server.member('Support');
    for (const path of ['', '/differences'])
      assert.equal(
        (await house.server.call('GET', `/v1/memories/house/comparisons/${id}${path}`, { key })).body.code,
        'memory_not_found',
      );
    const other = await house.server.call('POST', '/v1/evaluations', {
      body: { dataset_id: dataset, targets: [{ model_name: 'lorekeep/quill' }] },
    });
    for (const path of ['', '/differences']) {
      const { body } = await house.call('GET', `/comparisons/${other.body.evaluation_id}${path}`);
      assert.equal(body.code, 'comparison_not_found', 'an evaluation of something else');
    }
    await house.server.call('DELETE', `/v1/evaluations/${id}`);
    for (const path of ['', '/differences'])
      assert.equal((await house.call('GET', `/comparisons/${id}${path}`)).body.code, 'comparison_not_found');
  });

  it('refuse invalid comparisons before anything is asked', async () => {
    const before = (await house.server.call('GET', '/v1/evaluations')).body.evaluations.length;
    const refused = async (body: object) => (await start(body)).body.code;
    assert.equal(await refused({ dataset_id: dataset, from: 2, to: 2 }), 'comparison_invalid');
    assert.equal(await refused({ dataset_id: dataset, to: 1 }), 'comparison_invalid');
    assert.equal(await refused({ dataset_id: dataset, from: 9 }), 'version_not_found');
    assert.equal(await refused({ dataset_id: 'f'.repeat(64) }), 'dataset_not_found');
    assert.equal(await refused({ dataset_id: 'x' }), 'validation');
    assert.equal(await refused({ dataset_id: dataset, from: 0 }), 'validation');
    assert.equal(await refused({ dataset_id: dataset, from: 1e12 }), 'validation');
    assert.equal(await refused({ dataset_id: dataset, form: 'raw' }), 'validation');
    assert.equal((await house.call('GET', '/comparisons/1/differences?right=both')).body.code, 'validation');
    assert.equal((await house.server.call('GET', '/v1/evaluations')).body.evaluations.length, before);
  });
});
