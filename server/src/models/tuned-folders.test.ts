// Tuned models in object storage, on two machines: durable before they are recorded, fetched at the first use, verified,
// and removed everywhere.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Bucket } from '../blobs/s3/bucket.ts';
import { S3Folders } from '../blobs/s3/folders.ts';
import { newInstance } from '../leases/instance-id.ts';
import { type FaultyProxy, faultyProxy } from '../testing/faulty-proxy.ts';
import { bucketOf, noStorage, startStorage, type TestStorage } from '../testing/storage.ts';
import { TunedFolders } from './tuned-folders.ts';

const model = 'a'.repeat(64);
const files: Record<string, string> = {
  'memory.json': JSON.stringify({ counts: { facts: 2, recalled: 2, experts: 1 } }),
  'facts.jsonl': '{"input":"a"}\n',
  'experts/0.bin': 'x'.repeat(100_000),
};

describe('tuned models in object storage', { skip: noStorage }, () => {
  let storage: TestStorage;
  let proxy: FaultyProxy;
  let bucket: Bucket;
  let place: string;
  let one: TunedFolders;
  let other: TunedFolders;
  before(async () => {
    storage = await startStorage();
    proxy = await faultyProxy(storage.endpoint);
  });
  after(async () => {
    await proxy?.end();
    await storage?.end();
  });
  beforeEach(async (t) => {
    place = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    (t as { after?(end: () => Promise<void>): void }).after?.(async () => await rm(place, { recursive: true }));
    bucket = bucketOf(proxy.endpoint, storage.prefix(), { attempts: 2, backoff: 1 });
    const machine = (name: string) =>
      new TunedFolders(join(place, name), newInstance(), new S3Folders(bucket, 'tuned', 'tuned model'));
    [one, other] = [machine('one'), machine('other')];
    proxy.fault = () => undefined;
  });

  async function finished(): Promise<string> {
    const source = join(place, 'job/model');
    for (const [name, text] of Object.entries({ ...files, writer: 'this server' })) {
      await mkdir(dirname(join(source, name)), { recursive: true });
      await writeFile(join(source, name), text);
    }
    return source;
  }

  it('are fetched to another machine at the first use, once and completely', async () => {
    const counts = await one.adopt(await finished(), model);
    assert.deepEqual([counts!.facts, await other.isModel(model)], [2, true]);
    const folders = await Promise.all([other.model(model), other.model(model), other.report(model)]);
    for (const [name, text] of Object.entries(files))
      assert.equal(await readFile(join(folders[0], name), 'utf8'), text);
    assert.deepEqual((await readdir(dirname(folders[0]))).sort(), [model]);
    assert.ok(!(await readdir(folders[0])).includes('writer'));
    const before = proxy.count;
    await other.model(model);
    assert.equal(proxy.count, before);
    assert.equal(await other.isModel('b'.repeat(64)), false);
  });

  it('do not exist before the storage has them, even after repeated failures', async () => {
    const source = await finished();
    for (const lost of [/memory\.json$/, /facts\.jsonl$/, new RegExp(`${model}\\.json$`)]) {
      proxy.fault = ({ method, url }) => (method === 'PUT' && lost.test(url!) ? 'busy' : undefined);
      await assert.rejects(one.adopt(source, model), { code: 'storage_unavailable' });
      proxy.fault = () => undefined;
      assert.equal(await other.isModel(model), false);
      await assert.rejects(readFile(join(await other.model(model), 'memory.json')), { code: 'ENOENT' });
    }
    assert.equal((await one.adopt(source, model))!.experts, 1);
    assert.equal(await other.isModel(model), true);
  });

  it('are refused if a stored file was changed, truncated or lost', async () => {
    const stored = new S3Folders(bucket, 'tuned', 'tuned model');
    await one.adopt(await finished(), model);
    const key = `tuned/${model}/facts.jsonl`;
    assert.equal(await stored.problem(model), undefined);
    await bucket.put(key, Buffer.from('{"input":"b"}\n'));
    await assert.rejects(other.model(model), /its file facts.jsonl in the storage does not match its checksum/);
    await bucket.put(key, Buffer.from('{"in'));
    assert.match((await stored.problem(model))!, /facts.jsonl is missing in the storage, or has another size/);
    await bucket.remove(key);
    await assert.rejects(other.model(model), /its file facts.jsonl is missing in the storage/);
    assert.deepEqual(await readdir(dirname(other.path(model))), []);
    for (const path of ['../../out', 'a\n/../../../out', '/out', 'a/./b', '']) {
      const list = { format: 1, files: [{ path, bytes: 1, sha256: '' }] };
      await bucket.put(`tuned/${model}.json`, Buffer.from(JSON.stringify(list)));
      await assert.rejects(other.model(model), /the list of its files in the storage cannot be read/);
    }
  });

  it('are deleted from the storage on removal, and from other machines at their next sweep', async () => {
    await one.adopt(await finished(), model);
    await other.model(model);
    await mkdir(join(dirname(other.path(model)), `.${newInstance()}-0`));
    const recorded = async () => new Set([model]);
    assert.equal(await other.sweep(recorded), 1, 'a copy that was being brought when a server was killed');
    await one.remove(model);
    assert.deepEqual(await Array.fromAsync(bucket.list('')), []);
    assert.equal(await other.sweep(async () => new Set()), 1);
    assert.deepEqual(await readdir(dirname(other.path(model))), []);
  });

  it('of a home from before are uploaded, except one that was deleted meanwhile', async () => {
    const before = new TunedFolders(join(place, 'one'), newInstance());
    const deleted = 'd'.repeat(64);
    await before.adopt(await finished(), model);
    await before.adopt(await finished(), deleted);
    let calls = 0;
    const recorded = async (names: string[]) => new Set(names.filter((name) => name === model || calls++ === 0));
    assert.equal(await one.send(recorded), 2);
    assert.equal(await other.isModel(model), true);
    assert.equal(await other.isModel(deleted), false);
    assert.equal(await one.send(recorded), 0);
  });

  it('without a record are kept for a day, since another server may be about to write it', async () => {
    await one.adopt(await finished(), model);
    const swept = async (now: number) =>
      await new S3Folders(bucket, 'tuned', 'tuned model').sweep(async () => new Set(), now);
    assert.equal(await swept(Date.now()), 0);
    assert.equal(await swept(Date.now() + 2 * 86_400_000), 1);
    assert.deepEqual(await Array.fromAsync(bucket.list('')), []);
  });
});
