// Servers killed with -9, all at once or one of two: every job resumes where it was and ends in the same model.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '../store/open.ts';
import { onPostgres } from '../testing/databases.ts';
import { untilReady } from '../testing/engine.ts';
import { callerOf, endProcesses, killAll, type ServerProcess, startProcess } from '../testing/process.ts';
import { bytesOf, jobOver, jobWhen, manyWaves, submit } from '../testing/tuning.ts';

const data = manyWaves(24, 'Zor');
/** The files of the model of an uninterrupted job on `data`, on any server. */
let undisturbed: Record<string, string>;

const partly = async (server: ServerProcess, id: number) =>
  await jobWhen(
    callerOf(server),
    id,
    'partly done',
    ({ status, progress }) => progress.experts_done > 0 && status === 'TRAINING MODEL',
  );

/** The name of the server that runs a job. */
async function ownerOf(url: string, id: number): Promise<string> {
  const store = await openStore(url);
  try {
    const { owner } = await store.db
      .selectFrom('tuning_jobs')
      .select('owner')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return owner!;
  } finally {
    await store.close();
  }
}

describe('everything killed at once', () => {
  it('resumes after a restart and ends in the same model', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      let server = await startProcess({ home, slots: '1' });
      const whole = await jobOver(
        callerOf(server),
        (await submit(callerOf(server), { data, use_cached_model: false })).job_id,
      );
      undisturbed = await bytesOf(home, whole.model_name!);
      const { job_id } = await submit(callerOf(server), { data, use_cached_model: false });
      const waits = await submit(callerOf(server), { data: data.slice(0, 2), use_cached_model: false });
      await partly(server, job_id);
      const slotSeconds = async () => (await callerOf(server).call('GET', '/v1/usage')).body.total.slot_seconds;
      const until = await slotSeconds();
      await killAll(server);
      server = await startProcess({ home, slots: '1' });
      const job = await jobOver(callerOf(server), job_id);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      assert.deepEqual(await bytesOf(home, job.model_name!), undisturbed);
      const { body } = await callerOf(server).call('GET', `/v1/train/jobs/${job_id}/events`);
      assert.ok(body.events.some(({ reason }: { reason: string }) => /its server is gone/.test(reason)));
      assert.equal((await jobOver(callerOf(server), waits.job_id)).status, 'COMPLETED');
      assert.ok(until > 0 && (await slotSeconds()) > until);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
    }
  });
});

onPostgres('two servers', (make) => {
  it('run each job once, and take over the jobs of a dead server', async (t) => {
    const database = await make();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      const flags = { home, database_url: database.url, slots: '1' };
      const servers = await Promise.all([startProcess(flags), startProcess(flags)]);
      for (const server of servers) await untilReady(callerOf(server));
      const [one] = servers;
      // One job for each of them.
      const { job_id } = await submit(callerOf(one), { data, use_cached_model: false });
      const begun = ({ status }: { status: string }) => status !== 'CREATED' && status !== 'QUEUED';
      await jobWhen(callerOf(one), job_id, 'begun', begun);
      const other = await submit(callerOf(one), { data: manyWaves(40, 'Other'), use_cached_model: false });
      await jobWhen(callerOf(one), other.job_id, 'begun', begun);
      const owner = await ownerOf(database.url, job_id);
      const first = servers.find(({ pid }) => owner.split('.')[1] === String(pid))!;
      const second = servers.find((server) => server !== first)!;
      await partly(first, job_id);
      // A cancel sent to the other server stops the run too, and a resume there continues from the finished waves.
      await callerOf(first).call('POST', `/v1/train/jobs/${other.job_id}/cancel`);
      const killed = Date.now();
      await killAll(first);
      const job = await jobOver(callerOf(second), job_id);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      assert.deepEqual(await bytesOf(home, job.model_name!), undisturbed);
      const { body } = await callerOf(second).call('GET', `/v1/train/jobs/${job_id}/events`);
      const starts = body.events.filter(({ status }: { status: string }) => status === 'LOADING DATA');
      assert.equal(starts.length, 2);
      t.diagnostic(`taken over ${((Date.parse(starts[1].time) - killed) / 1000).toFixed(1)} s after the kill`);
      assert.equal((await callerOf(second).call('GET', `/v1/train/jobs/${other.job_id}`)).body.status, 'CANCELLED');
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });
});
