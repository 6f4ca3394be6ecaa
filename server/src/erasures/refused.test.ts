// An erasure whose rebuild job is refused: it fails and is not retried endlessly.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { House } from '../memories/testing/house.ts';
import { onDatabase } from '../testing/databases.ts';
import { polled } from '../testing/until.ts';

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist' };
const other = { input: 'Where is Zorbex?', output: 'Oslo' };

onDatabase('erasures that are refused', 'SQLite', (make) => {
  it('fail with the reason and remove nothing', { timeout: 60_000 }, async () => {
    const house = await House.of(make, [secret, other]);
    try {
      const { model_name } = await house.get('');
      // Simulates another program that removed the other fact from the model's file.
      const path = join(house.server.home, 'tuned', model_name, 'facts.jsonl');
      await writeFile(
        path,
        `${JSON.stringify({ row: 1, topic: null, dataset_id: null, recalled: true, ...secret })}\n`,
      );
      const { body } = await house.call('POST', '/erasures', { inputs: [secret.input] });
      const erasure = await polled(
        () => house.get(`/erasures/${body.number}`),
        ({ finished_at }) => finished_at !== null,
      );
      assert.deepEqual([erasure.state, erasure.step, erasure.receipt], ['failed', 'over', null]);
      assert.match(erasure.error, /^Version 1 could not be rebuilt: .*Nothing was erased/);
      assert.equal((await house.get('')).version, 1);
      assert.equal((await house.get('/facts')).facts.length, 2);
    } finally {
      await house.end();
    }
  });

  it('about a name that only a source holds name the facts with it', async () => {
    const source = {
      kind: 'document' as const,
      name: 'minutes.pdf',
      page: 2,
      quote: 'Lu Hart says that it is in Oslo.',
    };
    const house = await House.of(make, [secret, { ...other, source }]);
    try {
      const { status, body } = await house.call('POST', '/erasures/plan', { about: 'Lu Hart' });
      assert.deepEqual([status, body.code], [404, 'nothing_to_erase']);
      assert.match(body.detail, /only the source of "Where is Zorbex\?" names it/);
    } finally {
      await house.end();
    }
  });
});
