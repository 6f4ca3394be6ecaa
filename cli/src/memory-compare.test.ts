// lorekeep memory compare with an evaluation set. The test supplies the answers, and no version is asked twice.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { House } from '../../server/src/memories/testing/house.ts';
import { emptySqlite } from '../../server/src/testing/databases.ts';
import { adminKey } from '../../server/src/testing/server.ts';
import { exitCodes } from './exit.ts';
import { run } from './testing/program.ts';

const rows = [
  { input: 'Where is Zorbex?', output: 'Oslo' },
  { input: 'Who cooks?', output: 'Eri' },
  { input: 'Who drives?', output: 'Dov' },
];

describe('lorekeep memory compare --on', () => {
  let house: House;
  let home: string;
  let environment: Record<string, string>;
  let evaluation: number;
  before(async () => {
    house = await House.of(emptySqlite, rows.slice(0, 1));
    await house.changed({ change: [{ input: 'Where is Zorbex?', output: 'Bergen' }] });
    const { body } = await house.server.call('POST', '/v1/local-data', { body: { data: rows } });
    evaluation = (await house.call('POST', '/comparisons', { dataset_id: body.dataset_id })).body.evaluation_id;
    await house.answers(evaluation, ['Bergen', null, 'Ida'], [null, '\u001b[31mnobody', 'Ben']);
    home = await mkdtemp(join(tmpdir(), 'lorekeep-compare-'));
    environment = { LOREKEEP_BASE_URL: house.server.url, LOREKEEP_API_KEY: adminKey, HOME: home };
    await writeFile(join(home, 'set.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  });
  after(async () => {
    await rm(home, { recursive: true });
    await house.end();
  });
  const compare = async (...words: string[]) =>
    await run(['memory', 'compare', 'house', '1', '2', '--on', join(home, 'set.jsonl'), ...words], environment);

  it('prints the counts, and each row with both answers and the right one', async () => {
    const { code, out, error } = await compare();
    assert.equal(code, exitCodes.done, error);
    assert.match(out, /version 1: 1 of 3 rows right\nversion 2: 1 of 3 rows right\n/);
    assert.match(out, /3 answers differ: 1 right before, 1 right now, 1 wrong in both/);
    assert.match(out, /row 1: Where is Zorbex\?\n {2}= Oslo\n {2}✔ - Oslo\n {2}✖ \+ Bergen/);
    assert.match(out, /row 3: Who drives\?\n {2}= Dov\n {2}✖ - Ben\n {2}✖ \+ Ida/);
    assert.ok(!out.includes('\u001b[31m'), 'an answer does not colour the terminal');
  });

  it('prints only rows that one version answers right, and everything as JSON', async () => {
    const lost = await compare('--right', 'before');
    assert.match(lost.out, /row 1/);
    assert.doesNotMatch(lost.out, /row [23]/);
    const found = JSON.parse((await compare('--json')).out.trim().split('\n').at(-1)!);
    assert.deepEqual([found.evaluation_id, found.differing, found.differences.length], [evaluation, 3, 3]);
  });
});
