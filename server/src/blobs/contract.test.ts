// Test suite of the port, run on both adapters: a folder and object storage.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type BlobsUnderTest, blobsSuite } from '../testing/blobs-suite.ts';
import { bucketOf, noStorage, startStorage, type TestStorage } from '../testing/storage.ts';
import { FolderBlobs } from './folder.ts';
import { S3Blobs } from './s3/s3-blobs.ts';

blobsSuite('in a folder', false, async (): Promise<BlobsUnderTest> => {
  const root = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  return {
    open: (instance) => new FolderBlobs(root, instance),
    stored: async (kind) => (await readdir(join(root, kind)).catch(() => [])).map((file) => `${kind}/${file}`),
    damage: async (name, bytes) => await writeFile(join(root, name), bytes),
    end: async () => await rm(root, { recursive: true }),
  };
});

let storage: Promise<TestStorage> | undefined;
after(async () => await (await storage)?.end());

blobsSuite('in object storage', noStorage, async (): Promise<BlobsUnderTest> => {
  storage ??= startStorage();
  const { endpoint, prefix } = await storage;
  const bucket = bucketOf(endpoint, prefix());
  const scratch = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  return {
    open: (instance) => new S3Blobs(bucket, scratch, instance),
    stored: async (kind) => {
      const found = [bucket.list(`files/${kind}/`), bucket.uploads(`files/${kind}/`)];
      const names = (await Promise.all(found.map((some) => Array.fromAsync<{ name: string }>(some)))).flat();
      return names.map(({ name }) => name.slice('files/'.length));
    },
    damage: async (name, bytes) => await bucket.put(`files/${name}`, Buffer.from(bytes)),
    end: async () => await rm(scratch, { recursive: true }),
  };
});
