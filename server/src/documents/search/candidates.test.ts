// Search among many copies of one text, and while the vectors move to another table.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../testing/until.ts';
import type { OwnIndex } from '../rows.ts';
import { type Site, sitesOfSuite, vectorOf } from '../testing/workplace.ts';
import { Search } from './search.ts';

describe('a search', () => {
  const open = sitesOfSuite();
  const built = async (one: Site, files: Record<string, string>) => {
    one.runner.start();
    const id = await one.create(files);
    await until(`index ${id} is built`, async () => (await one.indexes.show(one.caller, id)).status === 'COMPLETED');
    return await one.indexes.own(one.caller, id);
  };
  const searching = ({ store, vectors, modelClient }: Site) => new Search(store, vectors, modelClient);
  const callContext = { accountId: 1, keyId: 1, signal: new AbortController().signal };

  it('finds other texts beside a text with sixty copies', async () => {
    const one = await open();
    const files: Record<string, string> = {};
    for (let at = 0; at < 60; at++) files[`letter ${at}.txt`] = 'The tram of the town is red.';
    for (let at = 0; at < 12; at++)
      files[`other ${at}.txt`] = `A tram of number ${at} was seen somewhere in a far away place.`;
    const index = await built(one, files);
    for (const mode of ['hybrid', 'vectors', 'text'] as const) {
      const { passages } = await searching(one).search(
        index,
        { text: 'The tram of the town is red', limit: 10, mode },
        callContext,
      );
      assert.equal(new Set(passages.map(({ text }) => text)).size, 10, mode);
    }
  });

  it('reranks other texts beside a text with a thousand copies', async () => {
    const one = await open();
    const index = await built(one, {
      'letter.txt': 'The tram of the town is red.',
      'other.txt': 'A tram was seen somewhere in a far away place.',
    });
    await copied(one, index, 'letter.txt', 1_100);
    const { passages } = await searching(one).search(
      index,
      { text: 'The tram of the town is red', limit: 10, rerank: true },
      callContext,
    );
    assert.deepEqual(
      passages.map(({ text }) => text),
      ['The tram of the town is red.', 'A tram was seen somewhere in a far away place.'],
    );
  });

  it('runs the full-text search while the question is embedded', async () => {
    const gate = Promise.withResolvers<void>();
    const one = await open({ onEmbed: async ([text]) => (text === 'red tram' ? await gate.promise : undefined) });
    const index = await built(one, { 'letter.txt': 'The tram of the town is red.' });
    const asked = Promise.withResolvers<void>();
    const { matching } = one.vectors;
    one.vectors.matching = async (...words) => {
      asked.resolve();
      return await matching.apply(one.vectors, words);
    };
    const found = searching(one).search(index, { text: 'red tram', limit: 5 }, callContext);
    await asked.promise;
    gate.resolve();
    assert.equal((await found).passages.length, 1);
  });

  it('finds the remaining passages when a file is removed during the search', async () => {
    const one = await open();
    const other = await open({ home: one.home });
    const long = Array.from({ length: 300 }, (_, at) => `## Section ${at}\n\nIt plays piece ${at * 977}.\n`).join('\n');
    const before = await built(one, { 'secret.txt': 'The xylophonist is Berta Oom.', 'long.md': long });
    const query = { text: 'It plays piece 977', limit: 5 };
    for (const server of [one, other])
      assert.equal((await searching(server).search(before, query, callContext)).passages.length, 5);
    const { files } = await one.files.list(one.caller, before.id, 10, undefined);
    assert.equal(await one.files.delete(one.caller, before.id, files[0]!.id), true);
    const now = await one.indexes.own(one.caller, before.id);
    assert.notEqual(now.vectors, before.vectors);
    for (const server of [one, other])
      assert.equal((await searching(server).search(before, query, callContext)).passages.length, 5);
  });

  it('needs no new calibration after small removals', async () => {
    let embedded = 0;
    const one = await open({
      onEmbed: (texts) => {
        embedded += texts.length;
      },
    });
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`${at}.txt`, `The tram number ${at} is red.`]),
    );
    const { id, measured } = await built(one, files);
    const remove = async (count: number) => {
      const { files } = await one.files.list(one.caller, id, count, undefined);
      const before = embedded;
      for (const file of files) await one.files.delete(one.caller, id, file.id);
      await until('it is at rest', async () => (await one.indexes.own(one.caller, id)).owner === null);
      return embedded - before;
    };
    assert.equal(await remove(1), 0);
    assert.equal((await one.indexes.own(one.caller, id)).measured, measured);
    assert.ok((await remove(5)) > 0);
  });
});

/** Simulates that the same file was added this many times more. */
async function copied({ store, vectors }: Site, index: OwnIndex, name: string, times: number): Promise<void> {
  const { db } = store;
  const { id, ...file } = await db
    .selectFrom('index_files')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  const passage = await db.selectFrom('index_passages').selectAll().where('file_id', '=', id).executeTakeFirstOrThrow();
  const { text, hash } = JSON.parse(passage.passage) as { text: string; hash: string };
  const ids: number[] = [];
  for (let at = 0; at < times; at++) {
    const values = { ...file, name: `${at} ${name}`, blob: `${at} ${file.blob}`, sha256: `${at} ${file.sha256}` };
    ids.push((await db.insertInto('index_files').values(values).returning('id').executeTakeFirstOrThrow()).id);
  }
  for (const file_id of ids)
    await db
      .insertInto('index_passages')
      .values({ ...passage, file_id })
      .execute();
  const vector = vectorOf(text);
  await vectors.add(
    index.vectors,
    ids.map((file) => ({ file, number: passage.number, hash, text, vector })),
  );
  await vectors.settle(index.vectors);
}
