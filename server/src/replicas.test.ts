// A server with two replicas of the real engine, on the base that ships: the answers of one, and what becomes of requests whose replica is
// killed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import type { ClusterState } from '@lorekeep/contract';
import { startWithEngine, until, workingProcess } from './testing/engine.ts';
import { adminKey, type TestServer } from './testing/server.ts';

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
  /** Kills the replica that has requests. Processes are numbered in the order of their starts. */
  async function killBusy(): Promise<void> {
    const has = ({ requests }: { requests: number }) => requests > 0;
    await until('one has the request', async () => (await replicas()).some(has));
    const busy = (await replicas()).filter(has);
    assert.equal(busy.length, 1);
    process.kill(workingProcess(pids[busy[0]!.number - 1]!), 'SIGKILL');
  }

  async function stream(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'lorekeep/quill', messages: [{ role: 'user', content: 'The library' }], stream: true },
        ...{ max_tokens: 1500, temperature: 2 },
      }),
    });
    assert.equal(response.status, 200);
    return response.body!.getReader();
  }

  it('answers many at once as one by one', async () => {
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

  it('answers a request whose replica is killed before a word of it was said', async () => {
    const body = {
      ...{ model_name: 'lorekeep/quill', prompt: 'The library', max_tokens: 600, no_repeat_ngram_size: 0 },
      ...{ temperature: 2, seed: 7 },
    };
    const asked = server.call('POST', '/v1/completions', { body });
    await killBusy();
    const answer = await asked;
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { body: same } = await server.call('POST', '/v1/completions', { body });
    assert.deepEqual(answer.body, same);
    assert.deepEqual((await replicas()).map(({ failed }) => failed).sort(), [0, 1]);
  });

  it('ends a stream with its reason where the replica is killed, and answers others meanwhile', async () => {
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
