// Progress of an index while its files are read, and small files that overtake a large one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOver } from '@lorekeep/contract';
import { pdfFile } from '../../../../reader/src/testing/pdf-file.ts';
import { until } from '../../testing/until.ts';
import { type Site, sitesOfSuite } from '../testing/workplace.ts';

/** A document in which every section is a passage. */
const sections = (name: string, count: number, more = '') =>
  Array.from({ length: count }, (_, at) => `## Section ${at} of ${name}\n\nIt plays piece ${at * 977}. ${more}\n`).join(
    '\n',
  );

describe('the progress of an index', () => {
  const open = sitesOfSuite();
  const atRest = async (one: Site, id: number) =>
    await until('it is at rest', async () => isOver((await one.indexes.show(one.caller, id)).status));

  it('names the pages of the file that is read, not of one before it', async () => {
    const one = await open();
    one.runner.start();
    const page = (text: string) => [{ text, x: 72, y: 72 }];
    const id = await one.create({
      'a.md': 'The gate opens at six.',
      'b.pdf': new Uint8Array(pdfFile([page('The first gate.'), page('The second gate.')])),
    });
    await atRest(one, id);
    const [, pdf] = (await one.files.list(one.caller, id, 10, undefined)).files;
    const events = await one.store.db
      .selectFrom('index_events')
      .select(['text', 'data'])
      .where('kind', '=', 'pages')
      .execute();
    assert.equal(events[0]?.text, '1 page of b.pdf read');
    for (const { data } of events) assert.deepEqual(JSON.parse(data), { file_id: pdf!.id });
  });

  it('counts the bytes that are read', async () => {
    const { one, first, rest } = await opened();
    const small = 'The gate opens at six.';
    const large = sections('large', 900, 'It plays in every season. '.repeat(20));
    const id = await one.create({ 'a.md': small, 'large.md': large });
    const progress = async () => (await one.indexes.show(one.caller, id)).progress;
    assert.deepEqual([(await progress()).bytes, (await progress()).bytes_read], [small.length + large.length, 0]);
    one.runner.start();
    first.resolve();
    await until('a part is stored', async () => (await progress()).passages > 1);
    const part = await progress();
    assert.ok(part.bytes_read > small.length && part.bytes_read < part.bytes, JSON.stringify(part));
    const [, file] = (await one.files.list(one.caller, id, 10, undefined)).files;
    assert.equal(file!.bytes_read, part.bytes_read - small.length);
    rest.resolve();
    await atRest(one, id);
    assert.equal((await progress()).bytes_read, part.bytes);
    assert.deepEqual(one.errors, []);
  });

  it('is made by small files first, also by those that are added while a large one is read', async () => {
    const { one, first, rest, isReading } = await opened();
    one.runner.start();
    const id = await one.create({ 'large.md': sections('large', 900), 'a.md': 'The gate opens at six.' });
    await until('the large one is read', isReading);
    const added = async (name: string, text: string) =>
      (await one.files.add(one.caller, id, { files: await one.received({ [name]: text }), metadata: {} })).ids[0]!;
    const small = await added('small.md', 'The pool opens at nine.');
    const larger = await added('larger.md', sections('huge', 1200));
    first.resolve();
    await until('the small one is read', async () => (await one.files.show(one.caller, id, small)).state === 'done');
    const states = async () =>
      (await one.files.list(one.caller, id, 10, undefined)).files.map(({ name, state }) => `${name} ${state}`);
    assert.deepEqual(await states(), ['large.md reading', 'a.md done', 'small.md done', 'larger.md waiting']);
    rest.resolve();
    await atRest(one, id);
    assert.deepEqual(await states(), ['large.md done', 'a.md done', 'small.md done', 'larger.md done']);
    assert.equal((await one.files.show(one.caller, id, larger)).passages, 1200);
    assert.equal(await one.vectors.count((await one.indexStore.show(id))!.vectors), 900 + 1 + 1 + 1200);
    assert.deepEqual(one.errors, []);
  });

  /** A server that embeds the first part of a large file when the test allows it, and its other parts when it allows those. */
  async function opened() {
    const [first, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    const one = await open({
      onEmbed: async (texts) => {
        if (texts.some((text) => text.includes('of large'))) await (++calls === 1 ? first : rest).promise;
      },
    });
    return { one, first, rest, isReading: () => calls > 0 };
  }
});
