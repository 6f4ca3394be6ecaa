// Batches, polled streams and batches of embeddings on the real engine: order of answers, refusals, and restarts.
// killed.test.ts kills whole servers.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase, type TestDatabase } from '../testing/databases.ts';
import { engineProcess, startWithEngine, untilReady } from '../testing/engine.ts';
import type { Reply, TestServer } from '../testing/server.ts';

const model_name = 'lorekeep/quill';
const questions = (count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `Context: The harbour of Brim${at} opens at ${(at % 9) + 1} am.\nQuestion: When does the harbour open?\nAnswer:`,
  );
type Call = TestServer['call'];

/** Polls as the platform's clients do. `onResult` checks what they rely on in every intermediate answer. */
async function finished(call: Call, path: string, onResult?: (result: Reply['body']) => void): Promise<Reply['body']> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const { status, body } = await call('GET', path).catch(() => ({ status: 0, body: undefined }));
    if (status === 200) {
      onResult?.(body);
      if (body.finish_reason?.every((reason: string | null) => reason !== null) || body.embedding) return body;
    }
    await sleep(50);
  }
  throw new Error(`${path} was not ready in time`);
}

onDatabase('runs', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  let alone: string[];
  const prompts = questions(40);
  const start = async (path: string, body: object) => {
    const { status, body: answer } = await server.call('POST', path, { body: { model_name, max_tokens: 12, ...body } });
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.id as string;
  };

  before(async () => {
    database = await make();
    server = await startWithEngine({ database_url: database.url });
    const { body } = await server.call('POST', '/v1/completions', {
      body: { model_name, prompt: prompts, max_tokens: 12 },
    });
    alone = body.map(({ output }: { output: string }) => output);
  });
  after(async () => {
    await server.end();
    await database.drop();
  });

  it('answers a batch in the order of its prompts without gaps', async () => {
    const id = await start('/v1/batch_completions', { prompt: prompts });
    const { outputs, finish_reason, errors } = await finished(
      server.call,
      `/v1/batch_completions/${id}/result`,
      (result) => {
        if (!result.outputs) return assert.deepEqual(result, {});
        assert.equal(result.outputs.length, prompts.length);
        const open = result.finish_reason.indexOf(null);
        if (open >= 0) assert.ok(result.finish_reason.slice(open).every((reason: unknown) => reason === null));
      },
    );
    assert.deepEqual(outputs, alone);
    assert.ok(finish_reason.every((reason: string) => reason === 'stop' || reason === 'length'));
    assert.equal(errors, undefined);
    const { body } = await server.call('GET', `/v1/batch_completions/${id}`);
    assert.deepEqual([body.status, body.prompts, body.answered], ['completed', 40, 40]);
    assert.ok(Date.parse(body.kept_until) > Date.now());
  });

  it('shows a stream while it grows', async () => {
    const id = await start('/v3/streaming_completions', { prompt: ['There was', prompts[0]!], max_tokens: 300 });
    let before: string[] = ['', ''];
    const { outputs } = await finished(server.call, `/v3/streaming_completions/${id}/result`, (result) => {
      if (!result.outputs) return;
      for (const [at, text] of result.outputs.entries()) assert.ok(text.startsWith(before[at]), 'the text only grows');
      before = result.outputs;
    });
    assert.equal(outputs.length, 2);
    assert.notEqual(outputs[0], '');
  });

  it('answers with objects of the requested output type', async () => {
    const id = await start('/v1/batch_completions', {
      prompt: ['a', 'b'],
      output_type: { kind: ['x', 'y'], n: 'int' },
      max_tokens: 60,
    });
    const { outputs } = await finished(server.call, `/v1/batch_completions/${id}/result`);
    for (const output of outputs) {
      assert.deepEqual(Object.keys(output), ['kind', 'n']);
      assert.ok(['x', 'y'].includes(output.kind) && Number.isInteger(output.n));
    }
  });

  it('reports the reason for each failed prompt and answers the others', async () => {
    const id = await start('/v1/batch_completions', { prompt: [prompts[0]!, '', 'long '.repeat(5000)] });
    const { outputs, finish_reason, errors } = await finished(server.call, `/v1/batch_completions/${id}/result`);
    assert.equal(outputs[0], alone[0]);
    assert.deepEqual(finish_reason.slice(1), ['error', 'error']);
    assert.equal(errors[0], null);
    assert.match(errors[1], /number 2 is empty/);
    assert.match(errors[2], /number 3 has \d+ tokens, and lorekeep\/quill reads 2048/);
  });

  it('embeds a batch as a single call does', async () => {
    const texts = ['harbour', 'a longer text about a lighthouse', ''];
    const { body } = await server.call('POST', '/v1/embedding', { body: { prompt: texts } });
    const id = await start('/v1/batch_embeddings', { prompt: texts, model_name: null });
    assert.deepEqual(await finished(server.call, `/v1/batch_embeddings/${id}/result`), body);
  });

  it('refuses an invalid request before it is queued', async () => {
    for (const [path, body, code] of [
      ['/v1/batch_completions', { model_name: 'no/such', prompt: 'x' }, 'model_not_found'],
      ['/v3/streaming_completions', { model_name: 'no/such', prompt: 'x' }, 'model_not_found'],
      ['/v1/batch_embeddings', { model_name, prompt: 'x' }, 'model_of_other_kind'],
      ['/v1/batch_completions', { model_name, prompt: [] }, 'validation'],
      ['/v1/batch_completions', { model_name, prompt: 'x', output_type: { a: 'date' } }, 'validation'],
      ['/v1/batch_completions', { model_name, prompt: 'x', output_type: {} }, 'validation'],
    ] as const) {
      const before = (await server.call('GET', '/v1/batch_completions?limit=1000')).body.runs.length;
      assert.equal((await server.call('POST', path, { body })).body.code, code);
      assert.equal((await server.call('GET', '/v1/batch_completions?limit=1000')).body.runs.length, before);
    }
  });

  it('lets an account see and delete only its own runs', async () => {
    const other = await server.member(`other ${Math.random()}`);
    const id = await start('/v1/batch_completions', { prompt: questions(100), max_tokens: 100 });
    for (const path of [`/v1/batch_completions/${id}`, `/v1/batch_completions/${id}/result`])
      assert.equal((await server.call('GET', path, { key: other.key })).body.code, 'run_not_found');
    assert.equal((await server.call('DELETE', `/v1/batch_completions/${id}`, { key: other.key })).status, 404);
    assert.deepEqual((await server.call('GET', '/v1/batch_completions', { key: other.key })).body, {
      runs: [],
      next: null,
    });
    // A batch is not a stream.
    assert.equal((await server.call('GET', `/v3/streaming_completions/${id}/result`)).status, 404);
    assert.deepEqual((await server.call('DELETE', `/v1/batch_completions/${id}`)).body, { deleted: id });
    assert.equal((await server.call('GET', `/v1/batch_completions/${id}/result`)).status, 404);
  });

  it('resumes after a restart in the middle, and after the engine is killed', async () => {
    const many = questions(72);
    const { body } = await server.call('POST', '/v1/completions', {
      body: { model_name, prompt: many, max_tokens: 40 },
    });
    const undisturbed = body.map(({ output }: { output: string }) => output);
    const id = await start('/v1/batch_completions', { prompt: many, max_tokens: 40 });
    await sleep(300);
    server = await server.restart();
    await untilReady(server);
    process.kill(engineProcess(), 'SIGKILL');
    assert.deepEqual((await finished(server.call, `/v1/batch_completions/${id}/result`)).outputs, undisturbed);
  });
});
