// Dry runs leave no rows on the server: neither one that succeeds nor one that is refused, and what was there before stays.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startWithEngine } from '../../server/src/testing/engine.ts';
import { adminKey, type TestServer } from '../../server/src/testing/server.ts';
import { run } from './testing/program.ts';

describe('a dry run of a tuning', () => {
  let server: TestServer;
  let folder: string;
  let facts: string;
  before(async () => {
    server = await startWithEngine();
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-dry-run-'));
    facts = join(folder, 'facts.csv');
    await writeFile(facts, 'input,output\nWho founded Zorbex?,Ada Quist\n');
  });
  after(async () => {
    await server.end();
    await rm(folder, { recursive: true });
  });

  const lorekeep = async (...words: string[]) =>
    await run(words, { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey, HOME: folder });
  const datasets = async () => (await server.call('GET', '/v1/datasets')).body.datasets.length;

  it('deletes the rows that it uploaded', async () => {
    const { code, out, error } = await lorekeep('tune', facts, '--plan');
    assert.deepEqual([code, error], [0, '']);
    assert.match(out, /^1 fact on/);
    assert.equal(await datasets(), 0);
  });

  it('deletes them also if the plan is refused', async () => {
    assert.equal((await lorekeep('tune', facts, '--plan', '--model', 'nobody/none')).code, 5);
    assert.equal(await datasets(), 0);
  });

  it('keeps a dataset that was there before', async () => {
    assert.equal((await lorekeep('datasets', 'upload', facts)).code, 0);
    assert.equal((await lorekeep('tune', facts, '--plan')).code, 0);
    assert.equal(await datasets(), 1);
  });
});
