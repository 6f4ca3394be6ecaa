// Kills the real server with -9 while it reads documents for a memory. Each restart continues with the file of the last one, and the
// reading ends once, with the same proposals as an undisturbed reading.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Proposal } from '@lorekeep/contract';
import { atRest, type Sent, send } from '../../documents/testing/indexes.ts';
import { called, placeOfSuite } from '../../documents/testing/product-runs.ts';
import type { Store } from '../../store/database.ts';
import { openStore } from '../../store/open.ts';
import { onDatabase } from '../../testing/databases.ts';
import type { OwnReading } from './readings.ts';

const files = 60;
const rowsOfFile = 25;

/** Every row is a fact. */
const documents: Sent = Object.fromEntries(
  Array.from({ length: files }, (_, file) => {
    const rows = Array.from({ length: rowsOfFile }, (_, row) => `| Valve ${file}-${row} | RV-${file * 100 + row} |`);
    return [`valves-${file}.md`, `# Valves\n\n| Valve | Code |\n| --- | --- |\n${rows.join('\n')}\n`];
  }),
);

onDatabase('a killed reading', 'PostgreSQL', (make) => {
  const place = placeOfSuite(make);
  const start = async () => called(await place.start());

  let store: Store;

  /** Inserts a memory directly, since these servers have no slots for a job. */
  async function newMemory(name: string): Promise<number> {
    const { id } = await store.db.selectFrom('accounts').select('id').orderBy('id').executeTakeFirstOrThrow();
    const empty = { published: null, latest: 0, changes: 0, proposals: 0, base_model: 'lorekeep/quill' };
    const made = await store.db
      .insertInto('memories')
      .values({ account_id: id, name, ...empty, created_at: Date.now() })
      .returning('id')
      .executeTakeFirstOrThrow();
    return made.id;
  }

  /** The state of the reading, read from the database, since a busy or killed server does not answer. */
  async function readingOf(memory: number, holds: (reading: OwnReading) => boolean = () => true): Promise<OwnReading> {
    for (let tries = 0; tries < 60_000; tries++) {
      const found = await store.db
        .selectFrom('memory_readings')
        .selectAll()
        .where('memory_id', '=', memory)
        .executeTakeFirst();
      if (found && holds(found)) return found;
      await sleep(1);
    }
    throw new Error('The reading never came so far.');
  }

  test('resumes and ends once with the same proposals', async (t) => {
    let server = await start();
    // The database is opened before the first kill, since a reading on SQLite takes only moments.
    store = await openStore(place.url);
    t.after(async () => await store.close());
    const index = await send(server, documents);
    assert.equal((await atRest(server, index)).status, 'COMPLETED');
    const read = async (memory: string) =>
      await server.call('POST', `/v1/memories/${memory}/readings`, { body: { index_id: index } });
    const isOver = ({ state }: OwnReading) => state !== 'running';

    const killed = await newMemory('killed');
    // The answer may never come, since the server is killed.
    const asked = read('killed').catch(() => undefined);
    const places: string[] = [];
    for (let done = 0; ; ) {
      const seen = await readingOf(killed, (one) => one.files_done > done || isOver(one));
      await server.kill();
      const left = await readingOf(killed);
      assert.ok(left.files_done >= seen.files_done, 'what was written is kept');
      places.push(`${left.files_done} of ${left.files}`);
      server = await start();
      if (isOver(left) || places.length === 3) break;
      done = left.files_done;
    }
    await asked;
    t.diagnostic(`killed at ${places.join(', ')} files`);
    assert.notEqual(places[0], `${files} of ${files}`, 'in the middle');
    const over = await readingOf(killed, isOver);
    const twin = await newMemory('whole');
    assert.equal((await read('whole')).status, 200);
    for (const { state, files_done, proposed, known } of [over, await readingOf(twin, isOver)])
      assert.deepEqual([state, files_done, proposed, known], ['done', files, files * rowsOfFile, 0]);

    const proposals = async (memory: string) => {
      const found: Proposal[] = [];
      for (let after: number | null | undefined; after !== null; ) {
        const from = after === undefined ? '' : `&after=${after}`;
        const { body } = await server.call('GET', `/v1/memories/${memory}/proposals?limit=1000${from}`);
        found.push(...body.proposals);
        after = body.next;
      }
      return found.map(({ number, kind, state, input, output, quote, source }) => ({
        ...{ number, kind, state, input, output, quote, source },
      }));
    };
    const [ofKilled, ofWhole] = [await proposals('killed'), await proposals('whole')];
    assert.equal(ofKilled.length, files * rowsOfFile);
    assert.deepEqual(ofKilled, ofWhole);
    assert.equal((await server.call('GET', '/v1/memories/killed/readings')).body.readings.length, 1);
    assert.equal((await server.call('GET', '/v1/audit/verify')).body.sound, true);
    assert.equal(await server.stop(), 0);
  });
});
