// How long a caller is kept waiting for an engine that is not there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { Refusal } from '@lorekeep/contract';
import { checkout } from '../config/settings.ts';
import { ChildEngine } from '../engine/child.ts';
import { createLog } from '../http/log.ts';
import type { Models } from '../models/models.ts';
import type { Usage } from '../usage/usage.ts';
import { Asking } from './asking.ts';

const day = 86_400_000;
const models = {
  find: async (name: string) => ({ name, kind: 'generation', folder: join(checkout, 'models/quill') }),
} as unknown as Models;

it('nobody waits for an engine that cannot come, but work that has time', { timeout: 60_000 }, async () => {
  const engine = new ChildEngine(
    Promise.reject(new Error('no Python')),
    createLog({ log_level: 'silent', log_format: 'json' }),
  );
  const asking = new Asking(engine, models, {} as Usage);
  const leave = new AbortController();
  const asker = { accountId: 1, keyId: 1, signal: leave.signal };
  const ask = (patience?: number) =>
    asking.answer('quill', { prompt: 'a' }, { ...asker, ...(patience !== undefined && { patience }) });
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
