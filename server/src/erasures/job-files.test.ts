// Erased facts of a resumable job whose facts are in object storage: no machine resumes with them, and a storage that fails meanwhile
// keeps none.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Bucket } from '../blobs/s3/bucket.ts';
import { S3Folders } from '../blobs/s3/folders.ts';
import { newInstance } from '../leases/instance-id.ts';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { type FaultyProxy, faultyProxy } from '../testing/faulty-proxy.ts';
import { jobRecord } from '../testing/records.ts';
import { startServer, type TestServer } from '../testing/server.ts';
import { bucketOf, noStorage, startStorage, type TestStorage } from '../testing/storage.ts';
import { JobFolders } from '../tuning/job-folders.ts';
import { eraseInJobs } from './job-files.ts';

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist', subject: null };
const job = 'a'.repeat(64);

describe('facts of a job that can be resumed, in object storage', { skip: noStorage }, () => {
  let storage: TestStorage;
  let proxy: FaultyProxy;
  let bucket: Bucket;
  let home: string;
  let server: TestServer;
  let store: Store;
  let account: number;
  let one: JobFolders;
  let other: JobFolders;
  before(async () => {
    storage = await startStorage();
    proxy = await faultyProxy(storage.endpoint);
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const database_url = `sqlite:${join(home, 'records.db')}`;
    // Creates the account that owns the job.
    server = await startServer({ database_url });
    store = await openStore(database_url);
    account = (await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()).id;
    await jobRecord(store, account, { status: 'FAILED', name: job });
  });
  after(async () => {
    await store?.close();
    await server?.end();
    await proxy?.end();
    await storage?.end();
    if (home) await rm(home, { recursive: true });
  });
  beforeEach(async () => {
    bucket = bucketOf(proxy.endpoint, storage.prefix(), { attempts: 2, backoff: 1 });
    const place = await mkdtemp(join(home, 'machines-'));
    const machine = (name: string) =>
      new JobFolders(join(place, name), newInstance(), new S3Folders(bucket, 'jobs', 'job'));
    [one, other] = [machine('one'), machine('other')];
    proxy.fault = () => undefined;
    const folder = await one.create(job);
    await writeFile(join(folder, 'facts.jsonl'), `${JSON.stringify({ row: 1, ...secret })}\n{"row":2,"input":"a"}\n`);
    await writeFile(join(folder, 'plan.json'), '{}');
    await one.keep(job);
  });

  const factsOf = async (folders: JobFolders) => await readFile(join(folders.job(job), 'facts.jsonl'), 'utf8');
  const stored = async () => await bucket.text(`jobs/${job}/facts.jsonl`);
  const erase = async (folders: JobFolders) => await eraseInJobs(store, folders, account, [secret]);

  it('are fetched again if another machine has erased some', async () => {
    assert.equal(await one.bring(job), false);
    assert.equal(await erase(other), 1);
    assert.match(await factsOf(one), /Quist/);
    assert.equal(await one.bring(job), true);
    assert.match(await factsOf(one), /\*{9}.*\n.*"a"/);
    assert.doesNotMatch(await factsOf(one), /Quist|Zorbex/);
    assert.equal(await one.isPlanned(job), false);
  });

  it('are erased in the storage by a retry on any machine if the first attempt could not write there', async () => {
    proxy.fault = ({ method }) => (method === 'PUT' ? 'busy' : undefined);
    await assert.rejects(erase(one), { code: 'storage_unavailable' });
    assert.match(await stored(), /Quist/);
    proxy.fault = () => undefined;
    await erase(other);
    assert.deepEqual(await Array.fromAsync(bucket.list('')), []);
    await erase(one);
    assert.doesNotMatch(await stored(), /Quist|Zorbex/);
    assert.equal(await other.bring(job), true);
    assert.equal(await factsOf(other), await factsOf(one));
  });

  it('are erased in the storage by a retry if the first attempt could not delete there', async () => {
    proxy.fault = ({ method }) => (method === 'DELETE' ? 'busy' : undefined);
    await assert.rejects(erase(one), { code: 'storage_unavailable' });
    assert.match(await stored(), /Quist/);
    proxy.fault = () => undefined;
    assert.equal(await erase(one), 1);
    assert.doesNotMatch(await stored(), /Quist|Zorbex/);
  });
});
