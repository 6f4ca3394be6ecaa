// lorekeep memory erase and memory erasures on a real server: both list what was removed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { noEngine } from '../../server/src/erasures/testing/no-engine.ts';
import { House } from '../../server/src/memories/testing/house.ts';
import { emptySqlite } from '../../server/src/testing/databases.ts';
import { adminKey } from '../../server/src/testing/server.ts';
import { onTerminal, run } from './testing/program.ts';

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist of Northmoor' };

describe('lorekeep memory erase', () => {
  let house: House;
  let environment: Record<string, string>;
  before(async () => {
    house = await House.of(emptySqlite, [secret, { input: 'Where is Zorbex?', output: 'Oslo' }], noEngine());
    environment = { LOREKEEP_BASE_URL: house.server.url, LOREKEEP_API_KEY: adminKey };
  });
  after(async () => await house.end());

  async function jobOf(number: number): Promise<number> {
    for (let tries = 0; tries < 600; tries++) {
      const { versions } = await house.get(`/erasures/${number}`);
      const job = versions?.[0].job_id;
      if (job) return job;
      await sleep(50);
    }
    throw new Error(`The erasure ${number} has no job.`);
  }

  /** Ends the job of an erasure with a model of the ordered facts. */
  async function rebuilt(number: number): Promise<void> {
    const job = await jobOf(number);
    await house.ends(job, await house.linesOf(job));
  }

  it('prints a complete dry run, also without a terminal', async () => {
    const { code, out, error } = await run(['memory', 'erase', 'house', '--about', 'zorbex', '--dry-run'], environment);
    assert.equal(code, 0, error);
    const { digest } = (await house.call('POST', '/erasures/plan', { about: 'zorbex' })).body;
    assert.match(out, /Who founded Zorbex\?\n {2}Ada Quist of Northmoor\n/);
    assert.match(
      out,
      /2 facts in 1 version, 1 dataset\.\nNo fact is left of version 1: ended\.\n2 rows of the dataset /,
    );
    assert.ok(out.endsWith(`To erase them: --digest ${digest}\n`), out);
    const facts = await run(['memory', 'facts', 'house', '--limit', '1', '--json'], environment);
    const [first] = JSON.parse(facts.out);
    const rest = await run(['memory', 'facts', 'house', '--after', String(first.id), '--json'], environment);
    assert.deepEqual([JSON.parse(facts.out).length, JSON.parse(rest.out).length], [1, 1]);
    const stale = await run(['memory', 'publish', 'house', '1', '--expected', '2'], environment);
    assert.match(stale.error, /version 1 is published/);
  });

  it('can be retried after a failure, and lists what was removed', {
    timeout: 60_000,
  }, async () => {
    const person = { kind: 'person', input: secret.input };
    const proposals = [1, 2].map((at) => ({ ...person, output: `Nobody ${at}` }));
    assert.equal((await house.call('POST', '/proposals', { proposals })).body.created, 2);
    const fails = run(['memory', 'erase', 'house', secret.input, '--watch'], environment);
    await house.server.call('POST', `/v1/train/jobs/${await jobOf(2)}/cancel`);
    const failed = await fails;
    assert.equal(failed.code, 6, failed.error);
    assert.match(failed.error, /was cancelled\. Nothing was erased.* memory erase house --again 2\n$/);
    const erase = onTerminal(['memory', 'erase', 'house', '--again', '2', '--watch'], environment);
    await rebuilt(3);
    assert.equal(await erase.ended, 0, erase.output());
    const words = /1 fact, 1 model, 1 row of datasets.* 2 proposals.* 2 open proposals rejected/;
    assert.match(erase.output().replaceAll(/\s+/g, ' '), new RegExp(`Erased: ${words.source}`));
    const { code, out, error } = await run(['memory', 'erasures', 'house'], environment);
    assert.equal(code, 0, error);
    assert.match(out, words);
  });
});
