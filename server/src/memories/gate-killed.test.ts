// A server killed while it makes a gated version: the next one finds the job and the evaluation, and publishes once.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { succeed } from '../testing/acknowledged.ts';
import { endProcesses, startProcess } from '../testing/process.ts';
import { facts } from '../testing/tuning.ts';
import { until } from '../testing/until.ts';

describe('a server that is killed during the evaluation of a gate', () => {
  it('leaves the change to the next one', async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      let server = await startProcess({ home });
      const get = async (path: string) => await succeed(server.url, 'GET', path);
      const again = async () => {
        await server.stop('SIGKILL');
        server = await startProcess({ home });
      };
      const data = facts(40);
      const { job_id, dataset_id } = await succeed(server.url, 'POST', '/v1/train', {
        body: { model_name: 'lorekeep/quill', data },
      });
      await succeed(server.url, 'POST', '/v1/memories', { body: { name: 'house', job_id } });
      await until('there is a version', async () => (await get('/v1/memories/house')).version === 1);
      await succeed(server.url, 'POST', '/v1/memories/house/gate', {
        body: { dataset_id, exact: 1, max_regressions: 0 },
      });
      await succeed(server.url, 'POST', '/v1/memories/house/changes', {
        body: { add: [{ input: 'Who runs Ultrafen?', output: 'Cleo Marsh' }] },
      });
      await again();
      const change = '/v1/memories/house/changes/2';
      await until('the gate is asked', async () => (await get(change)).evaluation_id !== null);
      const begun = await get(change);
      await again();
      await until('the change is over', async () => (await get(change)).finished_at !== null);
      const done = await get(change);
      assert.equal(done.state, 'published', done.error);
      assert.equal(done.evaluation_id, begun.evaluation_id);
      t.diagnostic(`the change was ${begun.state} when the server was killed the second time`);
      assert.deepEqual((await get('/v1/memories/house/versions/2/gate')).exact, { rows: 40, right: 40 });
      assert.equal((await get('/v1/evaluations')).evaluations.length, 1);
      assert.equal((await get('/v1/audit/verify')).sound, true);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
    }
  });
});
