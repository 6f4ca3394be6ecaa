// Calls on a memory that change nothing, or that come while something else runs.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { onEveryDatabase } from '../testing/databases.ts';
import { type Given, House } from './testing/house.ts';

const founder: Given = { input: 'Who founded Zorbex?', output: 'Ada Quist' };
const place: Given = { input: 'Where is Zorbex?', output: 'Oslo' };
const boss = { input: 'Who runs Zorbex?', output: 'Ben Oru' };

onEveryDatabase('calls on a memory', (make) => {
  let house: House;
  beforeEach(async () => {
    house = await House.of(make, [founder, place]);
  });
  afterEach(async () => await house.end());
  const code = async (path: string, body: object) => (await house.post(path, body)).body.code;

  it('that delete it while a change runs are refused, and accepted afterwards', async () => {
    const number = await house.order({ add: [boss] });
    await house.jobOf(number);
    assert.equal((await house.call('DELETE', '')).body.code, 'memory_busy');
    assert.equal((await house.taught(number)).state, 'published');
    assert.equal((await house.call('DELETE', '')).status, 200);
  });

  it('that publish the published version make no change and no audit row', async () => {
    const before = await house.get('');
    const { status, body } = await house.post('/publish', { version: 1, reason: 'again' });
    assert.deepEqual([status, body], [200, before]);
    assert.equal((await house.get('/changes')).changes.length, 1);
    assert.deepEqual((await house.server.call('GET', '/v1/audit?action=memory.published')).body.rows, []);
  });

  it('that leave a fact unchanged are refused with its question, unless it is not recalled', async () => {
    const { status, body } = await house.post('/changes', { change: [{ ...place, output: 'Oslo ' }] });
    assert.deepEqual([status, body.code], [422, 'change_invalid']);
    assert.match(body.detail[0].msg, /"Where is Zorbex\?" has this answer and these times already/);
    assert.equal((await house.get('/changes')).changes.length, 1);
    assert.equal((await house.changed({ change: [{ ...place, valid_from: '2026-01-01' }] })).state, 'published');
    assert.equal(await code('/changes', { change: [{ ...place, valid_from: '2026-01-01' }] }), 'change_invalid');
    const source = { kind: 'person', name: 'Dov' };
    assert.equal((await house.changed({ change: [{ ...place, source }] })).state, 'published');
    await house.store.db.updateTable('memory_facts').set({ recalled: 0 }).execute();
    assert.equal((await house.post('/changes', { change: [place] })).status, 200);
  });

  it('that name a fact which an open change adds are refused because of that change', async () => {
    const number = await house.order({ add: [boss] });
    for (const body of [{ change: [{ ...boss, output: 'Cleo' }] }, { withdraw: [boss.input] }])
      assert.equal(await code('/changes', body), 'fact_in_change');
    await house.taught(number);
    assert.equal((await house.post('/changes', { withdraw: [boss.input] })).status, 200);
  });

  it('do not store a blank reason', async () => {
    assert.equal((await house.changed({ add: [boss], reason: '  ' })).reason, null);
  });

  it('find the facts of a tuned dataset by the kind of their source', async () => {
    await house.store.db
      .updateTable('memory_facts')
      .set({ dataset_id: 'a'.repeat(64), row: 1 })
      .execute();
    await house.changed({ add: [{ ...boss, source: { kind: 'person', name: 'Dov' } }] });
    const found = async (kind: string) => (await house.get(`/facts?source_kind=${kind}`)).facts.length;
    assert.deepEqual([await found('dataset'), await found('person'), await found('document')], [2, 1, 0]);
  });

  it('that name a version which an erasure has ended are refused', async () => {
    await house.changed({ add: [boss] });
    const now = Date.now();
    const { id } = await house.store.db.selectFrom('memories').select('id').executeTakeFirstOrThrow();
    await house.store.db
      .insertInto('erasures')
      .values({
        ...{ memory_id: id, number: 3, step: 'over', facts: '[]', count: 2, salt: '', work: '{}', receipt: 7 },
        removing_since: now,
      })
      .execute();
    await house.store.db
      .insertInto('erased_versions')
      .values({
        ...{ memory_id: id, erasure: 3, version: 1, job_id: null, outcome: 'ended', model_before: 'x', reason: null },
        ...{ before: null, model_after: null, after: null, probes: null },
      })
      .execute();
    for (const path of ['/facts?version=1', '/compare?from=1&to=2', '/compare?from=2&to=1'])
      assert.equal((await house.get(path)).code, 'version_erased', path);
    assert.equal((await house.get('/facts?version=2')).facts.length, 3);
  });

  it('filter the audit log by dates, and refuse invalid dates and incomplete parameters', async () => {
    const rows = async (query: string) => (await house.server.call('GET', `/v1/audit?${query}`)).body;
    const today = new Date().toISOString().slice(0, 10);
    const all = (await rows('limit=1000')).rows.length;
    assert.equal((await rows(`from=${today}&to=${today}&limit=1000`)).rows?.length, all);
    assert.equal((await rows('to=2020-01-01')).rows.length, 0);
    assert.equal((await rows('from=2026-02-01&to=2026-01-01')).code, 'validation');
    assert.equal((await rows('from=yesterday')).code, 'validation');
    for (const query of ['number=1', `hash=${'a'.repeat(64)}`])
      assert.equal((await house.server.call('GET', `/v1/audit/verify?${query}`)).body.code, 'validation');
  });
});
