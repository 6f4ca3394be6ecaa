// The group of replicas over processes that speak the protocol and compute nothing: routing, deaths, retries, scaling.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { createLog } from '../../http/log.ts';
import { float32Rows } from '../../inference/vectors.ts';
import { until } from '../../testing/until.ts';
import { childTransport } from '../child.ts';
import { ConnectedEngine } from '../connected.ts';
import { EngineFailure } from '../engine.ts';
import type { Delta, End, Generation } from '../protocol.ts';
import { ranked } from './choose.ts';
import { Replica } from './replica.ts';
import { ReplicatedEngine } from './replicated.ts';
import { fullMs, idleMs, type Range } from './scaling.ts';

const log = createLog({ log_level: 'silent', log_format: 'json' });
const program = join(import.meta.dirname, '../../testing/stand-in-engine.ts');
const heartbeat = { every: 50, silentAfter: 6, lostAfter: 40, startsWithin: 600 };
const words = (number: number) =>
  [process.execPath, '--disable-warning=ExperimentalWarning', program, String(number)] as const;

describe('replicas', () => {
  let folder: string;
  let files = 0;
  let group: ReplicatedEngine;
  let pids: Map<number, number>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  });
  after(async () => await rm(folder, { recursive: true }));
  afterEach(async () => {
    for (const pid of pids.values()) signal(pid, 'SIGCONT');
    await group.stop();
  });

  async function start(range: Range): Promise<void> {
    pids = new Map();
    group = new ReplicatedEngine({
      range,
      start: (number) => {
        const own = Object.assign(Object.create(log), {
          info: (about: { pid?: number }) => about.pid && pids.set(number, about.pid),
        });
        const transport = Promise.resolve(childTransport([...words(number)], {}, log));
        return new Replica(number, new ConnectedEngine(transport, own, heartbeat));
      },
      log,
    });
    await untilReady(range.min);
  }
  const untilReady = async (count: number) => await until(`${count} are ready`, async () => ready().length === count);
  const ready = () => group.states().filter(({ state }) => state === 'ready');
  const file = () => join(folder, String(++files));
  const firstFor = (model: string) => ranked(model, group.states())[0]!.number;

  async function answer(request: Partial<Generation>, signal?: AbortSignal): Promise<{ end: End; pieces: string[] }> {
    const run = group.generate({ model: 'a', prompt: '', ...request }, signal);
    const pieces: string[] = [];
    for (;;) {
      const step = await run.next();
      if (step.done) return { pieces, end: step.value };
      pieces.push(step.value.text);
    }
  }
  /** Requests that stay in flight until the signal. */
  async function hold(count: number, model: string, stop: AbortController): Promise<Promise<unknown>[]> {
    const before = flying();
    const held = Array.from({ length: count }, async () => await answer({ model, prompt: 'hold' }, stop.signal));
    await until('they are in flight', async () => flying() === before + count);
    return held;
  }
  const flying = () => group.states().reduce((sum, { inFlight }) => sum + inFlight, 0);
  const failsWith = (code: EngineFailure['code']) => (error: unknown) =>
    error instanceof EngineFailure && error.code === code;

  it('answer one model where it is warm, and different models on different replicas', async () => {
    await start({ min: 3, max: 3 });
    const models = Array.from({ length: 12 }, (_, at) => `model ${at}`);
    const told = new Map<string, Set<string>>();
    for (let round = 0; round < 3; round++)
      for (const model of models)
        told.set(model, (told.get(model) ?? new Set()).add((await answer({ model })).end.text));
    for (const model of models) assert.deepEqual([...told.get(model)!], [String(firstFor(model))]);
    assert.equal(new Set([...told.values()].flatMap((one) => [...one])).size, 3);
    assert.equal((await group.status()).models.length, models.length);
  });

  it('load a model only on the replica that will answer', async () => {
    await start({ min: 2, max: 2 });
    await assert.rejects(answer({ wait: false }), failsWith('model_loading'));
    await group.load({ model: 'a' });
    assert.equal((await answer({ wait: false })).end.text, String(firstFor('a')));
    assert.deepEqual(
      group
        .states()
        .map(({ models }) => models)
        .sort(),
      [0, 1],
    );
  });

  it('take over a model whose replica is full, once they have loaded it', async () => {
    await start({ min: 2, max: 2 });
    const first = firstFor('a');
    const stop = new AbortController();
    await answer({});
    const held = await hold(4, 'a', stop);
    // This request makes the other replica load the model, without waiting for it.
    assert.equal((await answer({ wait: false })).end.text, String(first));
    await until('the other has it', async () => group.states().every(({ models }) => models === 1));
    assert.equal((await answer({ wait: false })).end.text, String(3 - first));
    stop.abort();
    await Promise.all(held);
    assert.equal((await group.status()).models.length, 1);
    await group.unload('a');
    assert.deepEqual((await group.status()).models, []);
    assert.ok(group.states().every(({ models }) => models === 0));
  });

  it('do not keep a model that was unloaded during its load', async () => {
    await start({ min: 2, max: 2 });
    const stop = new AbortController();
    await answer({});
    const held = await hold(4, 'a', stop);
    await answer({});
    await group.unload('a');
    // Later loads of both replicas, which end after the one in progress.
    const others = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await Promise.all(others.map(async (model) => await group.load({ model })));
    assert.equal(new Set(others.map(firstFor)).size, 2);
    const models = (await group.status()).models.map(({ model }) => model).sort();
    assert.deepEqual(models, others);
    stop.abort();
    await Promise.all(held);
  });

  it('retry a request whose replica died before any output', async () => {
    await start({ min: 2, max: 2 });
    const first = firstFor('a');
    const { end, pieces } = await answer({ prompt: `die ${file()}`, stream: true });
    assert.deepEqual([end.text, pieces], [String(3 - first), []]);
    assert.equal(group.states().find(({ number }) => number === first)!.failed, 1);
    await untilReady(2);
  });

  it('fail a request whose replica died after some output, and replace the replica', async () => {
    await start({ min: 2, max: 2 });
    const dying = group.generate({ model: 'a', prompt: `say, die ${file()}`, stream: true });
    assert.equal(((await dying.next()).value as Delta).text, 'a word');
    await assert.rejects(dying.next(), failsWith('stopped'));
    await untilReady(2);
    assert.equal((await answer({})).end.text.length, 1);
  });

  it('retry a request at most once', async () => {
    await start({ min: 3, max: 3 });
    const stop = new AbortController();
    const asked = answer({ prompt: 'hold' }, stop.signal);
    const busy = () => group.states().find(({ inFlight }) => inFlight > 0)?.number;
    await until('one has it', async () => busy() !== undefined);
    const first = busy()!;
    signal(pids.get(first)!, 'SIGKILL');
    await until('another has it', async () => ![undefined, first].includes(busy()));
    signal(pids.get(busy()!)!, 'SIGKILL');
    await assert.rejects(asked, failsWith('stopped'));
  });

  it('return a refusal without a retry on another replica', async () => {
    await start({ min: 2, max: 2 });
    await assert.rejects(answer({ prompt: 'refuse' }), failsWith('prompt_empty'));
    assert.deepEqual(
      group.states().map(({ failed }) => failed),
      [0, 0],
    );
  });

  it('cancel a request when its caller aborts the signal or leaves the loop', async () => {
    await start({ min: 2, max: 2 });
    const stop = new AbortController();
    const [held] = await hold(1, 'a', stop);
    stop.abort();
    assert.equal(((await held) as { end: End }).end.finish_reason, 'cancelled');
    for await (const _ of group.generate({ model: 'a', prompt: `say, die ${folder}`, stream: true })) break;
    assert.equal(flying(), 0);
  });

  it('skip a replica that does not answer, and stay ready', async () => {
    await start({ min: 2, max: 2 });
    const first = firstFor('a');
    const { pid } = await pidOf(first);
    signal(pid, 'SIGSTOP');
    await until('it is silent', async () => group.states().some(({ state }) => state === 'silent'));
    assert.equal((await answer({})).end.text, String(3 - first));
    assert.deepEqual([group.unready(), group.isSilent()], [undefined, false]);
    // It cannot confirm that it has unloaded a model, so it is restarted.
    await group.unload('a');
    await untilReady(2);
    assert.notEqual((await pidOf(first)).pid, pid);
  });

  it('report the reason if none can be asked', async () => {
    await start({ min: 2, max: 2 });
    for (const pid of pids.values()) signal(pid, 'SIGSTOP');
    await until('all are silent', async () => group.isSilent());
    assert.match(group.unready()!, /^not answering/);
    await assert.rejects(answer({}), failsWith('stopped'));
    await assert.rejects(group.unload('a'), failsWith('stopped'));
  });

  it('split the embedding of many texts, and join the results in their order', async () => {
    await start({ min: 2, max: 2 });
    const texts = Array.from({ length: 130 }, (_, at) => String(at));
    await group.embed({ model: 'e', texts });
    await until('both have it', async () => group.states().every(({ models }) => models <= 1));
    await group.embed({ model: 'e', texts });
    await until('both have it', async () => group.states().every(({ models }) => models === 1));
    const { truncated, tokens, count } = await group.embed({ model: 'e', texts });
    const rows = float32Rows(await group.embed({ model: 'e', texts }));
    assert.deepEqual(
      rows.map(([text]) => text),
      texts.map(Number),
    );
    assert.equal(new Set(rows.map(([, replica]) => replica)).size, 2);
    assert.deepEqual([truncated, tokens, count], [[7, 107], 130, 130]);
    texts[100] = 'bad';
    await assert.rejects(group.embed({ model: 'e', texts }), (error: EngineFailure) => error.facts.text === 100);
  });

  it('scale up while all are full, and down when one less is enough', async () => {
    await start({ min: 1, max: 2 });
    const stop = new AbortController();
    await answer({});
    const held = await hold(4, 'a', stop);
    const now = performance.now();
    group.scale(now);
    group.scale(now + fullMs - 1);
    assert.equal(group.states().length, 1);
    group.scale(now + fullMs);
    await untilReady(2);
    await answer({ wait: false });
    await until('the new one has the model', async () => group.states().every(({ models }) => models === 1));
    assert.equal((await answer({})).end.text, '2');
    const [late] = await hold(1, 'a', stop);
    group.scale(now + 2 * fullMs);
    stop.abort();
    await Promise.all([...held, late]);
    group.scale(now + 3 * fullMs);
    const again = new AbortController();
    group.scale(now + 3 * fullMs + idleMs - 1);
    assert.equal(group.states()[1]!.state, 'ready');
    group.scale(now + 3 * fullMs + idleMs);
    assert.equal(group.states()[1]!.state, 'draining');
    // A replica that drains gets no request.
    const more = await hold(2, 'a', again);
    assert.equal(group.states()[1]!.inFlight, 0);
    group.scale(now + 3 * fullMs + idleMs);
    assert.equal(group.states().length, 1);
    again.abort();
    await Promise.all(more);
  });

  async function pidOf(number: number): Promise<{ pid: number }> {
    await until('its process is known', async () => pids.has(number));
    return { pid: pids.get(number)! };
  }
});

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
