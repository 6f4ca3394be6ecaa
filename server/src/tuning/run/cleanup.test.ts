// Cleanup at the start of a server, and while it runs where the folders are copies: it removes leftovers and nothing else.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { S3Folders } from '../../blobs/s3/folders.ts';
import { S3Blobs } from '../../blobs/s3/s3-blobs.ts';
import { Datasets } from '../../datasets/datasets.ts';
import { createLog } from '../../http/log.ts';
import { newInstance } from '../../leases/instance-id.ts';
import type { TrustedTime } from '../../leases/trusted-time.ts';
import { TunedFolders } from '../../models/tuned-folders.ts';
import { openStore } from '../../store/open.ts';
import { kept } from '../../testing/blobs-suite.ts';
import { onEveryDatabase } from '../../testing/databases.ts';
import { jobRecord } from '../../testing/records.ts';
import { startServer } from '../../testing/server.ts';
import { bucketOf, noStorage, startStorage } from '../../testing/storage.ts';
import { until } from '../../testing/until.ts';
import { JobFolders, logFile } from '../job-folders.ts';
import { Cleanup, removeLeftovers } from './cleanup.ts';

onEveryDatabase('folders of jobs', (make) => {
  it('hold no facts once the job is finished, even if the server died before it cleaned up', async () => {
    const database = await make();
    // Creates the account that owns the jobs.
    const server = await startServer({ database_url: database.url });
    const store = await openStore(database.url);
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      const { id } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
      const names = { COMPLETED: 'a', 'PARTIALLY COMPLETED': 'b', CANCELLED: 'c', FAILED: 'd', QUEUED: 'e' } as const;
      for (const [status, letter] of Object.entries(names)) {
        const name = letter.repeat(64);
        await jobRecord(store, id, { status: status as keyof typeof names, name });
        await mkdir(join(home, 'jobs', name, 'waves/taken'), { recursive: true });
        for (const file of ['facts.jsonl', 'waves/taken/expert', logFile])
          await writeFile(join(home, 'jobs', name, file), 'x');
      }
      const instance = newInstance();
      await removeLeftovers(store, new JobFolders(home, instance), new TunedFolders(home, instance));
      const left: Record<string, string[]> = {};
      for (const letter of Object.values(names))
        left[letter] = (await readdir(join(home, 'jobs', letter.repeat(64)))).sort();
      const all = ['facts.jsonl', 'waves', logFile].sort();
      assert.deepEqual(left, { a: [logFile], b: [logFile], c: all, d: all, e: all });
    } finally {
      await store.close();
      await server.end();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    }
  });
});

it('removes what a lost machine has left in object storage, while another server runs', {
  skip: noStorage,
}, async () => {
  const storage = await startStorage();
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  const store = await openStore(`sqlite:${join(home, 'records.db')}`);
  const bucket = bucketOf(storage.endpoint, storage.prefix());
  const stored = async () => (await Array.fromAsync(bucket.list(''))).map(({ name }) => name);
  const log = createLog({ log_level: 'silent', log_format: 'json' });
  const folders = (kind: string) => new S3Folders(bucket, kind, kind);
  const day = 86_400_000;
  const cleanup = new Cleanup({
    ...{ store, log },
    datasets: new Datasets(store, new S3Blobs(bucket, join(home, 'scratch')), ''),
    folders: new JobFolders(home, newInstance(), folders('jobs')),
    tunedFolders: new TunedFolders(home, newInstance(), folders('tuned')),
    time: { now: async () => Date.now() + 2 * day } as TrustedTime,
  });
  try {
    const lost = new S3Blobs(bucket, join(home, 'scratch'), 'elsewhere.1.0123456789ab');
    await kept(lost, 'datasets', 'rows');
    for (const kind of ['jobs', 'tuned']) await bucket.put(`${kind}/${'a'.repeat(64)}/facts.jsonl`, Buffer.from('{}'));
    cleanup.start();
    await until('it is removed', async () => (await stored()).length === 0);
  } finally {
    await cleanup.stop();
    await store.close();
    await storage.end();
    await rm(home, { recursive: true, force: true });
  }
});
