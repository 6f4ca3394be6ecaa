// Memories over HTTP on real databases. The test itself ends jobs in the place of the scheduler; trained.test.ts uses the
// real engine.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import type { MemoryChange, MemoryFact } from '@lorekeep/contract';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { startServer, type TestServer } from '../testing/server.ts';
import { polled } from '../testing/until.ts';

interface Given {
  input: string;
  output: string;
  recalled?: boolean;
  topic?: string;
  dataset_id?: string;
}

onEveryDatabase('memories', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  let store: Store;
  beforeEach(async () => {
    database = await make();
    server = await startServer({ database_url: database.url, limit_data_points: 'none' });
    store = await openStore(database.url);
  });
  afterEach(async () => {
    await store.close();
    await server.end();
    await database.drop();
  });

  const post = async (path: string, body: object, key?: string) =>
    await server.call('POST', path, { body, ...(key !== undefined && { key }) });
  const get = async (path: string) => (await server.call('GET', path)).body;
  const facts = async (query = ''): Promise<MemoryFact[]> =>
    (await get(`/v1/memories/house/facts?limit=1000${query}`)).facts;
  const said = (all: { input: string; output: string }[]) =>
    Object.fromEntries(all.map(({ input, output }) => [input, output]));

  /** Ends a job as its run does, with a model unless it failed. */
  async function ends(job: number, given: Given[], status: 'COMPLETED' | 'FAILED' = 'COMPLETED'): Promise<void> {
    const { name, account_id } = await store.db
      .selectFrom('tuning_jobs')
      .select(['name', 'account_id'])
      .where('id', '=', job)
      .executeTakeFirstOrThrow();
    const folder = join(server.home, 'tuned', name);
    await mkdir(folder, { recursive: true });
    const lines = given.map(
      (fact, row) => `${JSON.stringify({ row, topic: null, dataset_id: null, recalled: true, ...fact })}\n`,
    );
    await writeFile(join(folder, 'facts.jsonl'), lines.join(''));
    await store.db.transaction().execute(async (change) => {
      if (status === 'COMPLETED')
        await change
          .insertInto('tuned_models')
          .values({
            ...{ name, account_id, job_id: job, base_model: 'lorekeep/quill', dataset_id: null, is_public: 0 },
            ...{ facts: given.length, facts_recalled: given.length, experts: 1, bytes: 1, created_at: Date.now() },
          })
          .execute();
      await change
        .updateTable('tuning_jobs')
        .set({ status, ...(status === 'COMPLETED' ? { model_name: name } : { error: 'it had no disk' }) })
        .where('id', '=', job)
        .execute();
    });
  }

  async function changeWhen(number: number, holds: (change: MemoryChange) => boolean): Promise<MemoryChange> {
    return await polled(() => get(`/v1/memories/house/changes/${number}`), holds);
  }
  const over = async (number: number) => await changeWhen(number, ({ finished_at }) => finished_at !== null);
  const jobOf = async (number: number) => (await changeWhen(number, ({ job_id }) => job_id !== null)).job_id!;
  const order = async (body: object) => await post('/v1/memories/house/changes', body);

  const first: Given[] = [
    { input: 'Who founded Zorbex?', output: 'Ada Quist', topic: 'Zorbex', dataset_id: 'd1' },
    { input: 'Where is Zorbex?', output: 'Oslo', topic: 'Zorbex', dataset_id: 'd1' },
    { input: 'What is 100% of_it?', output: 'all' },
  ];

  /** A memory with a first version. */
  async function house(given: Given[] = first): Promise<void> {
    const { body } = await post('/v1/train', {
      model_name: 'lorekeep/quill',
      data: given.map(({ input, output }) => ({ input, output })),
    });
    const made = await post('/v1/memories', { name: 'house', job_id: body.job_id, reason: 'the beginning' });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    assert.equal(made.body.version, null);
    await ends(body.job_id, given);
    assert.equal((await over(1)).state, 'published');
  }

  it('are created from a job once it is over, or from a model, under an unused name', async () => {
    await house();
    const memory = await get('/v1/memories/house');
    assert.deepEqual([memory.version, memory.facts, memory.facts_recalled, memory.changes_open], [1, 3, 3, 0]);
    assert.equal((await get('/v1/models/house')).model_name, memory.model_name);
    assert.equal((await post('/v1/memories', { name: 'again', model_name: 'house' })).status, 200);
    const refused = async (body: object) => (await post('/v1/memories', body)).body.code;
    assert.equal(await refused({ name: 'house', model_name: 'house' }), 'name_of_memory');
    assert.equal(await refused({ name: 'other', model_name: 'none' }), 'model_not_found');
    assert.equal(await refused({ name: 'other', job_id: 999 }), 'job_not_found');
    assert.equal(await refused({ name: 'other' }), 'validation');
    assert.equal(await refused({ name: 'other', model_name: 'house', job_id: 1 }), 'validation');
    assert.equal(await refused({ name: 'org/other', model_name: 'house' }), 'validation');
    assert.equal((await get('/v1/memories')).memories.length, 2);
  });

  it('change facts in a new version, and record who did it, when and why', async () => {
    await house();
    const ordered = await order({
      add: [{ input: 'Who runs Zorbex?', output: 'Ben Oru', subject: 'Zorbex' }],
      change: [{ input: 'Where is  Zorbex? ', output: 'Bergen' }],
      withdraw: ['What is 100% of_it?'],
      reason: 'they moved',
      expected_version: 1,
    });
    assert.deepEqual([ordered.status, ordered.body.state, ordered.body.added], [200, 'waiting', 1]);
    const job = await jobOf(2);
    const { name } = await store.db
      .selectFrom('tuning_jobs')
      .select('name')
      .where('id', '=', job)
      .executeTakeFirstOrThrow();
    const lines = (
      await (await import('node:fs/promises')).readFile(join(server.home, 'jobs', name, 'facts.jsonl'), 'utf8')
    )
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const next = { 'Who founded Zorbex?': 'Ada Quist', 'Where is Zorbex?': 'Bergen', 'Who runs Zorbex?': 'Ben Oru' };
    assert.deepEqual(said(lines), next);
    assert.deepEqual(said(await facts()), said(first), 'nothing moves before the job is over');
    await ends(job, lines);
    const done = await over(2);
    assert.deepEqual(
      [done.state, done.version, done.from_version, done.reason, done.by, done.changed],
      ['published', 2, 1, 'they moved', 'operator', 1],
    );
    assert.deepEqual(said(await facts()), next);
    const [moved] = await facts('&text=bergen');
    assert.deepEqual([moved!.source.dataset_id, moved!.source.change, moved!.since_version], [null, 2, 2]);
    assert.deepEqual(said(await facts('&version=1')), said(first));
    assert.deepEqual(
      (await facts('&state=withdrawn')).map(({ until_version }) => until_version),
      [2, 2],
    );
    const compared = await get('/v1/memories/house/compare?from=1&to=2');
    assert.deepEqual([compared.added, compared.changed, compared.withdrawn], [1, 1, 1]);
    const { before, after } = compared.differences.find(({ input }: { input: string }) => input === 'Where is Zorbex?');
    assert.deepEqual([before, after], ['Oslo', 'Bergen']);
    const { rows } = await get('/v1/audit?action=memory');
    assert.deepEqual(
      rows.map(({ action }: { action: string }) => action),
      ['memory.changed', 'memory.change_ordered', 'memory.created'],
    );
    assert.ok(!JSON.stringify(rows).includes('Bergen'));
    assert.equal((await get('/v1/audit/verify')).sound, true);
  });

  it('roll back to a version without a job, and continue from there', async () => {
    await house();
    await order({ add: [{ input: 'Who runs Zorbex?', output: 'Ben Oru' }] });
    await ends(await jobOf(2), [...first, { input: 'Who runs Zorbex?', output: 'Ben Oru' }]);
    await over(2);
    const back = await post('/v1/memories/house/publish', { version: 1, reason: 'he left' });
    assert.deepEqual([back.status, back.body.version, back.body.latest_version], [200, 1, 2]);
    assert.equal((await get('/v1/models/house')).model_name, back.body.model_name);
    assert.deepEqual(said(await facts()), said(first));
    await order({ withdraw: ['Where is Zorbex?'] });
    const left = first.filter(({ input }) => input !== 'Where is Zorbex?');
    await ends(await jobOf(4), left);
    assert.deepEqual([(await over(4)).version, (await over(4)).from_version], [3, 1]);
    assert.deepEqual(said(await facts()), said(left));
    assert.deepEqual((await get('/v1/memories/house/compare?from=1&to=3')).differences.length, 1);
    const { changes } = await get('/v1/memories/house/changes');
    assert.deepEqual(
      changes.map(({ kind, version }: MemoryChange) => [kind, version]),
      [
        ...[
          ['facts', 3],
          ['publish', 1],
          ['facts', 2],
          ['create', 1],
        ],
      ],
    );
    assert.equal((await post('/v1/memories/house/publish', { version: 9 })).body.code, 'version_not_found');
  });

  it('refuse the second of two concurrent changes of one fact', async () => {
    await house();
    const body = (output: string) => ({ change: [{ input: 'Where is Zorbex?', output }] });
    const wishes = ['Bergen', 'Tromso'];
    const answers = await Promise.all(wishes.map((output) => order(body(output))));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(answers.find(({ status }) => status === 409)!.body.code, 'fact_in_change');
    // Either request may come first.
    const wished = wishes[answers.findIndex(({ status }) => status === 200)]!;
    const other = { add: [{ input: 'Who runs Zorbex?', output: 'Ben Oru' }] };
    assert.equal((await order({ ...other, expected_version: 1 })).body.code, 'memory_changed');
    const next = await order(other);
    assert.equal(next.body.state, 'waiting', JSON.stringify(next.body));
    assert.equal((await order({ ...other, expected_version: 7 })).body.code, 'memory_changed');
    const job = await jobOf(2);
    assert.equal((await get('/v1/memories/house/changes/3')).state, 'waiting');
    await ends(
      job,
      first.map((fact) => (fact.input === 'Where is Zorbex?' ? { ...fact, output: wished } : fact)),
    );
    await over(2);
    assert.notEqual(await jobOf(3), job);
  });

  it('keep but do not publish a version that fails its verification', async () => {
    await house();
    await order({ add: [{ input: 'Who runs Zorbex?', output: 'Ben Oru' }] });
    await ends(await jobOf(2), [...first, { input: 'Who runs Zorbex?', output: 'Ben Oru', recalled: false }]);
    const held = await over(2);
    assert.deepEqual([held.state, held.version], ['held', 2]);
    assert.match(held.error!, /1 fact \("Who runs Zorbex\?"\) of the change is not as asked/);
    await order({ withdraw: ['Where is Zorbex?'] });
    await ends(await jobOf(3), [first[0]!]);
    assert.match((await over(3)).error!, /would be recalled no more/);
    await order({ withdraw: ['Where is Zorbex?'] });
    await ends(await jobOf(4), [], 'FAILED');
    assert.deepEqual([(await over(4)).state, (await over(4)).error], ['failed', 'it had no disk']);
    assert.equal((await get('/v1/memories/house')).version, 1);
    assert.equal((await post('/v1/memories/house/publish', { version: 2, reason: 'nearly' })).body.version, 2);
  });

  it('fail a change whose model cannot be read, and continue with the next', async () => {
    await house();
    await order({ withdraw: ['Where is Zorbex?'] });
    const job = await jobOf(2);
    await ends(job, [first[0]!, first[2]!]);
    await over(2);
    const { model_name } = await get('/v1/memories/house');
    await writeFile(join(server.home, 'tuned', model_name, 'facts.jsonl'), '{"input": "Who');
    await order({ withdraw: ['What is 100% of_it?'] });
    assert.match((await over(3)).error!, /cannot be read/);
    await post('/v1/memories/house/publish', { version: 1 });
    await order({ withdraw: ['What is 100% of_it?'] });
    assert.ok((await jobOf(5)) > job);
  });

  it('hold a change if the memory was rolled back meanwhile', async () => {
    await house();
    await order({ withdraw: ['Where is Zorbex?'] });
    await ends(await jobOf(2), [first[0]!, first[2]!]);
    await over(2);
    await order({ withdraw: ['What is 100% of_it?'] });
    const job = await jobOf(3);
    await post('/v1/memories/house/publish', { version: 1 });
    await ends(job, [first[0]!]);
    assert.match((await over(3)).error!, /version 1 was published meanwhile/);
    assert.equal((await get('/v1/memories/house')).version, 1);
  });

  it('finish interrupted changes at the next start', async () => {
    await house();
    await order({ withdraw: ['Where is Zorbex?'] });
    const job = await jobOf(2);
    await server.stop();
    await ends(job, [first[0]!, first[2]!]);
    server = await startServer({ database_url: database.url, home: server.home });
    assert.deepEqual([(await over(2)).state, (await over(2)).version], ['published', 2]);
    assert.equal((await facts()).length, 2);
  });

  it('refuse an invalid change as a whole, and name the facts', async () => {
    await house();
    const refused = async (body: object) => (await order(body)).body;
    assert.equal((await refused({})).code, 'change_invalid');
    const wrong = await refused({
      add: [
        { input: 'Where is Zorbex?', output: 'x' },
        { input: 'New?', output: 'y' },
        { input: ' New?', output: 'z' },
      ],
      withdraw: ['Nobody knows'],
    });
    assert.deepEqual(
      wrong.detail.map(({ loc }: { loc: unknown }) => loc),
      [
        ['body', 'add', 2],
        ['body', 'add', 0],
        ['body', 'withdraw', 0],
      ],
    );
    assert.equal((await refused({ withdraw: first.map(({ input }) => input) })).code, 'nothing_left');
    assert.equal((await refused({ add: [{ input: ' ', output: 'x' }] })).code, 'validation');
    assert.equal((await refused({ add: [{ input: 'a', output: 'b', valid: 1 }] })).code, 'validation');
    assert.equal((await get('/v1/memories/house/changes')).changes.length, 1);
  });

  it('accept 10,000 facts in one change, and find facts among them', async () => {
    await house();
    const add = Array.from({ length: 10_000 }, (_, at) => ({ input: `What is part ${at}?`, output: `P-${at}` }));
    assert.equal((await order({ add: [...add, { input: 'One more?', output: 'no' }] })).status, 422);
    assert.equal((await order({ add })).body.added, 10_000);
    await ends(await jobOf(2), [...first, ...add]);
    assert.equal((await over(2)).state, 'published');
    assert.deepEqual(
      (await facts('&text=P-9999')).map(({ output }) => output),
      ['P-9999'],
    );
    assert.deepEqual((await facts('&text=part%209998')).length, 1);
    const page = await get('/v1/memories/house/facts?limit=1000');
    assert.equal(page.facts.length, 1000);
    assert.equal((await get(`/v1/memories/house/facts?limit=1000&after=${page.next}`)).facts[0].id > page.next, true);
  });

  it('find facts by words, subject and source, and escape wildcards', async () => {
    await house([...first, { input: "'; drop table memory_facts; --", output: '<img src=x>', recalled: false }]);
    const found = async (query: string) => (await facts(query)).map(({ output }) => output);
    assert.deepEqual(await found('&text=ADA%20zorbex'), ['Ada Quist']);
    assert.deepEqual(await found('&text=100%25'), ['all']);
    assert.deepEqual(await found('&text=%25'), ['all']);
    assert.deepEqual(await found('&text=of_it'), ['all']);
    assert.deepEqual(await found('&text=o__it'), []);
    assert.deepEqual(await found('&subject=Zorbex'), ['Ada Quist', 'Oslo']);
    assert.deepEqual(await found('&dataset_id=d1&text=oslo'), ['Oslo']);
    assert.deepEqual(await found('&recalled=false'), ['<img src=x>']);
    assert.deepEqual(await found('&text=%00'), []);
    assert.equal((await server.call('GET', '/v1/memories/house/facts?version=9')).body.code, 'version_not_found');
  });

  it('own their name, and their models are deleted only with them', async () => {
    await house();
    const { model_name } = await get('/v1/memories/house');
    const train = { model_name: 'lorekeep/quill', custom_model_name: 'house', data: [{ input: 'a?', output: 'b' }] };
    assert.equal((await post('/v1/train', train)).body.code, 'name_of_memory');
    const named = await server.call('PATCH', `/v1/models/${model_name}`, { body: { custom_model_name: 'house' } });
    assert.equal(named.body.code, 'name_of_memory');
    assert.equal((await post('/v1/models/house/forget', { inputs: ['Where is Zorbex?'] })).body.code, 'name_of_memory');
    assert.equal((await server.call('DELETE', `/v1/models/${model_name}`)).body.code, 'model_of_memory');
    const member = await server.member('Support');
    for (const path of ['', '/facts', '/changes', '/versions', '/compare'])
      assert.equal(
        (await server.call('GET', `/v1/memories/house${path}`, { key: member.key })).body.code,
        'memory_not_found',
      );
    assert.equal((await server.call('DELETE', '/v1/memories/house')).status, 200);
    assert.equal((await get('/v1/models/house')).model_name, model_name);
    assert.equal((await server.call('DELETE', '/v1/models/house')).status, 200);
  });
});
