// The runner of evaluations on a model client that a test controls: leases that are lost while it works.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { onEveryDatabase } from '../testing/databases.ts';
import { type RunnerServer, runnerServer } from '../testing/runner-server.ts';
import { until } from '../testing/until.ts';
import { insertEvaluation } from './insert.ts';
import { evaluationRunner } from './runner.ts';
import { type Indexes, Targets } from './targets.ts';

onEveryDatabase('the runner of evaluations', (make) => {
  let server: RunnerServer;
  let runner: ReturnType<typeof evaluationRunner>;
  beforeEach(async () => {
    server = await runnerServer(await make());
    const { store, heartbeat, scripted } = server;
    runner = evaluationRunner(store, heartbeat, new Targets(scripted.client, {} as Indexes), () => {});
    runner.start();
  });
  afterEach(async () => {
    await runner.stop();
    await server.end();
  });

  async function evaluation(input: string): Promise<number> {
    const { account: accountId, key: keyId } = server.caller;
    const targets = [{ name: 'one', model_name: 'one', prompt: null, job_id: null }];
    const made = {
      accountId,
      keyId,
      request: { targets, form: 'raw' as const },
      questions: [{ input, output: 'right' }],
    };
    const { id } = (await server.store.db.transaction().execute((change) => insertEvaluation(change, made)))!;
    runner.wake();
    return id;
  }
  const ended = async (id: number) => {
    const row = server.store.db.selectFrom('evaluations').select('status').where('id', '=', id);
    await until('the evaluation has ended', async () => (await row.executeTakeFirst())?.status === 'completed');
  };

  it('asks an evaluation that it lost and claimed again once more, and not again when the lost work fails', async () => {
    const { scripted, loseLeases } = server;
    const id = await evaluation('one');
    const lost = await scripted.call(1);
    await loseLeases();
    const again = await scripted.call(2);
    assert.deepEqual([lost.signal.aborted, again.signal.aborted], [true, false]);
    lost.fail(new Error('cancelled'));
    const another = await evaluation('another');
    // Each model is loaded by a call of its own.
    for (const number of [3, 4]) {
      const call = await scripted.call(number);
      assert.deepEqual(call.texts, ['another']);
      call.answer('right');
    }
    await ended(another);
    again.answer('right');
    (await scripted.call(5)).answer('right');
    await ended(id);
    assert.equal(scripted.calls.length, 5);
  });
});
