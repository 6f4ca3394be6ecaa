// A memory with the real engine: its name answers with added facts and no longer with withdrawn ones.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { run } from '../../../cli/src/testing/program.ts';
import { untilReady } from '../testing/engine.ts';
import { adminKey, startServer, type TestServer, withEngine } from '../testing/server.ts';
import { assertRecalls, facts, jobOver, submit } from '../testing/tuning.ts';
import { changeOver } from './testing/change-over.ts';

describe('a memory that is trained', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ slots: '1' }, withEngine);
    await untilReady(server);
  });
  after(async () => await server.end());

  const over = async (number: number) => await changeOver(server, number);
  const published = async (number: number) => {
    const change = await over(number);
    assert.equal(change.state, 'published', JSON.stringify(change));
    return change;
  };
  const order = async (body: object) => {
    const { status, body: change } = await server.call('POST', '/v1/memories/house/changes', { body });
    assert.equal(status, 200, JSON.stringify(change));
    return await published(change.number);
  };

  /** Facts and proposals that ask in other words who runs Ultrafen. */
  async function contradictions(): Promise<void> {
    const [other, else_] = [
      { input: 'Who is the head of Ultrafen?', output: 'Dov Tamm' },
      { input: 'Who audits Ultrafen?', output: 'Dov Tamm' },
    ];
    const path = '/v1/memories/house/conflicts/reworded';
    const asked = await server.call('POST', path, { body: { facts: [else_, other] } });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    const [found] = asked.body.reworded;
    assert.deepEqual([asked.body.version, asked.body.reworded.length, found.at, found.other], [2, 1, 1, null]);
    const words = ['memory', 'add', 'house', other!.input, other!.output];
    const environment = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey };
    const added = await run(words, environment);
    assert.equal(added.code, 1, added.error);
    assert.match(added.error, /in other words.*now: Who runs Ultrafen\?.*change 2.*new: .*--replace .*--beside/s);
    const { input, output, since_version, source } = found.stands;
    assert.deepEqual([input, output, since_version, source.change], ['Who runs Ultrafen?', 'Cleo Marsh', 2, 2]);
    await server.call('POST', '/v1/memories/house/proposals', { body: { proposals: [other, else_] } });
    const waiting = await server.call('POST', path, { body: { proposals: [1, 2] } });
    assert.deepEqual(
      waiting.body.reworded.map(({ at, stands }: { at: number; stands: { input: string } }) => [at, stands.input]),
      [[0, 'Who runs Ultrafen?']],
    );
    const seen = await run(['memory', 'proposals', 'house'], environment);
    assert.match(
      seen.out,
      /^1 {2}Who is the head.*may contradict.*Who runs Ultrafen\? Cleo Marsh.*change 2, since version 2, 20/s,
    );
    const accepted = await run(['memory', 'accept', 'house', '1', '2'], environment);
    assert.equal(accepted.code, 1, accepted.out);
    assert.match(
      accepted.error,
      /now: Who runs Ultrafen\?.*new: Who is the head.*proposal 1.*Nothing was .*--replace .*--beside/s,
    );
    assert.doesNotMatch(accepted.error, /Who audits/);
    const both = await server.call('POST', path, { body: { proposals: [1], facts: [other] } });
    assert.equal(both.status, 422);
    const none = await server.call('POST', path, { body: { proposals: [7] } });
    assert.equal(none.status, 404);
  }

  it('answers from each version once it is published, and from an old one after a rollback', async (t) => {
    const taught = facts(6);
    const { job_id } = await submit(server, { data: taught });
    await server.call('POST', '/v1/memories', { body: { name: 'house', job_id } });
    await jobOver(server, job_id);
    await published(1);
    await assertRecalls(server, 'house', taught);
    const added = { input: 'Who runs Ultrafen?', output: 'Cleo Marsh' };
    const changed = { input: taught[1]!.input, output: 'Ben Quist' };
    const began = performance.now();
    await order({ add: [{ ...added, subject: 'Ultrafen' }] });
    await assertRecalls(server, 'house', [...taught, added]);
    t.diagnostic(`one fact added until the name answers with it: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    await contradictions();
    await order({ change: [changed], withdraw: [taught[0]!.input] });
    await assertRecalls(server, 'house', [changed, ...taught.slice(2), added]);
    const { body } = await server.call('GET', '/v1/memories/house/facts');
    assert.deepEqual(
      body.facts.map(({ input }: { input: string }) => input).sort(),
      [changed, ...taught.slice(2), added].map(({ input }) => input).sort(),
    );
    const environment = { LOREKEEP_BASE_URL: server.url, LOREKEEP_API_KEY: adminKey };
    const replaced = await run(['memory', 'accept', 'house', '1', '--replace', '--json'], environment);
    assert.equal(replaced.code, 0, replaced.error);
    const { number, added: more, withdrawn } = JSON.parse(replaced.out);
    assert.deepEqual([more, withdrawn], [1, 1]);
    await published(number);
    const back = await server.call('POST', '/v1/memories/house/publish', { body: { version: 1 } });
    assert.equal(back.body.version, 1);
    await assertRecalls(server, 'house', taught);
  });
});
