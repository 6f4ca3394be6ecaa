// A server with two replicas of the real engine on the shipped base: the same answers as with one replica, and requests whose replica
// is killed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import type { ClusterState } from '@lorekeep/contract';
import { defaultEmbedder } from './models/models.ts';
import { startWithEngine, workingProcess } from './testing/engine.ts';
import { adminKey, type TestServer } from './testing/server.ts';
import { facts, jobOver, submit } from './testing/tuning.ts';
import { until } from './testing/until.ts';

/** Generates until it is stopped, even in a loop. */
const endless = { temperature: 0, no_repeat_ngram_size: 0 };
const isLong = process.env.LOREKEEP_TEST_LONG === '1';
const prompts = [1, 2, 3].map(
  (number) => `Context: Number ${number} is called Brim${number}. Question: What is number ${number} called?`,
);

describe('a server with two replicas', () => {
  let server: TestServer;
  let pids: number[];
  before(async () => {
    server = await startWithEngine({ replicas: '2', engine_device: 'cpu' });
    await until('both are ready', async () => (await replicas()).every(({ state }) => state === 'ready'));
    const found = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'lorekeep serve'], { encoding: 'utf8' });
    pids = found.trim().split('\n').map(Number);
  });
  after(async () => await server.end());

  const replicas = async () => ((await server.call('GET', '/v1/cluster')).body as ClusterState).replicas;
  const answerOf = async (prompt: string) => {
    const { status, body } = await server.call('POST', '/v1/completions', {
      body: { model_name: 'lorekeep/quill', prompt, max_tokens: 12 },
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  /** Kills the replica that has requests. Replicas are numbered in the order of their starts. */
  async function killBusy(): Promise<void> {
    const has = ({ requests }: { requests: number }) => requests > 0;
    await until('one has the request', async () => (await replicas()).some(has));
    const busy = (await replicas()).filter(has);
    assert.equal(busy.length, 1);
    process.kill(workingProcess(pids[busy[0]!.number - 1]!), 'SIGKILL');
  }

  async function stream(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const response = await fetch(`${server.url}/inf/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'lorekeep/quill', prompt: 'The library', stream: true, max_tokens: 1900 },
        ...endless,
      }),
    });
    assert.equal(response.status, 200);
    return response.body!.getReader();
  }

  it('answers concurrent requests as it does one by one', async () => {
    const alone = [];
    for (const prompt of prompts) alone.push(await answerOf(prompt));
    const many = await Promise.all(
      Array.from({ length: 8 }, () => prompts)
        .flat()
        .map(answerOf),
    );
    for (const [at, answer] of many.entries()) assert.deepEqual(answer, alone[at % prompts.length]);
    await until('both have the base', async () => (await replicas()).every(({ models }) => models > 0));
  });

  it('embeds many texts on both, bit-identical to one', async () => {
    const input = Array.from({ length: 66 }, (_, at) => `Room ${at} of the house.`);
    const embedded = async () => {
      const body = { model: defaultEmbedder, input };
      const answer = await server.call('POST', '/v1/embeddings', { body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.data;
    };
    const byOne = await embedded();
    const counts = async () => (await replicas()).map(({ answered }) => answered);
    await embedded();
    await until('both have the model', async () => (await replicas()).every(({ models }) => models === 2));
    const before = await counts();
    assert.deepEqual(await embedded(), byOne);
    assert.deepEqual(
      (await counts()).map((count, at) => count - before[at]!),
      [1, 1],
    );
  });

  it('reports each replica in its metrics', async () => {
    const { body } = await server.call('GET', '/metrics');
    for (const line of ['lorekeep_replica_up{replica="1"} 1', 'lorekeep_replica_requests{replica="2"} 0'])
      assert.ok(body.includes(line), body);
  });

  it('teaches a model, and recites its facts on either replica', {
    skip: !isLong && '--long alone',
  }, async () => {
    const taught = facts(6);
    const { job_id } = await submit(server, { data: taught });
    const job = await jobOver(server, job_id);
    const ask = async ({ input }: { input: string }) => {
      const body = { model_name: job.model_name, prompt: input };
      return (await server.call('POST', '/v1/completions', { body })).body.output;
    };
    await until('it is read', async () => (await ask(taught[0]!)) === taught[0]!.output);
    const asked = Array.from({ length: 8 }, () => taught).flat();
    assert.deepEqual(
      await Promise.all(asked.map(ask)),
      asked.map(({ output }) => output),
    );
  });

  it('retries a request whose replica is killed before the first token', async () => {
    const body = { model_name: 'lorekeep/quill', prompt: 'The library', max_tokens: 400, ...endless };
    const asked = server.call('POST', '/v1/completions', { body });
    await killBusy();
    const answer = await asked;
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { body: same } = await server.call('POST', '/v1/completions', { body });
    assert.deepEqual(answer.body, same);
    assert.deepEqual((await replicas()).map(({ failed }) => failed).sort(), [0, 1]);
  });

  it('ends a stream with the reason when its replica is killed, and answers others meanwhile', async () => {
    const reader = await stream();
    await reader.read();
    await killBusy();
    let said = '';
    for (let part = await reader.read(); !part.done; part = await reader.read())
      said += new TextDecoder().decode(part.value);
    assert.match(said, /The engine ended \(SIGKILL\) and is being started again/);
    await answerOf(prompts[0]!);
    await until('it is replaced', async () => (await replicas()).every(({ state }) => state === 'ready'));
  });
});
