// lorekeep eval --gate with the bars of a memory's gate. The test supplies the answers of both versions.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { noEngine } from '../../server/src/erasures/testing/no-engine.ts';
import { House } from '../../server/src/memories/testing/house.ts';
import { emptySqlite } from '../../server/src/testing/databases.ts';
import { adminKey } from '../../server/src/testing/server.ts';
import { exitCodes } from './exit.ts';
import { run } from './testing/program.ts';

const rows = [
  { input: 'Where is Zorbex?', output: 'Oslo' },
  { input: 'Who cooks?', output: 'Eri' },
];

describe('lorekeep eval --gate of a memory', () => {
  let house: House;
  let home: string;
  let environment: Record<string, string>;
  before(async () => {
    house = await House.of(emptySqlite, rows.slice(0, 1), noEngine());
    home = await mkdtemp(join(tmpdir(), 'lorekeep-gate-'));
    environment = { LOREKEEP_BASE_URL: house.server.url, LOREKEEP_API_KEY: adminKey, HOME: home };
    const { body } = await house.server.call('POST', '/v1/local-data', { body: { data: rows } });
    const set = await house.call('POST', '/gate', { dataset_id: body.dataset_id, max_regressions: 0 });
    assert.equal(set.status, 200, JSON.stringify(set.body));
  });
  after(async () => {
    await rm(home, { recursive: true });
    await house.end();
  });
  const gate = async (...words: string[]) => await run(['eval', '-m', 'house', '--gate', ...words], environment);

  /** Answers the next evaluation of the command. */
  async function answered(id: number, now: (string | null)[], earlier: (string | null)[]): Promise<void> {
    for (let tries = 0; tries < 1200; tries++) {
      const { status } = await house.server.call('GET', `/v1/evaluations/${id}`);
      if (status === 200) return await house.answers(id, now, earlier);
      await sleep(25);
    }
    throw new Error(`There is no evaluation ${id}.`);
  }

  it('refuses a bar of the gate that cannot be measured, with the option to pass', { timeout: 60_000 }, async () => {
    const { code, out, error } = await gate();
    assert.deepEqual([code, out], [exitCodes.usage, '']);
    assert.match(error, /max_regressions 0.*version 1.*--against/s);
    assert.deepEqual((await house.server.call('GET', '/v1/evaluations')).body.evaluations, []);
  });

  it('refuses bars out of range and force without a reason, by the names of options', async () => {
    const set = await run(['memory', 'gate', 'house', '--set', 'x.jsonl', '--exact', '90'], environment);
    assert.equal(set.code, exitCodes.usage);
    assert.match(set.error, /--exact 90 is out of range/);
    const forced = await run(['memory', 'publish', 'house', '1', '--force'], environment);
    assert.equal(forced.code, exitCodes.usage);
    assert.match(forced.error, /--force needs its reason: --reason TEXT/);
  });

  it('counts regressions against the version before the published one', async () => {
    const number = await house.order({ add: [{ input: 'Who drives?', output: 'Dov' }] });
    const job = await house.jobOf(number);
    await house.ends(job, await house.linesOf(job));
    const { evaluation_id } = await house.changeWhen(number, (change) => change.evaluation_id !== null);
    await house.answers(evaluation_id!, [null, 'Ida'], [null, 'Ida']);
    assert.equal((await house.over(number)).state, 'published');

    const file = join(home, 'gate.xml');
    const [failed] = await Promise.all([
      gate('--junit', file),
      answered(evaluation_id! + 1, ['Bergen', null], [null, null]),
    ]);
    assert.equal(failed.code, exitCodes.failed, failed.error);
    assert.match(failed.error, /The bars are not held: 1 regression of 0 at most/);
    assert.match(failed.out, /row 1: Where is Zorbex\?/);
    assert.match(await readFile(file, 'utf8'), /<testsuite name="house: bars" tests="1" failures="1"/);
    const { targets } = (await house.server.call('GET', `/v1/evaluations/${evaluation_id! + 1}`)).body;
    assert.equal(targets[1].model_name, (await house.get('/versions')).versions[1].model_name);
  });

  it('names the options that publish a held version, and the remedy for a deleted evaluation set', async () => {
    const { dataset_id } = await house.get('/gate');
    await house.server.call('DELETE', `/v1/datasets/${dataset_id}`);
    const number = await house.order({ add: [{ input: 'Who sings?', output: 'Fay' }] });
    const job = await house.jobOf(number);
    await house.ends(job, await house.linesOf(job));
    const { version } = await house.over(number);
    const refused = await run(['memory', 'publish', 'house', String(version)], environment);
    assert.equal(refused.code, exitCodes.failed);
    assert.match(refused.error, /the set could not be asked: .*memory publish house 3 --force --reason TEXT\./);
    assert.doesNotMatch(refused.error, /"force"|POST|\.\./);
  });
});
