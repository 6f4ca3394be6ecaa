// Kills the real product between any two related writes; it resumes without damage.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { onDatabase } from '../../testing/databases.ts';
import { atRest, filesOf, send } from '../testing/indexes.ts';
import type { Point } from '../testing/kill-at-point.ts';
import { called, holding, type ProductRun, placeOfSuite, stored, vectorsOf } from '../testing/product-runs.ts';

const secret = 'xylophonist';
/** Node options of the server: those that ./lorekeep test sets for every process, and the module with the crash points. */
const options = [process.env.NODE_OPTIONS, `--import=${join(import.meta.dirname, '../testing/kill-at-point.ts')}`]
  .filter(Boolean)
  .join(' ');

onDatabase('an index whose server dies', 'PostgreSQL', (make) => {
  const place = placeOfSuite(make);
  const { start } = place;

  /** Crash points that may be reached before the server reports that it is ready. */
  const dies = async (point: Point, meanwhile = async (_: ProductRun) => {}) => {
    const run = await start(['env', `KILL_AT=${point}`, `NODE_OPTIONS=${options}`]).catch((error: Error) => {
      assert.match(error.message, /before it was ready \(SIGKILL\)/, point);
    });
    if (!run) return;
    await meanwhile(called(run));
    assert.equal(await run.ended, 'SIGKILL', point);
  };

  test('a crash between writes loses and duplicates nothing, and leaves no removed data', {
    timeout: 300_000,
  }, async () => {
    let id = 0;
    const sections = Array.from({ length: 40 }, (_, at) => `## Section ${at}\n\nIt plays piece ${at * 977}.\n`);
    await dies('vectors added', async (run) => {
      id = await send(run, { 'secret.txt': `The ${secret} is Berta Oom.`, 'stays.md': sections.join('\n') });
    });
    let server = called(await start());
    assert.deepEqual(
      [(await atRest(server, id)).status, (await atRest(server, id)).progress.passages],
      ['COMPLETED', 41],
    );
    const [file] = await filesOf(server, id);
    await server.stop();
    const before = await stored(place.url);
    assert.deepEqual([before.passages, before.doubled, await vectorsOf(place.home, before.vectors)], [41, [], 41]);

    // No answer arrives.
    await dies('vectors copied', async (run) => {
      await run.call('DELETE', `/v1/indexes/${id}/files/${file!.id}`).catch(() => undefined);
    });
    for (const point of ['vectors switched', 'copy forgotten', 'blobs removed'] as const) await dies(point);
    server = called(await start());
    await server.untilGone(async () => (await stored(place.url)).passages === 40);
    await server.untilGone(async () => holding(place.home, place.url, secret).length === 0);
    assert.deepEqual(
      (await filesOf(server, id)).map(({ name }) => name),
      ['stays.md'],
    );
    assert.equal((await atRest(server, id)).status, 'COMPLETED');
    const { body } = await server.call('POST', `/v1/indexes/${id}/search`, {
      body: { query: 'Section 3', mode: 'text' },
    });
    assert.equal(body.passages.length, 10);
    assert.equal(await server.stop(), 0);
    const after = await stored(place.url);
    assert.notEqual(after.vectors, before.vectors);
    assert.deepEqual([after.passages, after.doubled, await vectorsOf(place.home, after.vectors)], [40, [], 40]);
    assert.deepEqual(await readdir(join(place.home, 'vectors')), [`${after.vectors}.lance`]);
    assert.equal((await readdir(join(place.home, 'files/documents'))).length, 1);
  });
});
