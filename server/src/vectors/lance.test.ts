// Vector and full-text search on real tables, on disk and in object storage.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { testFolder } from '../../../reader/src/testing/reading.ts';
import { S3Tables } from '../blobs/s3/tables.ts';
import { seededRandom } from '../testing/random.ts';
import { bucketOf, noStorage, optionsOf, startStorage, type TestStorage } from '../testing/storage.ts';
import { LanceVectors } from './lance.ts';
import { folderOfTables, type TablePlace } from './place.ts';
import { type Hit, passageKey, type VectorRow } from './vectors.ts';

const random = seededRandom(7);
const vector = () => Float32Array.from({ length: 16 }, () => random.between(-1000, 1000) / 1000);
const row = (file: number, number: number, text = `passage ${number}`): VectorRow => ({
  file,
  number,
  hash: `${file}-${number}`,
  text,
  vector: vector(),
});
const all = { not: [] };

interface Place {
  place: TablePlace;
  /** Whether any file contains the word. */
  holds(word: string): Promise<boolean>;
  isEmpty(): Promise<boolean>;
}

async function inFolder(): Promise<Place> {
  const folder = await testFolder();
  const found = (word: string) =>
    execFileSync('sh', ['-c', 'grep -rl "$1" "$0" || true', folder, word], { encoding: 'utf8' });
  return {
    place: folderOfTables(folder),
    holds: async (word) => found(word) !== '',
    isEmpty: async () => (await readdir(folder)).length === 0,
  };
}

let storage: Promise<TestStorage> | undefined;
after(async () => await (await storage)?.end());

async function inStorage(): Promise<Place> {
  storage ??= startStorage();
  const { endpoint, prefix: newPrefix } = await storage;
  const prefix = newPrefix();
  const bucket = bucketOf(endpoint, prefix);
  return {
    place: new S3Tables(bucket, prefix, optionsOf(endpoint)),
    holds: async (word) => {
      for await (const item of bucket.list('')) if ((await bucket.text(item.name)).includes(word)) return true;
      return false;
    },
    isEmpty: async () => (await Array.fromAsync(bucket.list(''))).length === 0,
  };
}

suite('in a folder', false, inFolder);
suite('in object storage', noStorage, inStorage);

function suite(where: string, skip: string | false, newPlace: () => Promise<Place>): void {
  const newVectors = async (options = {}) => new LanceVectors((await newPlace()).place, options);
  describe(`vectors ${where}`, { skip }, () => {
    searches(newVectors);
    compares(newVectors);
    removes(newPlace, newVectors);
    walks(newPlace, newVectors);
  });
}

type NewVectors = (options?: { exactUpTo: number }) => Promise<LanceVectors>;

function searches(newVectors: NewVectors): void {
  it('finds the nearest vectors, also restricted to some files', async () => {
    const vectors = await newVectors();
    const rows = Array.from({ length: 300 }, (_, at) => row(at % 3, at));
    await vectors.add('t', rows.slice(0, 100));
    await vectors.add('t', rows.slice(100));
    const [best] = await vectors.nearest('t', rows[7]!.vector, 1, all);
    assert.deepEqual([best!.file, best!.number], [1, 7]);
    assert.ok(best!.similarity! > 0.999);
    const others = await vectors.nearest('t', rows[7]!.vector, 300, { not: [1] });
    assert.equal(others.length, 200);
    assert.ok(others.every(({ file }) => file !== 1));
    const one = await vectors.nearest('t', rows[7]!.vector, 300, { only: [2] });
    assert.ok(one.length === 100 && one.every(({ file }) => file === 2));
    assert.deepEqual(await vectors.nearest('t', rows[7]!.vector, 5, { only: [] }), []);
  });

  it('finds words by stem, without accents, in other scripts, and in rows added later', async () => {
    const vectors = await newVectors();
    await vectors.add('t', [
      row(1, 0, 'The valves are inspected every spring.'),
      row(1, 1, 'Le café est fermé.'),
      row(1, 2, '図書館は九時に開きます。'),
      row(1, 3, 'The part RV-2207 is red.'),
    ]);
    await vectors.settle('t');
    await vectors.add('t', [row(2, 0, 'A zanzibar note.')]);
    const found = async (text: string) =>
      (await vectors.matching('t', text, 5, all)).map(({ file, number }) => `${file}:${number}`);
    assert.deepEqual(await found('inspect valve'), ['1:0']);
    assert.deepEqual(await found('cafe'), ['1:1']);
    assert.deepEqual(await found('図書館'), ['1:2']);
    assert.deepEqual((await found('RV-2207'))[0], '1:3');
    assert.deepEqual(await found('zanzibar'), ['2:0']);
    assert.deepEqual(await found('"AND (OR *'), []);
  });
}

function compares(newVectors: NewVectors): void {
  it('computes similarities of full-text hits, also after the table was optimized in between', async () => {
    const vectors = await newVectors();
    const rows = Array.from({ length: 60 }, (_, at) => row(1 + (at % 3), at, at % 2 ? 'the brass valve' : 'a pump'));
    for (const one of rows) await vectors.add('t', [one]);
    await vectors.settle('t');
    const hits = await vectors.matching('t', 'valve', 30, all);
    const right = (found: Hit[]) => {
      assert.equal(found.length, 30);
      for (const { number, similarity } of found) assert.ok(Math.abs(similarity! - cosine(rows[number]!)) < 1e-5);
    };
    const asked = vector();
    const length = (one: Float32Array) => Math.hypot(...one);
    const cosine = ({ vector: its }: VectorRow) =>
      its.reduce((sum, value, at) => sum + value * asked[at]!, 0) / length(its) / length(asked);
    right(await vectors.compared('t', asked, hits));
    await vectors.removeFrom('t', [{ file: 2, from: 0 }]);
    await vectors.add('t', rows.filter(({ file }) => file === 2).toReversed());
    await vectors.settle('t');
    right(await vectors.compared('t', asked, hits));
    await vectors.removeFrom('t', [{ file: 2, from: 0 }]);
    const left = await vectors.compared('t', asked, hits);
    assert.deepEqual(
      left.map(({ file, similarity }) => similarity === null && file === 2),
      left.map(({ file }) => file === 2),
    );
  });
}

function removes(newPlace: () => Promise<Place>, newVectors: NewVectors): void {
  it('removes rows after a position, and whole files', async () => {
    const vectors = await newVectors();
    await vectors.add('t', [row(1, 0), row(1, 1), row(1, 2), row(2, 0), row(3, 0)]);
    await vectors.removeFrom('t', [
      { file: 1, from: 2 },
      { file: 2, from: 0 },
    ]);
    assert.equal(await vectors.count('t'), 3);
    assert.deepEqual([...(await vectors.vectorsOf('t', [{ file: 1, number: 1 }])).keys()], ['1:1']);
  });

  for (const others of [1, 500])
    it(`leaves no bytes on disk of rows removed from among ${others}, or of a dropped table`, async () => {
      const { place, holds, isEmpty } = await newPlace();
      const vectors = new LanceVectors(place);
      const rows = Array.from({ length: others }, (_, number) => row(1, number, `keep ${number}`));
      await vectors.add('t', [row(2, 0, 'a secret word: xylophon'), ...rows]);
      await vectors.settle('t');
      assert.ok(await holds('xylophon'));
      await vectors.removeFrom('t', [{ file: 2, from: 0 }]);
      const left = await vectors.purge('t', 't2');
      if (left === 't2') await vectors.drop('t');
      assert.ok(!(await holds('xylophon')));
      assert.equal(await vectors.count(left), others);
      assert.equal((await vectors.matching(left, 'keep', 5, all)).length, Math.min(5, others));
      await vectors.drop(left);
      assert.ok(await isEmpty());
      assert.deepEqual(await vectors.nearest(left, vector(), 5, all), []);
      await vectors.add('t3', [row(1, 0)]);
      assert.deepEqual(await vectors.tables(), ['t3']);
    });
}

function walks(newPlace: () => Promise<Place>, newVectors: NewVectors): void {
  it('uses a graph index above a number of passages, and reports its recall', async () => {
    const vectors = await newVectors({ exactUpTo: 500 });
    const rows = Array.from({ length: 1000 }, (_, at) => row(1, at));
    await vectors.add('t', rows.slice(0, 400));
    assert.equal(await vectors.settle('t'), undefined);
    await vectors.add('t', rows.slice(400));
    const measured = await vectors.settle('t');
    assert.equal(measured?.passages, 1000);
    assert.ok(measured.recall >= 0.98, String(measured.recall));
    const [best] = await vectors.nearest('t', rows[999]!.vector, 1, all, measured);
    assert.equal(best!.number, 999);
    const wide = await vectors.nearest('t', rows[999]!.vector, 200, all, measured);
    const exact = await vectors.nearest('t', rows[999]!.vector, 200, all);
    const found = new Set(wide.map(passageKey));
    assert.ok(exact.filter((hit) => found.has(passageKey(hit))).length >= 190);
  });

  it('breaks ties by position, in whatever order the rows were written', async () => {
    const { place } = await newPlace();
    const same = vector();
    const rows = Array.from({ length: 200 }, (_, number) => ({ ...row(1, number, 'x | 1'), vector: same }));
    let vectors = new LanceVectors(place);
    for (let at = 150; at >= 0; at -= 50) await vectors.add('t', rows.slice(at, at + 50).reverse());
    await vectors.settle('t');
    const first = Array.from({ length: 50 }, (_, number) => number);
    const found = async () => ({
      near: (await vectors.nearest('t', same, 50, all)).map(({ number }) => number),
      worded: (await vectors.matching('t', 'x', 50, all)).map(({ number }) => number),
    });
    assert.deepEqual(await found(), { near: first, worded: first });
    await vectors.removeFrom('t', [{ file: 1, from: 120 }]);
    await vectors.settle('t');
    vectors = new LanceVectors(place);
    assert.deepEqual(await found(), { near: first, worded: first });
  });
}
