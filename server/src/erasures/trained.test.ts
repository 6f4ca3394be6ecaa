// An erasure with the real engine while the server is killed with -9 repeatedly: the fact is gone from every version, and the
// experts of other facts are unchanged.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Erasure, isOver, type ReceiptBody } from '@lorekeep/contract';
import { succeed } from '../testing/acknowledged.ts';
import { onDatabase } from '../testing/databases.ts';
import { endProcesses, type ServerProcess, startProcess } from '../testing/process.ts';
import { seededRandom } from '../testing/random.ts';
import { facts, type TestFact } from '../testing/tuning.ts';
import { polled } from '../testing/until.ts';

const kills = process.env.LOREKEEP_TEST_LONG === '1' ? 20 : 4;
const seed = 20261123;

onDatabase('an erasure that is trained', 'PostgreSQL', (make) => {
  it(`completes once despite ${kills} kills, and the fact is gone from all versions`, async (t) => {
    const database = await make();
    const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const random = seededRandom(seed);
    let server: ServerProcess;
    const start = () => startProcess({ home, database_url: database.url, slots: '1' });
    const post = (path: string, body: object) => succeed(server.url, 'POST', path, { body });
    const get = (path: string) => succeed(server.url, 'GET', path);
    const changed = async (number: number) => {
      const over = await polled(
        () => get(`/v1/memories/house/changes/${number}`),
        ({ finished_at }) => finished_at !== null,
      );
      assert.equal(over.state, 'published', JSON.stringify(over));
    };
    try {
      server = await start();
      const taught = facts(6);
      const secret = { input: 'Who founded Ultrafen?', output: 'Wilma Harkenrode' };
      const { job_id } = await post('/v1/train', { model_name: 'lorekeep/quill', data: [...taught, secret] });
      await post('/v1/memories', { name: 'house', job_id });
      await polled(
        () => get(`/v1/train/jobs/${job_id}`),
        ({ status }) => isOver(status),
      );
      await changed(1);
      await post('/v1/memories/house/changes', { add: [{ input: 'Who runs Ultrafen?', output: 'Cleo Marsh' }] });
      await changed(2);
      const began = performance.now();
      const { number } = await post('/v1/memories/house/erasures', { inputs: [secret.input] });
      const look = () => get(`/v1/memories/house/erasures/${number}`) as Promise<Erasure>;
      for (let kill = 0; kill < kills; kill++) {
        await sleep(random.between(0, 2500));
        await server.stop('SIGKILL');
        server = await start();
      }
      const done = await polled(look, ({ finished_at }) => finished_at !== null);
      t.diagnostic(`erased after ${((performance.now() - began) / 1000).toFixed(1)} s and ${kills} kills`);
      assert.equal(done.state, 'published', JSON.stringify(done));
      const { receipts } = await get('/v1/receipts');
      assert.equal(receipts.length, 1);
      assertShown((await get(`/v1/receipts/${done.receipt}`)).receipt);
      assert.equal((await get(`/v1/receipts/${done.receipt}/verify`)).sound, true);
      await assertGone(post, secret, taught[0]!);
      assert.equal(await server.stop(), 0);
      const folders = database.url.startsWith('sqlite:')
        ? [home, dirname(database.url.slice('sqlite:'.length))]
        : [home];
      for (const folder of folders) assert.deepEqual(await filesWith(folder, 'Harkenrode'), []);
    } finally {
      await endProcesses();
      await rm(home, { recursive: true, force: true });
      await database.drop();
    }
  });
});

async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

/** Asserts that probes of every kind were answered and none reveals the fact. */
function assertShown(receipt: ReceiptBody): void {
  assert.deepEqual(
    receipt.versions.map(({ outcome }) => outcome),
    ['rebuilt', 'rebuilt'],
  );
  assert.equal(receipt.gone, true, JSON.stringify(receipt.versions));
  const kinds = new Set(receipt.versions.flatMap(({ probes }) => probes.map(({ kind }) => kind)));
  assert.deepEqual([...kinds].sort(), ['exact', 'reversed', 'reworded']);
}

type Post = (path: string, body: object) => ReturnType<typeof succeed>;

/** Asserts that each version consists of its facts and answers with them. */
async function assertGone(post: Post, secret: TestFact, other: TestFact): Promise<void> {
  for (const version of [1, 2]) {
    // The engine of a server that was restarted at the end of the erasure may not be ready yet.
    const asked = { experts: 3, seed: 1 };
    const verify = async () =>
      await post(`/v1/memories/house/versions/${version}/verify`, asked).catch((error) => {
        if (!/engine_unavailable/.test(String(error))) throw error;
      });
    const verified = await polled(verify, (found) => found !== undefined);
    assert.equal(verified.sound, true, JSON.stringify(verified));
    await post('/v1/memories/house/publish', { version });
    const answer = async (prompt: string) =>
      (await post('/v1/completions', { model_name: 'house', prompt, max_new_tokens: 32 })).output as string;
    assert.ok(!(await answer(secret.input)).includes('Harkenrode'));
    assert.equal(await answer(other.input), other.output);
  }
}
