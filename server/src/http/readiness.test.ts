// Answers to load balancers and callers while the engine hangs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engineProcess, startWithEngine } from '../testing/engine.ts';
import type { TestServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';

describe('a server whose engine hangs', () => {
  let server: TestServer;
  let pid: number;
  before(async () => {
    server = await startWithEngine();
    pid = engineProcess();
  });
  after(async () => {
    process.kill(pid, 'SIGCONT');
    await server.end();
  });
  const readyz = async () => await server.call('GET', '/readyz', { key: null });
  const complete = async () =>
    await server.call('POST', '/v1/completions', {
      body: { model_name: 'lorekeep/quill', prompt: 'a', max_tokens: 1 },
    });

  it('is not ready and refuses calls that need the engine, until it answers again', async () => {
    const { status, body } = await readyz();
    assert.deepEqual([status, body.status, body.parts.engine], [200, 'ready', 'ok']);
    process.kill(pid, 'SIGSTOP');
    await until('it is not ready', async () => (await readyz()).status === 503);
    const hung = (await readyz()).body;
    assert.equal(hung.status, 'not ready');
    assert.match(hung.parts.engine, /not answering \(for \d+ s\)/);
    assert.deepEqual([hung.parts.server, hung.parts.database], ['ok', 'ok']);

    const refused = await complete();
    assert.deepEqual([refused.status, refused.body.code], [503, 'engine_unavailable']);
    assert.match(refused.body.detail, /not answering/);
    assert.ok(refused.headers.get('retry-after'));
    assert.equal((await server.call('GET', '/v1/datasets')).status, 200);

    process.kill(pid, 'SIGCONT');
    await until('it is ready', async () => (await readyz()).status === 200);
    assert.equal((await complete()).status, 200);
  });
});
