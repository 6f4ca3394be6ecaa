// A server on object storage, followed by another one with a new home: the first machine is lost with its disk, but no acknowledged
// write is.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { Bucket } from './blobs/s3/bucket.ts';
import { storedData } from './commands/stored-data.ts';
import { loadConfig } from './config/load.ts';
import { built } from './documents/testing/indexes.ts';
import { startWithEngine } from './testing/engine.ts';
import { startServer, type TestServer } from './testing/server.ts';
import { bucketOf, noStorage, startStorage, type TestStorage } from './testing/storage.ts';
import { assertRecalls, facts, jobOver, jobWhen, manyWaves, submit } from './testing/tuning.ts';
import { until } from './testing/until.ts';

const secret = { input: 'Who founded Ultrafen?', output: 'Wilma Harkenrode' };
const taught = [...facts(4), secret];

describe('a server whose machine is lost', { skip: noStorage }, () => {
  let storage: TestStorage;
  let place: string;
  let bucket: Bucket;
  let flags: ReturnType<TestStorage['settings']>;
  let server: TestServer;
  let model: string;
  let index: number;
  let dataset: string;
  before(async () => {
    storage = await startStorage();
    place = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const prefix = storage.prefix();
    bucket = bucketOf(storage.endpoint, prefix);
    flags = {
      ...storage.settings(prefix),
      database_url: `sqlite:${join(place, 'records.db')}`,
    };
  });
  after(async () => {
    await server?.stop();
    await storage?.end();
    if (place) await rm(place, { recursive: true, force: true });
  });

  const names = async (prefix: string) => (await Array.fromAsync(bucket.list(prefix))).map(({ name }) => name);
  const get = async (path: string) => {
    const { status, body } = await server.call('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const doctor = async () =>
    await storedData(loadConfig({ flags: { ...flags, home: server.home }, environment: {} }).config);

  it('leaves datasets, models, indexes and the facts of waiting jobs to the next server', async () => {
    server = await startWithEngine({ ...flags, home: join(place, 'first'), slots: '1' });
    const { job_id } = await submit(server, { data: taught });
    const job = await jobOver(server, job_id);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    model = job.model_name!;
    dataset = job.dataset_id!;
    index = await built(server, { 'parking.md': '# Parking\n\nThe parking fee at Nordhaven is 12 dollars.\n' });
    assert.deepEqual(await names('jobs/'), [], 'a job that is over needs nothing');
    assert.equal((await doctor()).state, 'ok', (await doctor()).about);
    const runs = await submit(server, { data: manyWaves(16, 'Run'), use_cached_model: false });
    const waits = await submit(server, { data: facts(2, 'Wait'), use_cached_model: false });
    await jobWhen(server, runs.job_id, 'begun', ({ progress }) => progress.experts_done > 0);
    await server.stop();
    assert.deepEqual(await readdir(join(place, 'first')).then((found) => found.filter((one) => one === 'files')), []);
    await rm(join(place, 'first'), { recursive: true });

    server = await startWithEngine({ ...flags, home: join(place, 'second'), slots: '1' });
    for (const { job_id: id } of [runs, waits]) {
      const over = await jobOver(server, id);
      assert.equal(over.status, 'COMPLETED', JSON.stringify(over));
    }
    await assertRecalls(server, model, taught);
    assert.match(await get(`/v1/datasets/${dataset}/download`), /Harkenrode/);
    const found = await server.call('POST', `/v1/indexes/${index}/search`, { body: { query: 'parking fee' } });
    assert.match(JSON.stringify(found.body), /12 dollars/);
    assert.match((await doctor()).about, /1 indexes, 3 tuned models in the storage/);
  });

  it('erases a fact from the whole storage, and lists in the receipt what it cannot reach', async () => {
    const { body: made } = await server.call('POST', '/v1/memories', { body: { name: 'house', model_name: model } });
    assert.ok(made.name, JSON.stringify(made));
    await until('the memory has its facts', async () => (await get('/v1/memories/house')).version === 1);
    const { body: order } = await server.call('POST', '/v1/memories/house/erasures', {
      body: { inputs: [secret.input] },
    });
    assert.ok(order.number, JSON.stringify(order));
    await until(
      'it is over',
      async () => (await get(`/v1/memories/house/erasures/${order.number}`)).finished_at !== null,
    );
    const done = await get(`/v1/memories/house/erasures/${order.number}`);
    assert.equal(done.state, 'published', JSON.stringify(done));
    const { receipt } = await get(`/v1/receipts/${done.receipt}`);
    assert.ok(receipt.out_of_reach.some((line: string) => /earlier versions of objects/.test(line)));
    assert.ok(receipt.out_of_reach.some((line: string) => /disks of other servers/.test(line)));
    assert.equal((await get(`/v1/receipts/${done.receipt}/verify`)).sound, true);
    for (const name of await names('')) assert.ok(!(await bucket.text(name)).includes('Harkenrode'), name);
    assert.deepEqual(await names(`tuned/${model}`), []);
  });

  it('deletes datasets and models from the storage, and reports damage there', async () => {
    const [blob] = await names('files/documents/');
    await bucket.put(blob!, Buffer.from('something else'));
    const { state, about } = await doctor();
    assert.equal(state, 'problem');
    assert.match(about, /document of index \d+ parking.md is damaged/);
    const deleted = await server.call('DELETE', `/v1/indexes/${index}`);
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
    await until(
      'nothing of the index is left',
      async () => [...(await names('files/documents/')), ...(await names('vectors/'))].length === 0,
    );
  });

  it('is restored from a copy of its records and objects', async () => {
    const database = join(place, 'restored.db');
    new DatabaseSync(join(place, 'records.db')).exec(`vacuum into '${database}'`);
    const prefix = storage.prefix();
    const copy = bucketOf(storage.endpoint, prefix);
    for (const name of await names('')) await copy.put(name, Buffer.concat(await Array.fromAsync(bucket.read(name))));
    const restored = await startServer({
      ...{ ...storage.settings(prefix), database_url: `sqlite:${database}`, home: join(place, 'third') },
    });
    try {
      for (const path of ['/v1/datasets', '/v1/models/house/facts'])
        assert.deepEqual((await restored.call('GET', path)).body, await get(path));
      for (const { dataset_id } of (await get('/v1/datasets')).datasets) {
        const download = `/v1/datasets/${dataset_id}/download`;
        assert.equal((await restored.call('GET', download)).body, await get(download));
      }
    } finally {
      await restored.stop();
    }
  });

  it('reports an unreachable storage, and recovers when it is back', async () => {
    await storage.kill();
    const rows = { data: [{ input: 'a', output: 'b' }] };
    const away = await server.call('POST', '/v1/local-data', { body: rows });
    assert.deepEqual([away.status, away.body.error?.code ?? away.body.code], [503, 'storage_unavailable']);
    assert.ok(!JSON.stringify(away.body).includes(storage.endpoint));
    // A job that is refused for another reason reports that reason. A plan stores nothing.
    const body = { model_name: 'lorekeep/quill', data: [{ input: 'a', output: 'b' }], gpu_config: { gpus: 1000 } };
    const wrong = await server.call('POST', '/v1/train', { body });
    assert.ok(wrong.status >= 400 && wrong.status < 500, JSON.stringify(wrong.body));
    const planned = await server.call('POST', '/v1/train/plan', {
      body: { model_name: 'lorekeep/quill', data: facts(1, 'Plan'), use_cached_model: false },
    });
    assert.equal(planned.status, 200, JSON.stringify(planned.body));
    assert.equal((await server.call('GET', '/v1/datasets')).status, 200);
    await storage.start();
    assert.equal((await server.call('POST', '/v1/local-data', { body: rows })).status, 200);
  });
});
