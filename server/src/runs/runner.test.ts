// The runner of runs on a model client that a test controls: leases that are lost while it works, and ends after a restart.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, it, mock } from 'node:test';
import { Refusal } from '@lorekeep/contract';
import type { Caller } from '../auth/caller.ts';
import { TrustedTime } from '../leases/trusted-time.ts';
import { onEveryDatabase } from '../testing/databases.ts';
import { type RunnerServer, runnerServer } from '../testing/runner-server.ts';
import { until } from '../testing/until.ts';
import { Runner } from './runner.ts';
import { type RunKind, Runs } from './runs.ts';

onEveryDatabase('the runner of runs', (make) => {
  let server: RunnerServer;
  let runner: Runner;
  beforeEach(async () => {
    server = await runnerServer(await make());
    runner = start();
  });
  afterEach(async () => {
    mock.restoreAll();
    await runner.stop();
    await server.end();
  });

  function start(): Runner {
    const { store, heartbeat, scripted } = server;
    const made = new Runner(store, heartbeat, scripted.client, null, new TrustedTime(store), () => {});
    made.start();
    return made;
  }
  async function run(kind: RunKind, ...prompts: string[]): Promise<number> {
    const { account: account_id, key: key_id } = server.caller;
    const request = { request: JSON.stringify({ prompts }), prompts: prompts.length };
    const { id } = await server.store.db
      .insertInto('runs')
      .values({
        ...{ ...request, name: randomUUID(), account_id, key_id, kind, model: 'one', status: 'running', created_at: 1 },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    runner.wake();
    return id;
  }
  const rowOf = async (id: number) =>
    await server.store.db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const answersOf = async (id: number) =>
    await server.store.db.selectFrom('answers').selectAll().where('run_id', '=', id).orderBy('place').execute();
  const outputsOf = async (id: number) => (await answersOf(id)).map(({ output }) => JSON.parse(output));
  const ended = async (id: number) => {
    await until('the run has ended', async () => (await rowOf(id)).status !== 'running');
    return await rowOf(id);
  };
  /** Works off one more run; everything that was free before is claimed by then. */
  async function anotherRun(call: number): Promise<void> {
    const id = await run('batch', 'another');
    const asked = await server.scripted.call(call);
    assert.deepEqual(asked.texts, ['another']);
    asked.answer('done');
    await ended(id);
  }

  it('asks a run that it lost and claimed again once more, and not again when the lost work fails', async () => {
    const { scripted, loseLeases } = server;
    const id = await run('batch', 'one');
    const lost = await scripted.call(1);
    await loseLeases();
    const again = await scripted.call(2);
    assert.deepEqual([lost.signal.aborted, again.signal.aborted], [true, false]);
    lost.fail(new Error('cancelled'));
    await anotherRun(3);
    again.answer('right');
    assert.equal((await ended(id)).status, 'completed');
    assert.deepEqual(await outputsOf(id), ['right']);
  });

  it('does not write the answers of lost work into a run that it claimed again', async () => {
    const { scripted, store, loseLeases } = server;
    const id = await run('batch', 'one');
    const lost = await scripted.call(1);
    let tryAgain: (() => void) | undefined;
    const realTimeout = setTimeout;
    mock.method(globalThis, 'setTimeout', (call: () => void, milliseconds: number) => {
      if (milliseconds === 1_000) tryAgain = call;
      return realTimeout(call, milliseconds === 1_000 ? 2 ** 30 : milliseconds);
    });
    const away = mock.method(store.db, 'transaction', () => {
      away.mock.restore();
      throw new Error('the database is away');
    });
    lost.answer('lost');
    await until('its answer could not be written', () => tryAgain !== undefined);
    await loseLeases();
    const again = await scripted.call(2);
    tryAgain!();
    await anotherRun(3);
    assert.equal((await rowOf(id)).status, 'running');
    again.answer('right');
    assert.equal((await ended(id)).status, 'completed');
    assert.deepEqual(await outputsOf(id), ['right']);
  });

  const refusal = (number: number) => new Refusal('prompt_empty', { which: ` number ${number}` });

  it('ends a run as failed if all its prompts failed, some of them before a restart', async () => {
    const id = await run('batch', 'one', 'two', 'three');
    const { scripted } = server;
    for (const number of [1, 2]) (await scripted.call(number)).fail(refusal(number));
    await until('two failures are written', async () => (await answersOf(id)).length === 2);
    await runner.stop();
    runner = start();
    const last = await scripted.call(4);
    assert.deepEqual(last.texts, ['three']);
    last.fail(refusal(3));
    const { status, error } = await ended(id);
    assert.deepEqual([status, error], ['failed', refusal(1).message]);
  });

  it('completes a run with the reason of the first failed prompt if one was answered, also before a restart', async () => {
    const id = await run('batch', 'one', 'two', 'three');
    const { scripted } = server;
    (await scripted.call(1)).answer('right');
    (await scripted.call(3)).fail(refusal(3));
    await until('two answers are written', async () => (await answersOf(id)).length === 2);
    await runner.stop();
    runner = start();
    (await scripted.call(4)).fail(refusal(2));
    const { status, error } = await ended(id);
    assert.deepEqual([status, error], ['completed', refusal(2).message]);
  });

  it('fails a run of embeddings if one text failed, since its vectors are read together', async () => {
    const texts = Array.from({ length: 129 }, (_, number) => `text ${number}`);
    const id = await run('embeddings', ...texts);
    const { scripted, store, caller } = server;
    (await scripted.call(1)).answer('');
    (await scripted.call(2)).fail(refusal(129));
    const { status, error, name } = await ended(id);
    assert.deepEqual([status, error], ['failed', refusal(129).message]);
    const by = { account: { id: caller.account } } as Caller;
    const results = new Runs(store, null, () => {}).embeddingResults(by, name);
    await assert.rejects(results, { code: 'run_failed', message: new RegExp(refusal(129).message) });
  });
});
