// lorekeep memory apply on a real server: a file of facts becomes one change of a memory.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noEngine } from '../../server/src/erasures/testing/no-engine.ts';
import { House } from '../../server/src/memories/testing/house.ts';
import { emptySqlite } from '../../server/src/testing/databases.ts';
import { adminKey } from '../../server/src/testing/server.ts';
import { run } from './testing/program.ts';

const founder = { input: 'Who founded Zorbex?', output: 'Ada Quist' };
const place = { input: 'Where is Zorbex?', output: 'Oslo' };
const lines = (facts: object[]) => facts.map((fact) => `${JSON.stringify(fact)}\n`).join('');

describe('lorekeep memory apply', () => {
  let house: House;
  let environment: Record<string, string>;
  before(async () => {
    house = await House.of(emptySqlite, [founder, place], noEngine());
    environment = { LOREKEEP_BASE_URL: house.server.url, LOREKEEP_API_KEY: adminKey };
  });
  after(async () => await house.end());

  const changes = async () => (await house.get('/changes')).changes.length;
  const apply = async (file: string, ...words: string[]) =>
    await run(['memory', 'apply', 'house', '-', ...words], environment, file);

  const file = lines([
    { input: 'who founded zorbex', output: 'Ada Quist' },
    { ...place, output: 'Bergen' },
    { input: 'Who runs Zorbex?', output: 'Ben Oru', subject: 'Zorbex', valid_from: '2026-01-01' },
    { input: 'Who runs Zorbex?', output: 'Ben Oru' },
  ]);

  it('prints the change of a dry run and makes none', async () => {
    const before = await changes();
    const { code, out, error } = await apply(file, '--dry-run', '--beside');
    assert.deepEqual([code, error], [0, '']);
    assert.match(out, /\+ Who runs Zorbex\?\s+Ben Oru\n~ Where is Zorbex\?\s+- Oslo\s+\+ Bergen/);
    assert.match(out, /1 to add, 1 to change, 1 as they are/);
    assert.equal(await changes(), before);
    const { datasets } = (await house.server.call('GET', '/v1/datasets')).body;
    assert.deepEqual(
      datasets.map(({ rows }: { rows: number }) => rows),
      [2],
      'only the dataset that the memory was tuned on',
    );
  });

  it('adds new questions, changes other answers, keeps the rest, and names dataset and row as the source', async () => {
    const { code, error } = await apply(file, '--beside', '--reason', 'the list of May');
    assert.deepEqual([code, error], [0, '']);
    const change = await house.taught(2);
    assert.deepEqual([change.added, change.changed, change.withdrawn], [1, 1, 0]);
    assert.equal(change.reason, 'the list of May');
    assert.deepEqual(await house.facts(), {
      [founder.input]: 'Ada Quist',
      [place.input]: 'Bergen',
      'Who runs Zorbex?': 'Ben Oru',
    });
    const { facts } = await house.get('/facts?text=runs');
    assert.equal(facts[0].subject, 'Zorbex');
    assert.equal(facts[0].valid_from, '2026-01-01');
    assert.equal(facts[0].source.kind, 'dataset');
    assert.match(facts[0].source.name, /^[0-9a-f]{64}$/);
  });

  it('changes nothing the second time', async () => {
    const before = await changes();
    const { code, out } = await apply(file, '--beside');
    assert.deepEqual([code, out.trim()], [0, '']);
    assert.equal(await changes(), before);
  });

  it('refuses a file that answers one question twice, with its rows', async () => {
    const before = await changes();
    const twice = lines([founder, { ...founder, output: 'Lu Hart' }]);
    const { code, error } = await apply(twice);
    assert.equal(code, 1);
    assert.match(error, /row 1: .*Ada Quist.*row 2: .*Lu Hart.*Nothing was changed/s);
    const letters = await apply(
      lines([
        { input: 'Who heads it?', output: 'A' },
        { input: 'who heads it', output: 'B' },
      ]),
    );
    assert.equal(letters.code, 1, letters.error);
    assert.equal(await changes(), before);
  });

  it('refuses a file without rows, and a missing file', async () => {
    assert.equal((await apply('')).code, 1);
    const { code, error } = await run(['memory', 'apply', 'house', 'no-such-file.csv'], environment);
    assert.equal(code, 2);
    assert.match(error, /no file "no-such-file\.csv"/);
  });
});

describe('lorekeep memory add', () => {
  it('refuses a fact that the memory has in another letter case', async () => {
    const house = await House.of(emptySqlite, [founder], noEngine());
    const environment = { LOREKEEP_BASE_URL: house.server.url, LOREKEEP_API_KEY: adminKey };
    try {
      const add = ['memory', 'add', 'house', 'who founded ZORBEX', 'Ada Quist'];
      const { code, error } = await run(add, environment);
      assert.equal(code, 1);
      assert.match(error, /answers "who founded ZORBEX" with this answer already/);
      assert.equal((await run([...add, '--beside'], environment)).code, 0);
    } finally {
      await house.end();
    }
  });
});
