// Kills the real product with -9 while it reads, embeds, optimizes and deletes. Afterwards it resumes by itself: nothing is lost or
// duplicated, stored passages are not embedded again, and nothing remains of deleted data.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase } from '../testing/databases.ts';
import { seededRandom } from '../testing/random.ts';
import { embeddedToMeasure } from './indexing/calibrate.ts';
import { atRest, documentForm, filesOf, type Sent, send } from './testing/indexes.ts';
import { called, holding, placeOfSuite, stored, vectorsOf } from './testing/product-runs.ts';

const seed = 20261121;
const secret = 'xylophonist';

/** A document in which every section is a distinct passage. */
const sections = (file: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) => `## Section ${at} of ${file}\n\nThe ${secret} of ${file} plays piece ${at * 977}.\n`,
  ).join('\n');

const documents: Sent = {
  'small.md': sections('small', 30),
  'large.md': sections('large', 200),
  'broken.pdf': '%PDF-1.7\nnothing else',
  'last.md': sections('last', 60),
};
const passages = 30 + 200 + 60;

onDatabase('document indexes under kill -9', 'SQLite', (make) => {
  const place = placeOfSuite(make);
  const start = async () => called(await place.start());

  test('a killed build resumes and embeds no stored passage again', async (t) => {
    const random = seededRandom(seed);
    let server = await start();
    const id = await send(server, documents);
    const lives: string[] = [];
    const die = async (when: string) => {
      await server.kill();
      lives.push(`${when}: ${(await stored(place.url)).passages} passages`);
      server = await start();
    };
    await die('as soon as the files were acknowledged');
    await sleep(random.between(0, 400));
    await die('while it was reading or embedding');
    await server.until(id, ({ progress }) => progress.passages > 0);
    await sleep(random.between(0, 100));
    await die('when the first passages were stored');
    const before = await stored(place.url);
    // In the middle of a file.
    assert.ok(before.passages > 30 && before.passages < passages, lives.join('; '));
    const index = await atRest(server, id);
    assert.equal(index.status, 'PARTIALLY COMPLETED');
    assert.deepEqual(
      (await filesOf(server, id)).map(({ name, state, passages }) => `${name} ${state} ${passages}`),
      ['small.md done 30', 'large.md done 200', 'broken.pdf failed 0', 'last.md done 60'],
    );
    // The same content under another name is read but not embedded.
    const copy = documentForm({ 'copy.md': documents['small.md']!, 'last.md': documents['last.md']! });
    const added = await server.call('POST', `/v1/indexes/${id}/files`, { body: copy });
    assert.deepEqual(added.body.unchanged, ['last.md']);
    assert.equal((await atRest(server, id)).progress.passages, passages + 30);
    for (const file of ['small', 'large', 'last']) {
      const query = `Section 17 of ${file}`;
      const { body } = await server.call('POST', `/v1/indexes/${id}/search`, { body: { query, mode: 'text' } });
      assert.ok(
        body.passages.some(({ heading }: { heading: string }) => heading === query),
        JSON.stringify(body).slice(0, 300),
      );
    }
    await server.stop();
    const after = await stored(place.url);
    t.diagnostic(`${lives.join('; ')}; after the last of them ${after.embedded - before.embedded} texts were embedded`);
    assert.equal(
      after.embedded - before.embedded,
      // The expected count: the remaining passages, and the texts of two calibrations of the index. Full-text search does
      // not use the engine.
      passages - before.passages + embeddedToMeasure.elsewhere + 2 * embeddedToMeasure.own,
    );
    assert.deepEqual(after.doubled, []);
    assert.equal(await vectorsOf(place.home, after.vectors), passages + 30);
  });

  test('an index is intact after a kill during its optimization', async () => {
    let server = await start();
    const id = await send(server, { 'one.md': sections('one', 60) });
    await server.until(id, ({ status }) => ['SAVING MODEL', 'COMPLETED'].includes(status));
    await server.kill();
    server = await start();
    const index = await atRest(server, id);
    assert.deepEqual([index.status, index.progress.passages], ['COMPLETED', 60]);
    assert.ok(index.threshold! > 0);
    const { body } = await server.call('POST', `/v1/indexes/${id}/search`, { body: { query: 'Section 3 of one' } });
    assert.equal(body.passages[0].heading, 'Section 3 of one');
    assert.equal(await server.stop(), 0);
  });

  test('a kill during a deletion leaves nothing in the data folder', async () => {
    const random = seededRandom(seed);
    let server = await start();
    const { body } = await server.call('GET', '/v1/indexes');
    for (const { job_id: id } of body.indexes) {
      // No answer arrives, since the server is killed first.
      const asked = server.call('DELETE', `/v1/indexes/${id}`).catch(() => undefined);
      await sleep(random.between(0, 60));
      await server.kill();
      await asked;
      server = await start();
      const again = await server.call('DELETE', `/v1/indexes/${id}`);
      // The index is hidden, whether its deletion is complete or not.
      assert.ok([200, 404].includes(again.status), JSON.stringify(again.body));
    }
    assert.deepEqual((await server.call('GET', '/v1/indexes')).body.indexes, []);
    await server.untilGone(async () => (await stored(place.url)).indexes === 0);
    await server.untilGone(async () => holding(place.home, place.url, secret).length === 0);
    assert.deepEqual(await readdir(join(place.home, 'files/documents')), []);
    assert.deepEqual(await readdir(join(place.home, 'vectors')), []);
    assert.equal(await server.stop(), 0);
  });
});
