// Object storage that is busy, silent, interrupts answers, is killed, or belongs to another installation: acknowledged data is intact,
// and calls end.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Refusal } from '@lorekeep/contract';
import { loadConfig } from '../../config/load.ts';
import type { SettingName } from '../../config/settings.ts';
import { bytes, kept } from '../../testing/blobs-suite.ts';
import { type FaultyProxy, faultyProxy } from '../../testing/faulty-proxy.ts';
import {
  bucketOf,
  keys,
  noStorage,
  optionsOf,
  startStorage,
  type TestStorage,
  testBucket,
} from '../../testing/storage.ts';
import { until } from '../../testing/until.ts';
import { LanceVectors } from '../../vectors/lance.ts';
import { checkBlob } from '../checked.ts';
import { openStorage } from '../open.ts';
import { Bucket } from './bucket.ts';
import { Credentials } from './credentials.ts';
import { StorageProblem } from './problem.ts';
import { S3Blobs } from './s3-blobs.ts';
import { S3Tables } from './tables.ts';

const patience = { attempts: 4, silence: 300, backoff: 1 };

let storage: TestStorage;
before(async () => {
  if (!noStorage) storage = await startStorage();
});
after(async () => await storage?.end());

describe('object storage that fails', { skip: noStorage }, () => {
  let proxy: FaultyProxy;
  let prefix: string;
  let blobs: S3Blobs;
  const scratch = join(tmpdir(), 'lorekeep-test-unused');
  before(async () => {
    proxy = await faultyProxy(storage.endpoint);
    prefix = storage.prefix();
    blobs = new S3Blobs(bucketOf(proxy.endpoint, prefix, patience), scratch, undefined, 0);
  });
  after(async () => await proxy?.end());
  afterEach(() => {
    proxy.fault = () => undefined;
  });

  const times = (count: number, fault: ReturnType<FaultyProxy['fault']>) => {
    let left = count;
    return () => (left-- > 0 ? fault : undefined);
  };
  const isAway = (reason: RegExp) => (error: Refusal) =>
    error.code === 'storage_unavailable' && reason.test(error.message);

  it('is retried while it is busy, within a limit', async () => {
    proxy.fault = times(3, 'busy');
    const name = await kept(blobs, 'datasets', 'rows');
    proxy.fault = times(3, 'busy');
    assert.equal((await bytes(blobs, name)).toString(), 'rows');
    proxy.fault = () => 'busy';
    const before = proxy.count;
    await assert.rejects(kept(blobs, 'datasets', 'rows'), isAway(/it is busy/));
    assert.equal(proxy.count - before, patience.attempts);
  });

  it('is retried after a conflict with another request for the same object', async () => {
    proxy.fault = times(2, { status: 409, code: 'ConditionalRequestConflict' });
    assert.equal(await bucketOf(proxy.endpoint, prefix, patience).putNew('one', Buffer.from('1')), true);
  });

  it('times out if it is silent before or within an answer', async () => {
    const name = await kept(blobs, 'datasets', 'x'.repeat(100_000));
    proxy.fault = () => 'silent';
    await assert.rejects(bytes(blobs, name), isAway(/does not answer/));
    await assert.rejects(kept(blobs, 'datasets', 'rows'), isAway(/does not answer/));
  });

  it('accepts rotated keys at once, and reports expired keys as refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const file = join(folder, 'keys');
    const write = async (secret: string) =>
      await writeFile(file, `AWS_ACCESS_KEY_ID=${keys.id}\nAWS_SECRET_ACCESS_KEY=${secret}\n`);
    try {
      await write('old');
      const options = { ...optionsOf(storage.endpoint), credentials: new Credentials(file) };
      options.credentials.current();
      await write(keys.secret);
      const rotated = new Bucket(options, prefix, patience);
      await rotated.put('rotated', Buffer.from('1'));
      assert.equal(await rotated.size('rotated'), 1);
      await write('old');
      options.credentials.haveChangedSince(keys);
      await assert.rejects(rotated.text('rotated'), isAway(/refuses the keys/));
      proxy.fault = () => ({ status: 400, code: 'ExpiredToken' });
      await assert.rejects(bytes(blobs, 'datasets/any'), isAway(/refuses the keys/));
      await assert.rejects(blobs.size('datasets/any'), isAway(/refuses the keys/));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('does not delay a shutdown while it is silent', async () => {
    const closing = new AbortController();
    const slow = new Bucket(optionsOf(proxy.endpoint, closing.signal), prefix, { silence: 3_600_000 });
    proxy.fault = () => 'silent';
    const before = proxy.count;
    const calls = [slow.put('a', Buffer.from('b')), slow.text('a')];
    await until('both are under way', async () => proxy.count === before + 2);
    closing.abort();
    for (const call of calls) await assert.rejects(call, isAway(/does not answer/));
  });

  it('fails a vector search while it is busy or silent, and tables stay intact', async () => {
    const open = (patienceMs?: number) =>
      new LanceVectors(new S3Tables(bucketOf(proxy.endpoint, prefix), prefix, optionsOf(proxy.endpoint), patienceMs));
    const vector = Float32Array.of(1, 0);
    await open().add('t', [{ file: 1, number: 0, hash: 'a', text: 'a', vector }]);
    const search = async (vectors: LanceVectors) => await vectors.nearest('t', vector, 1, { not: [] });
    const hits = await search(open());
    const compared = async (vectors: LanceVectors) => await vectors.compared('t', vector, hits);
    const seen = open();
    await seen.isThere('t');
    proxy.fault = () => 'silent';
    for (const look of [search, compared, async (vectors: LanceVectors) => await vectors.isThere('t')])
      await assert.rejects(look(open(100)), isAway(/does not answer/));
    proxy.fault = () => 'busy';
    await assert.rejects(search(open()), isAway(/does not answer/));
    proxy.fault = () => ({ status: 400, code: 'ExpiredToken' });
    for (const [look, vectors] of [
      [search, open()],
      [compared, seen],
    ] as const)
      await assert.rejects(look(vectors), isAway(/does not answer/));
    proxy.fault = () => undefined;
    assert.equal((await search(open())).length, 1);
  });

  it('resumes an interrupted download, and never returns a truncated file as complete', async () => {
    const text = Array.from({ length: 50_000 }, (_, at) => `row ${at}\n`).join('');
    const name = await kept(blobs, 'datasets', text);
    proxy.fault = times(2, { cut: 70_000 });
    assert.ok((await bytes(blobs, name)).equals(Buffer.from(text)));
    proxy.fault = () => ({ cut: 0 });
    await assert.rejects(bytes(blobs, name), isAway(/does not answer/));
  });

  it('detects that the object was replaced while it was read', async () => {
    const name = await kept(blobs, 'datasets', 'a'.repeat(200_000));
    const written = { what: 'dataset', name: 'a', blob: name, bytes: 200_000, sha256: '' };
    proxy.fault = times(1, { cut: 1000 });
    const reading = blobs.read(name)[Symbol.asyncIterator]();
    await reading.next();
    await bucketOf(storage.endpoint, prefix).put(`files/${name}`, Buffer.alloc(200_000, 'b'));
    await assert.rejects(
      async () => {
        while (!(await reading.next()).done);
      },
      { code: 'EIO' },
    );
    await assert.rejects(checkBlob(blobs, written), { code: 'data_damaged' });
  });

  it('treats a request as done if only its answer was lost', async () => {
    const draft = await blobs.draft('datasets');
    for (let part = 0; part < 20; part++) await draft.write(Buffer.alloc(1 << 20, part));
    proxy.fault = times(1, 'lost');
    await draft.keep();
    assert.equal(await blobs.size(draft.name), 20 << 20);
  });

  it('keeps complete files, shows no draft and has leftovers swept after it is killed during an upload', async () => {
    const whole = await kept(blobs, 'uploads', 'whole');
    const dead = new S3Blobs(bucketOf(proxy.endpoint, prefix, patience), scratch, 'elsewhere.1.0123456789ab');
    const draft = await dead.draft('uploads');
    await draft.write(Buffer.alloc(9 << 20));
    await storage.kill();
    await assert.rejects(
      async () => {
        for (let part = 0; part < 20; part++) await draft.write(Buffer.alloc(1 << 20));
      },
      isAway(/does not answer/),
    );
    await storage.start();
    assert.equal((await bytes(blobs, whole)).toString(), 'whole');
    assert.equal(await blobs.size(draft.name), undefined);
    const known = async () => new Set([whole]);
    assert.equal(await blobs.sweep('uploads', known), 0, 'its writer may live elsewhere');
    assert.equal(await blobs.sweep('uploads', known, Date.now() + 2 * 86_400_000), 1);
    assert.deepEqual(await Array.fromAsync(bucketOf(storage.endpoint, prefix).uploads('')), []);
  });
});

describe('the start on object storage', { skip: noStorage }, () => {
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  });
  after(async () => await rm(home, { recursive: true, force: true }));

  async function claimed(changes: Partial<Record<SettingName, string>>, installation = '1'): Promise<string[]> {
    const flags = { home, ...storage.settings(''), ...changes };
    return await (await openStorage(loadConfig({ flags, environment: {} }).config)).claim(installation);
  }

  async function refused(changes: Partial<Record<SettingName, string>>, says: RegExp, installation?: string) {
    await assert.rejects(claimed(changes, installation), (error: Error) => {
      assert.ok(error instanceof StorageProblem, String(error));
      assert.match(error.message, says);
      assert.ok(!error.message.includes(keys.secret));
      return true;
    });
  }

  it('is refused with the wrong value and the remedy for a bad bucket, keys, credentials file or address', async () => {
    const file = join(home, 'credentials');
    await refused({ storage: 's3://no-bucket' }, /LOREKEEP_STORAGE: there is no bucket "no-bucket" at http.*Create it/);
    await writeFile(file, `AWS_ACCESS_KEY_ID=${keys.id}\nAWS_SECRET_ACCESS_KEY=wrong\n`);
    const wrong = { storage_credentials: file };
    await refused(wrong, /The keys from the file .*credentials may not do this in the bucket/);
    await writeFile(file, `AWS_ACCESS_KEY_ID=${keys.id}\n`);
    await refused(wrong, /has no AWS_SECRET_ACCESS_KEY: write it there/);
    await refused({ storage_credentials: join(home, 'none') }, /none", which cannot be read \(ENOENT\)/);
    const gone = await faultyProxy(storage.endpoint);
    await gone.end();
    await refused({ storage_endpoint: gone.endpoint }, /127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)/);
  });

  it('is refused if the storage does not support conditional writes', async () => {
    const proxy = await faultyProxy(storage.endpoint);
    try {
      proxy.fault = ({ headers }) => (headers['if-none-match'] ? { status: 501, code: 'NotImplemented' } : undefined);
      const prefix = storage.prefix();
      await refused(
        { storage: `s3://${testBucket}/${prefix}`, storage_endpoint: proxy.endpoint },
        /does not support conditional writes \(If-None-Match\): it answered 501 NotImplemented/,
      );
    } finally {
      await proxy.end();
    }
  });

  it('is refused on data of another installation, and succeeds on its own', async () => {
    const prefix = `${storage.prefix()}down/`;
    const storageOf = { storage: `s3://${testBucket}/${prefix}` };
    for (let start = 0; start < 2; start++) assert.deepEqual(await claimed(storageOf), []);
    await refused(storageOf, /belongs to an installation with another database.*Use another prefix/, '2');
    await claimed({ storage: storageOf.storage.replace('down/', 'beside') }, '2');
    await bucketOf(storage.endpoint, prefix).put('installation.json', Buffer.from('no mark'));
    await refused(storageOf, /belongs to an installation with another database.*remove the object installation.json/);
  });
});
