// Cleanup at the start of a server: it removes leftovers of jobs and nothing else.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { newInstance } from '../../leases/instance-id.ts';
import { TunedFolders } from '../../models/tuned-folders.ts';
import { openStore } from '../../store/open.ts';
import { onEveryDatabase } from '../../testing/databases.ts';
import { jobRecord } from '../../testing/records.ts';
import { startServer } from '../../testing/server.ts';
import { JobFolders, logFile } from '../job-folders.ts';
import { removeLeftovers } from './cleanup.ts';

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
