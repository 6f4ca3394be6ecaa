// A server that is killed repeatedly while a memory moves to another precision: exactly one version is published.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { succeed } from '../testing/acknowledged.ts';
import { endProcesses, startProcess } from '../testing/process.ts';
import { quantizedQuill } from '../testing/quill.ts';
import { seededRandom } from '../testing/random.ts';
import { manyWaves } from '../testing/tuning.ts';
import { until } from '../testing/until.ts';

const kills = process.env.LOREKEEP_TEST_LONG === '1' ? 12 : 3;

describe('a server that is killed while a memory moves', () => {
  it(`publishes one version after ${kills} kills`, async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const random = seededRandom(20261124);
    try {
      let server = await startProcess({ home });
      await quantizedQuill(home, 'org/quill', 'int8');
      const get = async (path: string) => await succeed(server.url, 'GET', path);
      const data = manyWaves(16, 'Move');
      const { job_id } = await succeed(server.url, 'POST', '/v1/train', {
        body: { model_name: 'lorekeep/quill', data },
      });
      await succeed(server.url, 'POST', '/v1/memories', { body: { name: 'house', job_id } });
      await until('there is a version', async () => (await get('/v1/memories/house')).version === 1);
      await succeed(server.url, 'POST', '/v1/memories/house/move', { body: { base_model: 'org/quill' } });
      for (let kill = 0; kill < kills; kill++) {
        await sleep(random.between(0, 2500));
        await server.stop('SIGKILL');
        server = await startProcess({ home });
      }
      await until('the move is over', async () => (await get('/v1/memories/house/changes/2')).finished_at !== null);
      const change = await get('/v1/memories/house/changes/2');
      assert.equal(change.state, 'published', JSON.stringify(change));
      const { progress } = await get(`/v1/train/jobs/${change.job_id}`);
      const { facts_taken_over, facts_taught_again } = progress.move;
      assert.deepEqual([facts_taken_over + facts_taught_again, progress.facts_recalled], [16, 16]);
      t.diagnostic(`${facts_taken_over} facts taken over, ${facts_taught_again} taught again`);
      assert.equal((await get('/v1/memories/house/versions')).versions.length, 2);
      assert.equal((await get('/v1/memories/house')).base_model, 'org/quill');
      assert.equal((await get('/v1/train/jobs')).length, 2);
      assert.equal((await get('/v1/audit/verify')).sound, true);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
    }
  });
});
