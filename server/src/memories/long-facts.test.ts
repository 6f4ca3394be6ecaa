// Facts that are too long for the model of a memory are refused with the change, not by its job.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { noEngine } from '../erasures/testing/no-engine.ts';
import { onDatabase } from '../testing/databases.ts';
import { untilReady } from '../testing/engine.ts';
import { withEngine } from '../testing/server.ts';
import { House } from './testing/house.ts';

onDatabase('a fact that is too long', 'SQLite', (make) => {
  it('is refused with its index, and a fact of as many bytes in fewer tokens is accepted', async () => {
    const house = await House.of(make, [{ input: 'Where is Zorbex?', output: 'Oslo' }], noEngine());
    try {
      await house.restart(async () => {}, withEngine);
      await untilReady(house.server);
      const fine = { input: 'Who runs Zorbex?', output: 'Ben Oru' };
      const long = { input: 'Where is the word?', output: 'word '.repeat(12_000) };
      for (const [kind, body] of [
        ['add', { add: [fine, long] }],
        ['change', { change: [{ input: 'Where is Zorbex?', output: long.output }] }],
      ] as const) {
        const { status, body: refused } = await house.post('/changes', body);
        assert.deepEqual([status, refused.code], [422, 'change_invalid'], JSON.stringify(refused));
        assert.deepEqual(refused.detail[0].loc, ['body', kind, kind === 'add' ? 1 : 0]);
        assert.match(refused.detail[0].msg, /"Where is .*" is too long: it has \d+ tokens .*max_length is 2048/);
      }
      const open = [fine, long, { input: 'Who else?', output: 'Ada' }];
      await house.post('/proposals', { proposals: open });
      for (const [at, proposals] of [
        [1, [{ number: 1 }, { number: 2 }]],
        [0, [{ number: 3, output: long.output }]],
      ] as const) {
        const { status, body: refused } = await house.post('/proposals/accept', { proposals });
        assert.deepEqual([status, refused.code], [422, 'proposals_invalid'], JSON.stringify(refused));
        assert.deepEqual(refused.detail[0].loc, ['body', 'proposals', at]);
        assert.match(refused.detail[0].msg, / is too long: it has \d+ tokens .*max_length is 2048/);
      }
      assert.equal((await house.get('/proposals')).proposals.length, open.length);
      assert.equal((await house.get('/changes')).changes.length, 1);
      const dense = { input: 'Who is it?', output: 'the house of the river '.repeat(90) };
      assert.ok(dense.output.length > 2048 - 256);
      assert.equal((await house.post('/changes', { add: [fine, dense] })).status, 200);
    } finally {
      await house.end();
    }
  });
});
