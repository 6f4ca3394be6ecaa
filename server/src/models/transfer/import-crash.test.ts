// Interrupted imports: by a kill -9 at any moment, by a sender that hangs up, by a disk that becomes full. They leave nothing, and the next
// import works.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptySqlite } from '../../testing/databases.ts';
import { callerOf, endProcesses, killAll, type ServerProcess, startProcess } from '../../testing/process.ts';
import { seededRandom } from '../../testing/random.ts';
import { adminKey, fileForm } from '../../testing/server.ts';
import { exported, tarFile } from '../../testing/tar.ts';
import { answered, facts, jobOver, submit } from '../../testing/tuning.ts';
import { until } from '../../testing/until.ts';

const long = process.env.LOREKEEP_TEST_LONG === '1';
/** An engine that starts for real takes seconds to read a model. */
const [kills, maxWait] = long ? [6, 6_000] : [2, 1_500];
const authorization = `Bearer ${adminKey}`;

/** Retries until the engine's packages are installed. */
async function send({ url }: ServerProcess, tar: Uint8Array<ArrayBuffer>) {
  for (let attempt = 0; ; attempt++) {
    const body = fileForm('model.tar', tar);
    const response = await fetch(`${url}/v1/models`, { method: 'POST', headers: { authorization }, body });
    const answer = { status: response.status, body: await response.json() };
    if (answer.body.code !== 'engine_unavailable' || attempt === 300) return answer;
    await sleep(100);
  }
}

/** The first half of an upload, and then silence. */
function half({ port }: ServerProcess, tar: Uint8Array): ReturnType<typeof request> {
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="m"\r\n\r\n';
  const headers = {
    authorization,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': tar.length + 500,
  };
  const sending = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/models', headers });
  sending.on('error', () => {});
  sending.write(form);
  sending.write(tar.slice(0, tar.length / 2));
  return sending;
}

const foldersOf = async (home: string) => ({
  jobs: await readdir(join(home, 'jobs')).catch(() => []),
  tuned: await readdir(join(home, 'tuned')).catch(() => []),
});

describe('an interrupted import', () => {
  it(`leaves nothing after a kill -9, ${kills} times, nor after a sender that hung up`, async (t) => {
    const database = await emptySqlite();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const random = seededRandom(20261121);
    const data = facts(3, 'Cut');
    try {
      let server = await startProcess({ home, database_url: database.url, slots: '1' });
      const { job_id } = await submit(callerOf(server), { data });
      const { model_name } = await jobOver(callerOf(server), job_id);
      const tar = await exported(server, model_name!);
      await callerOf(server).call('DELETE', `/v1/models/${model_name}`);
      const before = await foldersOf(home);

      const hung = half(server, tar);
      await until('it arrives', async () => (await foldersOf(home)).jobs.length > before.jobs.length);
      hung.destroy();
      await until('it is removed', async () => (await foldersOf(home)).jobs.length === before.jobs.length);

      half(server, tar);
      await until('it arrives', async () => (await foldersOf(home)).jobs.length > before.jobs.length);
      let imported = 0;
      for (let kill = 1; kill <= kills; kill++) {
        await killAll(server);
        server = await startProcess({ home, database_url: database.url, slots: '1' });
        const { models } = (await callerOf(server).call('GET', '/v1/models')).body;
        const known = models.map((one: { model_name: string }) => one.model_name);
        const found = await foldersOf(home);
        assert.deepEqual(found.tuned, known, `after kill ${kill}`);
        assert.ok(
          found.jobs.length <= before.jobs.length + imported + known.length,
          `after kill ${kill}: ${found.jobs}`,
        );
        for (const name of known) {
          imported++;
          assert.equal(
            (await answered(callerOf(server), { model_name: name, prompt: data[1]!.input })).output,
            data[1]!.output,
          );
          await callerOf(server).call('DELETE', `/v1/models/${name}`);
        }
        const sending = send(server, tar).catch(() => undefined);
        // At last the server is killed just after it has acknowledged the model.
        if (kill < kills - 1) await Promise.race([sending, sleep(random.between(1, maxWait))]);
        else assert.equal((await sending)?.status, 200);
      }
      t.diagnostic(`kills ${kills}, of them ${imported} after the model was kept`);
      assert.ok(imported > 0);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });

  const may = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;
  const skip = may ? false : 'file systems of a test cannot be mounted here';
  it('reports a full disk, and leaves nothing on it', { skip }, async () => {
    const database = await emptySqlite();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    try {
      const within = ['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=48m tmpfs ${home} && exec "$@"`, 'sh'];
      const server = await startProcess({ home, database_url: database.url, slots: '1' }, within);
      const inside = `/proc/${server.pid}/root${home}`;
      const data = facts(3, 'Full');
      const { job_id } = await submit(callerOf(server), { data });
      const { model_name } = await jobOver(callerOf(server), job_id);
      const tar = await exported(server, model_name!);
      const before = await foldersOf(inside);
      const large = tarFile([{ path: 'm/experts/a.safetensors', content: Buffer.alloc(64 << 20) }]);
      const refused = await send(server, large);
      assert.deepEqual([refused.status, refused.body.code], [507, 'storage_full'], JSON.stringify(refused.body));
      assert.deepEqual(await foldersOf(inside), before);
      // Room for the model, but not for the files that the engine writes into it.
      const { bavail, bsize } = await statfs(inside);
      await writeFile(join(inside, 'filler'), Buffer.alloc(bavail * bsize - tar.length / 2));
      const again = await send(server, tar);
      assert.deepEqual([again.status, again.body.code], [507, 'storage_full'], JSON.stringify(again.body));
      assert.deepEqual(await foldersOf(inside), before);
      await rm(join(inside, 'filler'));
      assert.equal((await send(server, tar)).status, 200);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });
});
