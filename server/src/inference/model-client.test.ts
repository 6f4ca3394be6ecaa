// Waiting of callers while the engine is not available.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@lorekeep/contract';
import { checkout } from '../config/settings.ts';
import { ChildEngine } from '../engine/child.ts';
import { createLog } from '../http/log.ts';
import type { Models } from '../models/models.ts';
import { withEngine } from '../testing/server.ts';
import type { Usage } from '../usage/usage.ts';
import { ModelClient, progressText } from './model-client.ts';

const day = 86_400_000;
const models = {
  find: async (name: string) => ({ name, kind: 'generation', folder: join(checkout, 'models/quill') }),
} as unknown as Models;

it('only background work waits for an engine that cannot start', { timeout: 60_000 }, async () => {
  const engine = new ChildEngine(
    Promise.reject(new Error('no Python')),
    createLog({ log_level: 'silent', log_format: 'json' }),
  );
  const modelClient = new ModelClient(engine, models, {} as Usage);
  const leave = new AbortController();
  const callContext = { accountId: 1, keyId: 1, signal: leave.signal };
  const ask = (timeoutMs?: number) =>
    modelClient.answer('quill', { prompt: 'a' }, { ...callContext, ...(timeoutMs !== undefined && { timeoutMs }) });
  await assert.rejects(ask(day), (error) => {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'engine_unavailable');
    assert.match(error.message, /not set up: its Python environment could not be made/);
    return true;
  });
  const patient = ask();
  setTimeout(() => leave.abort(new Error('it still waited')), 500);
  await assert.rejects(patient, /it still waited/);
  await engine.stop();
});

it('an installed model is loaded, not downloaded', async () => {
  const engine = new ChildEngine(withEngine, createLog({ log_level: 'silent', log_format: 'json' }));
  try {
    while (engine.unready()) await sleep(50);
    const modelClient = new ModelClient(engine, models, { note: () => {} } as unknown as Usage);
    const callContext = { accountId: 1, keyId: 1, signal: new AbortController().signal };
    await assert.rejects(
      modelClient.answer('quill', { prompt: 'a', max_tokens: 1 }, { ...callContext, timeoutMs: 1 }),
      (error) => {
        assert.ok(error instanceof Refusal);
        assert.deepEqual([error.code, error.status], ['model_loading', 513]);
        assert.match(error.message, /^Loading quill: [a-z ]+ \(\d+%\)\. It is here/);
        return true;
      },
    );
    assert.equal(
      (await modelClient.answer('quill', { prompt: 'a', max_tokens: 1 }, callContext)).usage.prompt_tokens,
      2, // of which one begins the text
    );
  } finally {
    await engine.stop();
  }
});

it('loading progress never decreases and advances with every step', () => {
  const messages = [undefined, ...(['waiting', 'checking', 'reading', 'preparing'] as const)].flatMap((stage) =>
    [0, 1, 2, 3, 4].map((done) =>
      progressText(stage && { type: 'progress', id: '1', model: 'quill', stage, done, total: 4 }),
    ),
  );
  const shares = messages.map((text) => Number(/\((\d+)%\)$/.exec(text)![1]));
  assert.deepEqual(
    shares,
    [...shares].sort((one, other) => one - other),
  );
  assert.equal(new Set(shares.slice(15, 20)).size, 5);
  assert.deepEqual([shares[0], shares.at(-1)], [0, 100]);
});
