// Full disk while a job writes, and when a job is submitted, on a real file system of a few megabytes in a mount namespace of its own. The
// job fails with the reason, and resumes from its finished waves once there is space.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { emptySqlite } from '../testing/databases.ts';
import { callerOf, endProcesses, startProcess } from '../testing/process.ts';
import { bytesOf, facts, jobOver, manyWaves, submit } from '../testing/tuning.ts';

const may = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

describe('a full disk', { skip: may ? false : 'file systems of a test cannot be mounted here' }, () => {
  it('fails a job with the reason, and lets it resume once there is space', async () => {
    const database = await emptySqlite();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      const within = ['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=48m tmpfs ${home} && exec "$@"`, 'sh'];
      const server = await startProcess({ home, database_url: database.url, slots: '1' }, within);
      const caller = callerOf(server);
      // The folder by the path that the server uses.
      const inside = `/proc/${server.pid}/root${home}`;
      const leave = async (bytes: number) => {
        const { bavail, bsize } = await statfs(inside);
        await writeFile(join(inside, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
      };
      const data = manyWaves(40, 'Disk');
      const whole = await jobOver(caller, (await submit(caller, { data, use_cached_model: false })).job_id);
      assert.equal(whole.status, 'COMPLETED', JSON.stringify(whole));

      await leave(180_000);
      const { job_id } = await submit(caller, { data, use_cached_model: false });
      const failed = await jobOver(caller, job_id);
      assert.equal(failed.status, 'FAILED', JSON.stringify(failed));
      assert.match(failed.error!, /^The disk is full\. Free some space/);
      await rm(join(inside, 'filler'));
      assert.equal((await caller.call('POST', `/v1/train/jobs/${job_id}/resume`)).status, 200);
      const job = await jobOver(caller, job_id);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      assert.deepEqual(await bytesOf(inside, job.model_name!), await bytesOf(inside, whole.model_name!));

      await leave(100_000);
      const before = (await caller.call('GET', '/v1/train/jobs')).body.length;
      const refused = await caller.call('POST', '/v1/train', {
        body: { model_name: 'lorekeep/quill', data: facts(5000, 'Full') },
      });
      assert.deepEqual([refused.status, refused.body.code], [507, 'storage_full'], JSON.stringify(refused.body));
      await rm(join(inside, 'filler'));
      assert.equal((await caller.call('GET', '/v1/train/jobs')).body.length, before);
      assert.equal(
        (await jobOver(caller, (await submit(caller, { data: facts(1, 'Room') })).job_id)).status,
        'COMPLETED',
      );
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });
});
