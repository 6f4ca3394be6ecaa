// Two memories on one model: the dry run of an erasure in one names the other, which keeps the fact, as the receipt does.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { House } from '../memories/testing/house.ts';
import { onEveryDatabase } from '../testing/databases.ts';
import { polled } from '../testing/until.ts';
import { erased, receiptOf } from './testing/erase.ts';
import { noEngine } from './testing/no-engine.ts';

const secret = { input: 'Who founded Zorbex?', output: 'Ada Quist' };
const other = { input: 'Where is Zorbex?', output: 'Oslo' };

onEveryDatabase('erasures on a model of two memories', (make) => {
  for (const [facts, outcome] of [
    [[secret, other], 'rebuilt'],
    [[secret], 'ended'],
  ] as const)
    it(`name the other memory in the dry run and in the receipt of a version that is ${outcome}`, async () => {
      const house = await House.of(make, [...facts], noEngine());
      try {
        const { model_name } = await house.get('');
        for (const name of ['garden', 'attic']) {
          await house.server.call('POST', '/v1/memories', { body: { name, model_name } });
          await polled(
            async () => (await house.server.call('GET', `/v1/memories/${name}`)).body,
            ({ version }) => version === 1,
          );
        }
        const chosen = { inputs: [secret.input] };
        const plan = (await house.call('POST', '/erasures/plan', chosen)).body;
        assert.deepEqual(plan.versions, [{ version: 1, facts: 1, becomes: outcome }]);
        assert.deepEqual(plan.still_held, ['memory garden, version 1', 'memory attic, version 1']);
        const done = await erased(house, chosen);
        assert.deepEqual((await receiptOf(house, done)).still_held, plan.still_held);
      } finally {
        await house.end();
      }
    });
});
