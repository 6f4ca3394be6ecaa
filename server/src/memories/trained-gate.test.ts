// A gate with the real engine: both versions are evaluated on the set before a version is published.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilReady } from '../testing/engine.ts';
import { startServer, type TestServer, withEngine } from '../testing/server.ts';
import { assertRecalls, facts, jobOver, submit } from '../testing/tuning.ts';
import { changeOver } from './testing/change-over.ts';

describe('a gate of a memory that is trained', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ slots: '1' }, withEngine);
    await untilReady(server);
  });
  after(async () => await server.end());

  const over = async (number: number) => await changeOver(server, number);
  async function evaluated(id: number): Promise<void> {
    for (let tries = 0; tries < 6000; tries++) {
      if ((await server.call('GET', `/v1/evaluations/${id}`)).body.status !== 'running') return;
      await sleep(50);
    }
    throw new Error(`The evaluation ${id} is not over.`);
  }
  const post = async (path: string, body: object) =>
    (await server.call('POST', `/v1/memories/house${path}`, { body })).body;

  it('publishes a version that answers its set and holds one that does not', async () => {
    const taught = facts(6);
    const { job_id, dataset_id } = await submit(server, { data: taught });
    await server.call('POST', '/v1/memories', { body: { name: 'house', job_id } });
    await jobOver(server, job_id);
    await over(1);
    assert.equal((await post('/gate', { dataset_id, exact: 1, max_regressions: 0 })).rows, 6);
    const added = { input: 'Who runs Ultrafen?', output: 'Cleo Marsh' };
    const { number } = await post('/changes', { add: [added] });
    const done = await over(number);
    assert.equal(done.state, 'published', done.error!);
    const changed = { input: taught[1]!.input, output: 'Ben Quist' };
    const { number: next } = await post('/changes', { change: [changed] });
    const held = await over(next);
    assert.match(held.error!, /exact 0\.8333 \(5 of 6 rows\) and not 1; 1 regression/);
    await assertRecalls(server, 'house', [...taught, added]);
    const { body } = await server.call('GET', '/v1/memories/house/versions/3/regressions');
    assert.deepEqual(
      body.regressions.map(({ input, before, after }: Record<string, unknown>) => ({ input, before, after })),
      [
        {
          input: changed.input,
          before: { output: taught[1]!.output, error: null },
          after: { output: changed.output, error: null },
        },
      ],
    );
    const forced = await post('/publish', { version: 3, force: true, reason: 'he left' });
    assert.equal(forced.version, 3, JSON.stringify(forced));
    await assertRecalls(server, 'house', [changed, added]);

    // The gate has evaluated versions 2 and 3; versions 1 and 3 are compared now.
    assert.deepEqual((await post('/comparisons', {})).evaluation_id, held.evaluation_id);
    const { evaluation_id } = await post('/comparisons', { from: 1, to: 3 });
    assert.notEqual(evaluation_id, held.evaluation_id);
    await evaluated(evaluation_id);
    const compared = (await server.call('GET', `/v1/memories/house/comparisons/${evaluation_id}`)).body;
    assert.deepEqual(
      [compared.compared, compared.right_before, compared.right_after, compared.differing_right],
      [6, 6, 5, { before: 1, after: 0, neither: 0 }],
    );
    const found = await server.call('GET', `/v1/memories/house/comparisons/${evaluation_id}/differences`);
    assert.deepEqual(found.body.differences, [{ ...body.regressions[0], right: 'before' }]);
  });
});
