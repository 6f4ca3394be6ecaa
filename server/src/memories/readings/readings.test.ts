// Readings of documents for a memory, on real databases. The test inserts passages as indexing leaves them.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type MemoryFact, type Proposal, type Reading, Refusal } from '@lorekeep/contract';
import { createLog } from '../../http/log.ts';
import type { Store } from '../../store/database.ts';
import { onDatabase } from '../../testing/databases.ts';
import type { TestServer } from '../../testing/server.ts';
import { polled } from '../../testing/until.ts';
import { House } from '../testing/house.ts';
import { ReadingWorker } from './worker.ts';

const silentLog = createLog({ log_level: 'silent', log_format: 'json' });

onDatabase('readings', 'PostgreSQL', (make) => {
  let server: TestServer;
  let store: Store;
  let house: House;
  beforeEach(async () => {
    house = await House.of(make, [
      { input: 'What is the code of Red valve?', output: 'RV-1' },
      { input: 'How heavy is the Larsen cup?', output: '1.2 kg' },
      { input: 'what does the Larsen cup cost', output: '48 EUR' },
    ]);
    ({ server, store } = house);
  });
  afterEach(async () => await house.end());

  let files = 0;
  async function newIndex(name = 'manuals'): Promise<number> {
    const { body } = await server.call('POST', '/v1/indexes', {
      body: { model_name: 'lorekeep/quill', name },
    });
    return body.job_id;
  }

  /** Inserts a file with one passage per text in one transaction. */
  async function addFile(index_id: number, name: string, texts: string[]): Promise<number> {
    const about = { kind: 'text', title: null, reason: null, pages: null, metadata: '{}', notices: '[]' };
    const now = Date.now();
    return await store.db.transaction().execute(async (change) => {
      const { id } = await change
        .insertInto('index_files')
        .values({
          ...{ index_id, name, sha256: `${files++}`, bytes: 1, blob: `none-${files}`, state: 'done', ...about },
          ...{ pages_done: 0, passages: texts.length, created_at: now, started_at: now, finished_at: now },
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const [number, text] of texts.entries()) {
        const passage = JSON.stringify({ number, text, context: '', headings: ['Valves'], page: 3, title: 'Valves' });
        await change
          .insertInto('index_passages')
          .values({ index_id, file_id: id, number, embedded: '', passage })
          .execute();
      }
      return id;
    });
  }

  const rows = (...codes: [string, string][]) =>
    ['Valve | Code', ...codes.map(([valve, code]) => `${valve} | ${code}`)].join('\n');
  const read = async (body: object) => {
    const { status, body: reading } = await house.post('/readings', body);
    assert.equal(status, 200, JSON.stringify(reading));
    return await present(async () => {
      const now: Reading = await house.get(`/readings/${reading.id}`);
      return now.state === 'running' ? undefined : now;
    });
  };
  async function present<T>(look: () => Promise<T | undefined>): Promise<T> {
    return (await polled(look, (found) => found !== undefined)) as T;
  }
  /** Inserts a reading as a server stores it, while no server runs. */
  async function order(index_id: number, count: number, asksBase: boolean): Promise<number> {
    const { id: memory_id } = await store.db.selectFrom('memories').select('id').executeTakeFirstOrThrow();
    const { id: key_id } = await store.db.selectFrom('keys').select('id').executeTakeFirstOrThrow();
    const { id } = await store.db
      .insertInto('memory_readings')
      .values({
        ...{ memory_id, index_id, only: null, min_confidence: 0, assignee: null, state: 'running', place: 0 },
        ...{ files: count, files_done: 0, proposed: 0, known: 0, notices: '[]', actor: 'Maya', created_at: 1 },
        key_id: asksBase ? key_id : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }
  const ordered = async (id: number) =>
    await store.db.selectFrom('memory_readings').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const untilOver = async (id: number) =>
    await present(async () => ((await ordered(id)).state === 'running' ? undefined : true));
  const proposals = async (query: string): Promise<Proposal[]> => (await house.get(`/proposals?${query}`)).proposals;

  it('propose the facts of documents once, with quote and page, and mark conflicts', async () => {
    const index = await newIndex();
    const file = await addFile(index, 'valves.md', [rows(['Red valve', 'RV-2'], ['Blue valve', 'BV-7'])]);
    await addFile(index, 'more.md', [rows(['Blue valve', 'BV-7'], ['Old valve', 'OV-3'])]);
    const reading = await read({ index_id: index, assignee: 'Maya' });
    assert.deepEqual(
      [reading.state, reading.files, reading.files_done, reading.proposed, reading.known, reading.notices],
      ['done', 2, 2, 3, 1, []],
    );
    const [red, blue] = await proposals('assignee=Maya');
    assert.deepEqual([red!.kind, red!.stands[0]!.output], ['conflict', 'RV-1']);
    assert.deepEqual(
      [blue!.kind, blue!.input, blue!.output, blue!.quote],
      ['document', 'What is the code of Blue valve?', 'BV-7', 'Valve | Code\nBlue valve | BV-7'],
    );
    const source = { document: 'valves.md', index_id: index, file_id: file, page: 3, conversation: null };
    assert.deepEqual(blue!.source, source);
    assert.equal((await read({ index_id: index, files: [file] })).proposed, 0);
    assert.equal((await house.get('/readings')).readings.length, 2);
    assert.equal((await house.post('/readings', { index_id: index, files: [999] })).body.code, 'index_file_not_found');
    const member = await server.member('Support');
    const theirs = await server.call('POST', '/v1/indexes', {
      key: member.key,
      body: { model_name: 'lorekeep/quill' },
    });
    assert.equal((await house.post('/readings', { index_id: theirs.body.job_id })).body.code, 'index_not_found');
  });

  it('recognise facts of rows under other questions, and report unused parts and files without text', async () => {
    const index = await newIndex();
    const table = 'Article | Price | Weight\nLarsen cup | 52 EUR | 1.2 kg\nMonday | 1 EUR | 2 kg';
    const file = await addFile(index, 'prices.md', [`${table}\nSize: see page 3\nHue: as above`]);
    const empty = await addFile(index, 'empty.md', []);
    const failed = { state: 'failed', reason: 'it is empty' } as const;
    await store.db.updateTable('index_files').set(failed).where('id', '=', empty).execute();
    const reading = await read({ index_id: index, files: [file, empty] });
    assert.deepEqual(
      [reading.proposed, reading.known, reading.notices],
      [
        1,
        1,
        [
          'Of prices.md 2 key-value lines and 1 row of a table gave no proposal.',
          'empty.md was not read: it is empty.',
        ],
      ],
    );
    const [price] = await proposals('');
    assert.deepEqual(
      [price!.kind, price!.output, price!.stands.map(({ input, output }) => [input, output])],
      ['conflict', '52 EUR', [['what does the Larsen cup cost', '48 EUR']]],
    );
    const given = { kind: 'person', input: 'Who?', output: 'Ada', source: { index_id: index, file_id: file } };
    await house.post('/proposals', { proposals: [given] });
    assert.equal((await proposals('kind=person'))[0]!.source.document, 'prices.md');
  });

  it('ask a base once per passage if it reads prose and the request allows it', async () => {
    const index = await newIndex();
    const prose = 'The firm Ultrafen brings parcels over 30 kg. The surcharge for islands is 12 euros at any weight.';
    const file = await addFile(index, 'delivery.md', [prose, rows(['Red valve', 'RV-1'])]);
    assert.equal((await read({ index_id: index })).asks_base, false, 'the base that ships does not read');
    const asked: string[] = [];
    await house.restart(async () => {
      const reading = await order(index, 1, true);
      const worker = new ReadingWorker(store, silentLog, async ({ model }, { messages }) => {
        asked.push(`${model}: ${messages[0]!.content.includes('Ultrafen')}`);
        return '{"facts": [{"question": "How much is the surcharge for islands?", "answer": "12 euros"}]}';
      });
      worker.start();
      await untilOver(reading);
      await worker.stop();
    });
    ({ server } = house);
    assert.deepEqual(asked, ['lorekeep/quill: true']);
    const [proposal] = await proposals('text=surcharge');
    assert.deepEqual(
      [proposal!.input, proposal!.output, proposal!.quote],
      [
        'How much is the surcharge for islands (Valves)?',
        '12 euros',
        'The surcharge for islands is 12 euros at any weight.',
      ],
    );
    // A new edition with the same words keeps the fact. It is added first, since the server withdraws facts without a document.
    const next = await addFile(index, 'delivery.md', [`Revised. ${prose}`]);
    await store.db.updateTable('index_files').set({ state: 'deleting' }).where('id', '=', file).execute();
    await present(async () => {
      const [now] = await proposals('text=surcharge');
      return now?.source.file_id === next ? true : undefined;
    });
  });

  it('are not delayed by a reading that asks a base for long or waits for the engine', async () => {
    const [long, short] = [await newIndex(), await newIndex('others')];
    const prose = 'The firm Ultrafen brings parcels over 30 kg. The surcharge for islands is 12 euros at any weight.';
    for (const name of ['a.md', 'b.md', 'c.md']) await addFile(long, name, [prose]);
    for (const name of ['d.md', 'e.md', 'f.md']) await addFile(short, name, [rows([`Valve ${name}`, `RV-${name}`])]);
    await house.restart(async () => {
      const [asking, other] = [await order(long, 3, true), await order(short, 3, false)];
      let isAway = true;
      const later: number[] = [];
      const doneOfLater: number[] = [];
      const worker = new ReadingWorker(store, silentLog, async () => {
        if (isAway) throw new Refusal('engine_unavailable', { reason: 'it starts' });
        if (later.length === 0) later.push(await order(short, 3, false));
        doneOfLater.push((await ordered(later[0]!)).files_done);
        return '{"facts": []}';
      });
      worker.start();
      await untilOver(other);
      assert.equal((await ordered(asking)).files_done, 0);
      isAway = false;
      await untilOver(asking);
      // A reading that was ordered meanwhile had its turns in between.
      assert.deepEqual(doneOfLater, [0, 0, 1]);
      await worker.stop();
    });
    ({ server } = house);
  });

  it('resume after a kill without losing or duplicating anything', async () => {
    const index = await newIndex();
    const ids: number[] = [];
    for (let at = 0; at < 6; at++)
      ids.push(await addFile(index, `part-${at}.md`, [rows([`Valve ${at}a`, `A-${at}`], [`Valve ${at}b`, `B-${at}`])]));
    const { id: memory_id } = await store.db.selectFrom('memories').select('id').executeTakeFirstOrThrow();
    await house.restart(async () => {
      // The state that a server leaves when it is killed after two of six files.
      await store.db
        .insertInto('memory_readings')
        .values({
          ...{ memory_id, index_id: index, only: null, min_confidence: 0, assignee: null, state: 'running' },
          ...{ place: ids[1]!, files: 6, files_done: 2, proposed: 4, known: 0, notices: '[]', actor: 'operator' },
          created_at: Date.now(),
        })
        .execute();
    });
    const { readings } = await present(async () => {
      const now = await house.get('/readings');
      return now.readings[0].state === 'done' ? now : undefined;
    });
    assert.deepEqual([readings[0].files_done, readings[0].proposed], [6, 12]);
    assert.equal((await proposals('limit=1000')).length, 8);
  });

  it('mark facts of a deleted document, and propose a change or a withdrawal', async () => {
    const index = await newIndex();
    const codes: [string, string][] = ['Green', 'Blue', 'Gray', 'Pink'].map((color, at) => [
      `${color} valve`,
      `V-${at}`,
    ]);
    const file = await addFile(index, 'valves.md', [rows(...codes)]);
    await read({ index_id: index });
    await house.post('/proposals/accept', { proposals: [{ number: 1 }, { number: 2 }, { number: 3 }] });
    await house.taught(2);
    const edition = rows(['Green valve', 'V-0'], ['Blue valve', 'V-9'], ['Pink valve', 'V-7']);
    const next = await addFile(index, 'valves.md', [edition]);
    // The first step of a deletion, which hides the file.
    await store.db.updateTable('index_files').set({ state: 'deleting' }).where('id', '=', file).execute();
    const stale = await present(async () => {
      const found = await proposals('kind=stale');
      return found.length === 2 ? found : undefined;
    });
    assert.deepEqual(
      stale.map(({ input, output, stands, by, source }) => [input, output, stands[0]!.output, by, source.file_id]),
      [
        ['What is the code of Blue valve?', 'V-9', 'V-1', 'server', next],
        ['What is the code of Gray valve?', null, 'V-2', 'server', next],
      ],
    );
    const [green, blue, , pink] = await proposals('state=all');
    assert.deepEqual([green!.source.file_id, green!.stale_since], [next, null]);
    assert.notEqual(blue!.stale_since, null);
    assert.deepEqual([pink!.state, pink!.decided_by], ['withdrawn', 'server']);
    const [newer] = await proposals('text=pink');
    assert.deepEqual([newer!.kind, newer!.output, newer!.source.file_id], ['document', 'V-7', next]);
    assert.deepEqual(Object.keys(await house.facts()).length, 6, 'nothing is withdrawn by itself');
    const marked = async () =>
      (await house.get('/facts?limit=1000')).facts
        .filter(({ stale_since }: MemoryFact) => stale_since !== null)
        .map(({ input }: MemoryFact) => input)
        .sort();
    assert.deepEqual(await marked(), ['What is the code of Blue valve?', 'What is the code of Gray valve?']);
    assert.notEqual(stale[0]!.stands[0]!.stale_since, null);
    await house.post('/proposals/accept', { proposals: stale.map(({ number }) => ({ number })) });
    await house.taught(3);
    assert.equal((await house.facts())['What is the code of Blue valve?'], 'V-9');
    assert.equal((await house.facts())['What is the code of Gray valve?'], undefined);
    assert.deepEqual(await marked(), [], 'the new edition is the source now');
  });
});
