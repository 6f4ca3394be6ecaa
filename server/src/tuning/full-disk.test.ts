// Full disk while a job writes, and when a job is submitted, on a real file system of a few megabytes in a mount namespace of its own. The
// job fails with the reason, and resumes from its finished waves once there is space.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TuningJob } from '@lorekeep/contract';
import { emptySqlite } from '../testing/databases.ts';
import { callerOf, endProcesses, startProcess } from '../testing/process.ts';
import { bytesOf, facts, jobOver, jobWhen, manyWaves, submit } from '../testing/tuning.ts';
import { isRunning } from './queue/states.ts';

const waits = /^The disk of the server is full: the job waits\. Free some space\.$/;
/** The engine says it too, in other words. */
const failed = /^The disk is full\. Free some space and /;
/** A job whose worker met the full disk fails, if that can still be stored. */
const isTold = ({ warnings, error }: TuningJob) => waits.test(warnings.join()) || failed.test(error ?? '');
/** A line of the log without its time and numbers. */
const sameLine = (line: string) => line.replace(/\d+/g, '');
const may = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

/** A server whose home is a disk of its own, of a few megabytes. */
async function onSmallDisk(home: string, megabytes: number, flags: Parameters<typeof startProcess>[0]) {
  const within = [
    'unshare',
    '-rm',
    'sh',
    '-c',
    `mount -t tmpfs -o size=${megabytes}m tmpfs ${home} && exec "$@"`,
    'sh',
  ];
  const server = await startProcess({ home, slots: '1', ...flags }, within);
  // The folder by the path that the server uses.
  const inside = `/proc/${server.pid}/root${home}`;
  const filler = join(inside, 'filler');
  const leave = async (bytes: number) => {
    const { bavail, bsize } = await statfs(inside);
    await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytes)), { flag: 'a' }).catch((error) => {
      // The server has written meanwhile.
      if (error.code !== 'ENOSPC') throw error;
    });
  };
  return { server, caller: callerOf(server), inside, leave, free: async () => await rm(filler, { force: true }) };
}

describe('a full disk', { skip: may ? false : 'file systems of a test cannot be mounted here' }, () => {
  it('fails a job with the reason, and lets it resume once there is space', async () => {
    const database = await emptySqlite();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      const { caller, inside, leave, free } = await onSmallDisk(home, 48, { database_url: database.url });
      const data = manyWaves(40, 'Disk');
      const whole = await jobOver(caller, (await submit(caller, { data, use_cached_model: false })).job_id);
      assert.equal(whole.status, 'COMPLETED', JSON.stringify(whole));

      await leave(180_000);
      const { job_id } = await submit(caller, { data, use_cached_model: false });
      const failed = await jobOver(caller, job_id);
      assert.equal(failed.status, 'FAILED', JSON.stringify(failed));
      assert.match(failed.error!, /^The disk is full\. Free some space/);
      await free();
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
      await free();
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

  it('is told with a job that cannot be stored, which goes on once there is space, and keeps no server from stopping', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      const { server, caller, leave, free } = await onSmallDisk(home, 24, { log_level: 'info' });
      const begin = async (mark: string) => {
        const { job_id } = await submit(caller, { data: manyWaves(40, mark), use_cached_model: false });
        await jobWhen(caller, job_id, 'running', ({ status }) => isRunning(status));
        await leave(0);
        return await jobWhen(caller, job_id, 'waiting', isTold);
      };
      const { job_id } = await begin('Disk');
      await free();
      const { status, error, warnings } = await jobOver(caller, job_id);
      // It fails if its worker met the full disk, and there was space again when that was stored.
      if (status === 'FAILED') assert.match(error!, failed);
      else assert.deepEqual([status, warnings.filter((one) => waits.test(one))], ['COMPLETED', []]);

      await begin('Full');
      // More lines than the log has room for: those that are left at the end keep no process from ending.
      for (let count = 0; count < 60; count++) await caller.call('GET', '/v1/train/jobs');
      const ended = await Promise.race([server.stop(), sleep(300_000, 'it still runs', { ref: false })]);
      assert.equal(ended, 0);
      const lines = server.output().split('\n');
      for (const line of lines.filter((one) => one.includes('database or disk is full')))
        assert.ok(lines.filter((one) => sameLine(one) === sameLine(line)).length < 20, line);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
    }
  });
});
