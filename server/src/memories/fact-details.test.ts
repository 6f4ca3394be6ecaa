// Validity and sources of facts in a memory, on real databases. The engine's validity_test.py and trained-times.test.ts
// test that a fact outside of its validity is not recited.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { MemoryFact } from '@lorekeep/contract';
import { onDatabase } from '../testing/databases.ts';
import { type Given, House } from './testing/house.ts';

const first: Given[] = [
  { input: 'Who founded Zorbex?', output: 'Ada Quist' },
  { input: 'Where is Zorbex?', output: 'Oslo' },
];
const quoted = { kind: 'document', name: 'Handbook %1.pdf', page: 3, quote: 'Ben Oru runs it.' };
const runs = { input: 'Who runs Zorbex?', output: 'Ben Oru' };

onDatabase('times and sources of facts', 'SQLite', (make) => {
  let house: House;
  beforeEach(async () => {
    house = await House.of(make, first);
  });
  afterEach(async () => await house.end());

  const facts = async (query = ''): Promise<MemoryFact[]> => (await house.get(`/facts?limit=100${query}`)).facts;
  const found = async (query: string) => (await facts(query)).map(({ input }) => input).sort();
  const fact = async (input: string, query = '') => (await facts(query)).find((one) => one.input === input)!;
  const said = ({ source: { kind, name, page, quote }, valid_from, valid_until }: MemoryFact) => ({
    ...{ kind, name, page, quote, valid_from, valid_until },
  });

  it('are stored as given, passed to the engine, and searchable', async () => {
    const added = { ...runs, valid_from: '2026-01-01', valid_until: '2026-06-30T18:00:00+02:00', source: quoted };
    const done = await house.changed({
      add: [added, { input: 'Who cooks?', output: 'Eri', source: { kind: 'person', name: 'Dov' } }],
    });
    assert.equal(done.state, 'published', done.error!);
    assert.deepEqual(said(await fact(runs.input)), {
      ...quoted,
      ...{ valid_from: '2026-01-01', valid_until: '2026-06-30T16:00:00.000Z' },
    });
    const [, , line] = await house.linesOf(done.job_id!);
    assert.deepEqual(
      [line!.valid_from, line!.valid_until, line!.source],
      ['2026-01-01', '2026-06-30T16:00:00.000Z', quoted],
    );
    assert.equal((await fact(runs.input)).source.change, 2);
    const { body } = await house.server.call('GET', '/v1/models/house/facts');
    assert.deepEqual(body.facts.slice(1, 3), [
      { row: 1, input: 'Where is Zorbex?', output: 'Oslo', dataset_id: null, recalled: true },
      {
        ...{ row: 1, ...runs, dataset_id: 'memory/house/2', recalled: true, source: quoted },
        ...{ valid_from: '2026-01-01', valid_until: '2026-06-30T16:00:00.000Z' },
      },
    ]);
    assert.deepEqual(await found('&text=handbook%20%251'), [runs.input]);
    assert.deepEqual(await found('&text=runs%20it'), [runs.input]);
    assert.deepEqual(await found('&source_kind=person'), ['Who cooks?']);
    assert.deepEqual(await found('&source_name=Dov'), ['Who cooks?']);
    assert.deepEqual(await found('&source_name=Do'), []);
    const always = ['Where is Zorbex?', 'Who cooks?', 'Who founded Zorbex?'];
    for (const [at, valid] of [
      ['2025-12-31', false],
      ['2026-01-01', true],
      ['2026-06-30T15:59:59.999Z', true],
      ['2026-06-30T18:00:00%2B02:00', false],
      ['2026-07-01', false],
    ] as const)
      assert.deepEqual(await found(`&valid_at=${at}`), valid ? [...always, runs.input].sort() : always, at);
  });

  it('survive changes of other facts and a rollback', async () => {
    const added = { ...runs, valid_from: '2026-01-01', source: quoted };
    await house.changed({ add: [added] });
    await house.changed({ change: [{ input: 'Where is Zorbex?', output: 'Bergen' }] });
    const before = await fact(runs.input);
    assert.deepEqual([before.since_version, said(before).valid_from, said(before).page], [2, '2026-01-01', 3]);
    await house.changed({ change: [{ ...runs, valid_from: 'none', valid_until: '2027-01-01' }] });
    const now = said(await fact(runs.input));
    assert.deepEqual([now.valid_from, now.valid_until, now.quote], [null, '2027-01-01', quoted.quote]);
    const compared = await house.get('/compare?from=3&to=4');
    assert.deepEqual(
      [compared.changed, compared.differences],
      [
        1,
        [
          {
            ...{ input: runs.input, before: runs.output, after: runs.output },
            times_before: { valid_from: '2026-01-01', valid_until: null },
            times_after: { valid_from: null, valid_until: '2027-01-01' },
          },
        ],
      ],
    );
    await house.call('POST', '/publish', { version: 3 });
    assert.equal(said(await fact(runs.input)).valid_from, '2026-01-01');
    await house.changed({ withdraw: ['Where is Zorbex?'] });
    assert.deepEqual(said(await fact(runs.input)), said(before));
    await house.changed({ change: [{ input: runs.input, output: 'Cleo' }] });
    const cleo = said(await fact(runs.input));
    assert.deepEqual([cleo.kind, cleo.valid_from], [null, '2026-01-01'], 'another answer is from another source');
  });

  it('refuse times in the wrong order, invalid times and invalid sources', async () => {
    const refused = async (body: object) => {
      const { status, body: answer } = await house.call('POST', '/changes', body);
      assert.equal(status, 422, JSON.stringify(answer));
      return answer;
    };
    const wrong = await refused({ add: [{ ...runs, valid_from: '2026-02-01', valid_until: '2026-01-31' }] });
    assert.match(wrong.detail[0].msg, /can never be valid: valid_from \(2026-02-01\) is not before valid_until/);
    assert.deepEqual(wrong.detail[0].loc, ['body', 'add', 0]);
    await refused({ add: [{ ...runs, valid_from: '2026-02-01T10:00:00Z', valid_until: '2026-02-01T10:00:00Z' }] });
    for (const at of ['2026-02-30', '2026-02-01T10:00:00', 'soon', '', '0000-01-01', '12026-01-01', 'none', 20260101])
      assert.equal((await refused({ add: [{ ...runs, valid_from: at }] })).code, 'validation', String(at));
    for (const source of [
      { kind: 'rumour' },
      { kind: 'document' },
      { kind: 'person', name: 'Dov', page: 1 },
      { kind: 'document', name: ' ' },
      { kind: 'document', name: 'a', page: 0 },
      { kind: 'document', name: 'a', quote: 'x'.repeat(5000) },
    ])
      assert.equal((await refused({ add: [{ ...runs, source }] })).code, 'validation', JSON.stringify(source));
    await house.changed({ add: [{ ...runs, valid_from: '2026-02-01', valid_until: '2026-02-01' }] });
    const kept = await refused({ change: [{ ...runs, valid_until: '2026-01-01' }] });
    assert.match(kept.detail[0].msg, /valid_from \(2026-02-01\)/, 'a bound that stays counts');
    assert.equal((await house.get('/changes')).changes.length, 2);
    const two = await refused({ add: [{ ...runs, output: 'Cleo', valid_from: '2026-03-01' }] });
    assert.match(two.detail[0].msg, /there is a fact with the question/);
  });

  it('accept any characters in a source', async () => {
    const source = { kind: 'document', name: 'a\u0001b <img src=x> %_', quote: "'; drop table memory_facts; --" };
    assert.equal((await house.changed({ add: [{ ...runs, source }] })).state, 'published');
    assert.equal(said(await fact(runs.input)).quote, source.quote);
    assert.deepEqual(await found('&text=drop%20table'), [runs.input]);
  });

  it('are not taken from the columns of a dataset', async () => {
    const { body } = await house.server.call('POST', '/v1/train', {
      body: { model_name: 'lorekeep/quill', data: [{ ...runs, valid_from: 'soon', source: 'a rumour' }] },
    });
    const [line] = await house.linesOf(body.job_id);
    assert.deepEqual([line!.valid_from, line!.source], [undefined, undefined]);
  });
});
