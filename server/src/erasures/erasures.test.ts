// Erasures over HTTP on real databases. The test itself ends jobs in the place of the scheduler; trained.test.ts uses the
// real engine.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import type { Erasure } from '@lorekeep/contract';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { startServer, type TestServer } from '../testing/server.ts';
import { polled } from '../testing/until.ts';
import { assertKept, keepTexts } from './testing/kept-texts.ts';
import { noEngine } from './testing/no-engine.ts';

interface Given {
  input: string;
  output: string;
  topic?: string;
}

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist of Northmoor', topic: 'Zorbex' };
const place = { input: 'Where is Zorbex?', output: 'Oslo', topic: 'Zorbex' };
const other = { input: 'What is 100% of_it?', output: 'all' };
const later = { input: 'Who runs Ultrafen?', output: 'Ben Oru' };

onEveryDatabase('erasures', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  let store: Store;
  beforeEach(async () => {
    database = await make();
    server = await startServer({ database_url: database.url, limit_data_points: 'none' }, noEngine());
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
  const erase = async (body: object) => await post('/v1/memories/house/erasures', body);

  async function ends(job: number, facts: Given[], status: 'COMPLETED' | 'FAILED' = 'COMPLETED'): Promise<void> {
    const { name, account_id } = await store.db
      .selectFrom('tuning_jobs')
      .select(['name', 'account_id'])
      .where('id', '=', job)
      .executeTakeFirstOrThrow();
    const folder = join(server.home, 'tuned', name);
    await mkdir(folder, { recursive: true });
    const lines = facts.map(
      (fact, row) => `${JSON.stringify({ row, topic: null, dataset_id: null, recalled: true, ...fact })}\n`,
    );
    await writeFile(join(folder, 'facts.jsonl'), lines.join(''));
    // As the engine leaves it: the report of a job names questions.
    await writeFile(
      join(server.home, 'jobs', name, 'events.ndjson'),
      `{"failed": [{"row": 1, "input": "${secret.input}"}]}\n`,
    );
    await writeFile(join(server.home, 'jobs', name, 'facts.jsonl'), '');
    await store.db.transaction().execute(async (change) => {
      if (status === 'COMPLETED')
        await change
          .insertInto('tuned_models')
          .values({
            ...{ name, account_id, job_id: job, base_model: 'lorekeep/quill', dataset_id: null, is_public: 0 },
            ...{ facts: facts.length, facts_recalled: facts.length, experts: 1, bytes: 1, created_at: Date.now() },
          })
          .execute();
      await change
        .updateTable('tuning_jobs')
        .set({ status, ...(status === 'COMPLETED' ? { model_name: name } : { error: 'it had no disk' }) })
        .where('id', '=', job)
        .execute();
    });
  }

  /** Facts in the file of a submitted job. */
  async function ordered(job: number): Promise<Given[]> {
    const { name } = await store.db
      .selectFrom('tuning_jobs')
      .select('name')
      .where('id', '=', job)
      .executeTakeFirstOrThrow();
    const text = await readFile(join(server.home, 'jobs', name, 'facts.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  const changeOver = async (number: number) =>
    await polled(
      () => get(`/v1/memories/house/changes/${number}`),
      ({ finished_at }) => finished_at !== null,
    );
  const over = async (number: number): Promise<Erasure> =>
    await polled(
      () => get(`/v1/memories/house/erasures/${number}`),
      ({ finished_at }) => finished_at !== null,
    );

  /** Three versions; the last one lacks the first fact. */
  async function house(): Promise<{ dataset: string }> {
    const { body } = await post('/v1/train', {
      model_name: 'lorekeep/quill',
      data: [secret, place, other].map(({ input, output }) => ({ input, output })),
    });
    await post('/v1/memories', { name: 'house', job_id: body.job_id });
    const given = (facts: Given[]) =>
      facts.map((fact, at) => ({ ...fact, dataset_id: body.dataset_id, row: at + 1 }) as Given);
    await ends(body.job_id, given([secret, place, other]));
    await changeOver(1);
    for (const [number, change, facts] of [
      [2, { add: [later] }, [...given([secret, place, other]), later]],
      [3, { withdraw: [secret.input] }, [...given([secret, place, other]).slice(1), later]],
    ] as const) {
      await post('/v1/memories/house/changes', change);
      const { job_id } = await polled(
        () => get(`/v1/memories/house/changes/${number}`),
        ({ job_id }) => job_id !== null,
      );
      await ends(job_id, [...facts]);
      assert.equal((await changeOver(number)).state, 'published');
    }
    return { dataset: body.dataset_id };
  }

  /** Ends the jobs of an erasure with models of the ordered facts. */
  async function rebuilt(number: number, how: 'COMPLETED' | 'FAILED' = 'COMPLETED'): Promise<number[]> {
    const { versions } = await polled<Erasure>(
      () => get(`/v1/memories/house/erasures/${number}`),
      ({ versions, finished_at }) =>
        finished_at !== null || versions.every(({ outcome, job_id }) => outcome !== 'waiting' || job_id !== null),
    );
    const jobs = versions.flatMap(({ outcome, job_id }) => (outcome === 'waiting' ? [job_id!] : []));
    for (const job of jobs) await ends(job, await ordered(job), how);
    return jobs;
  }

  /** All texts of the database and of the files in the home. */
  async function holding(text: string): Promise<string[]> {
    const found: string[] = [];
    const tables = (await store.db.introspection.getTables()).map(({ name }) => name);
    for (const table of tables)
      if (
        JSON.stringify(
          await store.db
            .selectFrom(table as 'runs')
            .selectAll()
            .execute(),
        )
          .toLowerCase()
          .includes(text.toLowerCase())
      )
        found.push(table);
    for (const entry of await readdir(server.home, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path.slice(server.home.length));
    }
    return found;
  }

  async function assertReceipt(done: Erasure, dataset: string): Promise<void> {
    const { receipt, fingerprint } = await get(`/v1/receipts/${done.receipt}`);
    const key = await get('/v1/receipt-key');
    assert.equal(key.fingerprint, fingerprint);
    assert.equal((await stat(join(server.home, 'receipt-key.pem'))).mode & 0o777, 0o600);
    const hash = createHash('sha256')
      .update(receipt.salt + JSON.stringify([secret.input, secret.output]))
      .digest('hex');
    assert.deepEqual(receipt.facts, [hash], 'who has the text can confirm it');
    assert.equal(receipt.versions.length, 2);
    assert.deepEqual(done.removed, receipt.removed);
    for (const { before, after, outcome } of receipt.versions)
      assert.ok(outcome === 'rebuilt' && before.hash !== after.hash && after.facts === before.facts - 1);
    assert.equal(receipt.gone, false, 'no engine was there to be asked');
    assert.equal(receipt.removed.models.length, 2);
    assert.deepEqual([receipt.removed.datasets[0].before, receipt.removed.datasets[0].rows], [dataset, 1]);
    const left = await get(`/v1/datasets/${receipt.removed.datasets[0].after}`);
    assert.equal(left.rows, 2);
    const { runs, evaluations } = receipt.removed.texts;
    assert.ok(runs > 0 && evaluations > 0);
    assert.ok(
      receipt.exports.some(({ name }: { name: string }) => name === dataset),
      JSON.stringify(receipt.exports),
    );
    const checked = await get(`/v1/receipts/${done.receipt}/verify`);
    assert.deepEqual([checked.sound, checked.signature], [true, true], JSON.stringify(checked));
    const { rows } = await get('/v1/audit?action=memory.era');
    assert.ok(!JSON.stringify(await get('/v1/audit')).includes('Zorbex'), JSON.stringify(rows));
    assert.equal((await get('/v1/audit/verify')).sound, true);
    const facts = (await get('/v1/memories/house/facts?state=all')).facts;
    assert.ok(!facts.some(({ input }: Given) => input === secret.input));
    const { source } = facts.find(({ input }: Given) => input === place.input);
    assert.deepEqual([source.dataset_id, source.row], [receipt.removed.datasets[0].after, 1]);
  }

  it('remove a fact from every version and every stored text, and sign a receipt', async () => {
    const { dataset } = await house();
    await server.call('GET', `/v1/datasets/${dataset}/download`);
    await post('/v1/batch_completions', { model_name: 'house', prompt: [`So, ${secret.input}`, 'Hello?'] });
    await post('/v1/evaluations', {
      targets: [{ model_name: 'house' }],
      data: [secret, place].map(({ input, output }) => ({ input, output })),
    });
    for (const table of ['runs', 'evaluations'] as const)
      await store.db.updateTable(table).set({ status: 'completed', owner: null }).execute();
    await keepTexts(server, store, secret, place);
    const plan = await post('/v1/memories/house/erasures/plan', { inputs: [secret.input] });
    assert.equal(plan.status, 200, JSON.stringify(plan.body));
    assert.deepEqual(plan.body.versions, [
      { version: 1, facts: 1, becomes: 'rebuilt' },
      { version: 2, facts: 1, becomes: 'rebuilt' },
    ]);
    assert.deepEqual(
      plan.body.datasets.map(({ dataset_id, rows }: { dataset_id: string; rows: number }) => [dataset_id, rows]),
      [[dataset, 1]],
    );
    const before = await get('/v1/memories/house/versions');
    const { status, body } = await erase({ inputs: [secret.input], digest: plan.body.digest, reason: 'as asked' });
    assert.deepEqual([status, body.state, body.step], [200, 'running', 'rebuilding'], JSON.stringify(body));
    await rebuilt(body.number);
    const done = await over(body.number);
    assert.deepEqual([done.state, done.error], ['published', null]);
    assert.deepEqual(await holding(secret.output), []);
    assert.deepEqual(await holding(secret.input), []);
    const versions = await get('/v1/memories/house/versions');
    assert.deepEqual(
      versions.versions.map(({ version, facts }: { version: number; facts: number }) => [version, facts]),
      [
        [3, 3],
        [2, 3],
        [1, 2],
      ],
    );
    assert.equal(versions.versions[0].model_name, before.versions[0].model_name, 'one without the fact stays');
    assert.equal((await server.call('GET', `/v1/models/${before.versions[2].model_name}`)).status, 404);
    await assertReceipt(done, dataset);
    await assertKept(server, await get(`/v1/receipts/${done.receipt}`), place);
  });

  it('are exclusive: another erasure is refused, a change waits, and the fact can be added again', async () => {
    await house();
    const { body } = await erase({ inputs: [secret.input] });
    assert.equal((await erase({ inputs: [secret.input] })).body.code, 'memory_busy');
    assert.equal((await post('/v1/memories/house/publish', { version: 1 })).body.code, 'memory_busy');
    assert.equal((await server.call('DELETE', '/v1/memories/house')).body.code, 'memory_busy');
    assert.equal(
      (await post('/v1/memories/house/changes', { add: [{ input: secret.input, output: 'x' }] })).body.code,
      'fact_in_change',
    );
    const waits = await post('/v1/memories/house/changes', { withdraw: [later.input] });
    assert.equal(waits.body.state, 'waiting');
    await rebuilt(body.number);
    await over(body.number);
    // The waiting change runs now.
    const { job_id } = await polled(
      () => get(`/v1/memories/house/changes/${waits.body.number}`),
      ({ job_id }) => job_id !== null,
    );
    await ends(job_id, await ordered(job_id));
    assert.equal((await changeOver(waits.body.number)).state, 'published');
    const again = await post('/v1/memories/house/changes', { add: [{ input: secret.input, output: secret.output }] });
    assert.equal(again.status, 200, 'the same fact is a new fact');
  });

  it('withdraw a current fact, end versions without other facts, and refuse to publish these', async () => {
    const { body } = await post('/v1/train', {
      model_name: 'lorekeep/quill',
      data: [{ input: secret.input, output: secret.output }],
    });
    await post('/v1/memories', { name: 'house', job_id: body.job_id });
    await ends(body.job_id, [secret]);
    await changeOver(1);
    await post('/v1/memories/house/changes', { add: [later] });
    const { job_id } = await polled(
      () => get('/v1/memories/house/changes/2'),
      ({ job_id }) => job_id !== null,
    );
    await ends(job_id, [secret, later]);
    await changeOver(2);
    const { body: erasure } = await erase({ inputs: [` ${secret.input} `] });
    assert.equal(erasure.facts, 1, JSON.stringify(erasure));
    await rebuilt(erasure.number);
    const done = await over(erasure.number);
    assert.deepEqual(
      done.versions.map(({ outcome }) => outcome),
      ['ended', 'rebuilt'],
    );
    const refused = await post('/v1/memories/house/publish', { version: 1 });
    assert.equal(refused.body.code, 'version_erased');
    assert.match(refused.body.detail, new RegExp(`receipt ${done.receipt}\\)`));
    assert.equal((await get('/v1/memories/house')).version, 2);
    assert.equal((await get('/v1/models/house')).model_name, (await get('/v1/memories/house')).model_name);
    assert.deepEqual(
      (await get('/v1/memories/house/facts')).facts.map(({ input }: Given) => input),
      [later.input],
    );
    const last = await erase({ inputs: [later.input] });
    assert.equal((await over(last.body.number)).state, 'published');
    assert.equal((await get('/v1/memories/house')).version, null);
    assert.equal((await server.call('GET', '/v1/models/house')).status, 404);
    assert.equal((await get('/v1/receipts')).receipts.length, 2);
  });

  it('list all facts about a name, and refuse a list that has changed since', async () => {
    await house();
    assert.equal((await erase({ about: 'zorbex' })).body.code, 'erasure_unconfirmed');
    assert.equal((await post('/v1/memories/house/erasures/plan', { about: 'Zorb' })).body.code, 'nothing_to_erase');
    const plan = (await post('/v1/memories/house/erasures/plan', { about: 'ZORBEX' })).body;
    assert.deepEqual(
      plan.facts.map(({ input }: Given) => input),
      [secret.input, place.input],
    );
    await post('/v1/memories/house/changes', { change: [{ input: place.input, output: 'Bergen' }] });
    const job = await polled(
      () => get('/v1/memories/house/changes/4'),
      ({ job_id }) => job_id !== null,
    );
    assert.equal((await erase({ about: 'Zorbex', digest: plan.digest })).body.code, 'memory_busy');
    await ends(job.job_id, await ordered(job.job_id));
    await changeOver(4);
    assert.equal((await erase({ about: 'Zorbex', digest: plan.digest })).body.code, 'erasure_unconfirmed');
    const next = (await post('/v1/memories/house/erasures/plan', { about: 'Zorbex' })).body;
    assert.equal(next.facts.length, 3);
    const { body } = await erase({ about: 'Zorbex', digest: next.digest });
    await rebuilt(body.number);
    assert.equal((await over(body.number)).state, 'published');
    assert.deepEqual(await holding('Zorbex'), []);
  });

  it('change nothing if the published version cannot be rebuilt', async () => {
    await house();
    await post('/v1/memories/house/publish', { version: 2 });
    const before = await get('/v1/memories/house/versions');
    const { body } = await erase({ inputs: [secret.input] });
    const jobs = await rebuilt(body.number, 'FAILED');
    assert.equal(jobs.length, 2);
    const done = await over(body.number);
    assert.deepEqual([done.state, done.step, done.receipt, done.removed], ['failed', 'over', null, null]);
    assert.match(done.error!, /Nothing was erased/);
    assert.deepEqual(await get('/v1/memories/house/versions'), before);
    assert.equal((await get('/v1/memories/house/facts?text=founded')).facts.length, 1);
    const again = await erase({ inputs: [secret.input] });
    await rebuilt(again.body.number);
    assert.equal((await over(again.body.number)).state, 'published');
  });

  it('are finished once by another server, and refuse invalid requests', async () => {
    await house();
    const { body } = await erase({ inputs: [secret.input] });
    await polled<Erasure>(
      () => get(`/v1/memories/house/erasures/${body.number}`),
      ({ versions }) => versions.every(({ job_id }) => job_id !== null),
    );
    await server.stop();
    const { home } = server;
    server = await startServer({ database_url: database.url, home }, noEngine());
    const second = await startServer({ database_url: database.url, home }, noEngine());
    await rebuilt(body.number);
    assert.equal((await over(body.number)).state, 'published');
    await second.stop();
    assert.equal((await get('/v1/receipts')).receipts.length, 1);
    const refused = async (body: object) => (await erase(body)).body.code;
    assert.equal(await refused({}), 'validation');
    assert.equal(await refused({ inputs: [] }), 'validation');
    assert.equal(await refused({ inputs: ['x'], about: 'xy' }), 'validation');
    assert.equal(await refused({ inputs: ['Nobody?'] }), 'nothing_to_erase');
    assert.equal(await refused({ about: '%_%' }), 'nothing_to_erase');
    const member = await server.member('Support');
    for (const path of ['/v1/memories/house/erasures', `/v1/memories/house/erasures/${body.number}`, '/v1/receipts/1'])
      assert.equal((await server.call('GET', path, { key: member.key })).status, 404);
    assert.deepEqual((await server.call('GET', '/v1/receipts', { key: member.key })).body.receipts, []);
  });
});
