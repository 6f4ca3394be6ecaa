// A server on a cluster executes some orders in a local process, which ends with the server.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { untilReady } from '../../testing/engine.ts';
import { StandInHead } from '../../testing/ray/head.ts';
import { fileForm, startServer, withEngine } from '../../testing/server.ts';

it('a server on a Ray cluster ends the process that compared facts', { timeout: 120_000 }, async () => {
  const head = new StandInHead();
  const server = await startServer({ cluster: 'ray', ray_address: await head.listen() }, withEngine);
  try {
    await untilReady(server);
    const rows = [
      { input: 'Who runs Zorbax?', output: 'Ada' },
      { input: 'Who leads Zorbax?', output: 'Ben' },
    ];
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const { body } = await server.call('POST', '/v1/datasets', { body: fileForm('rows.jsonl', lines) });
    const found = await server.call('GET', `/v1/datasets/${body.dataset_id}/conflicts?reworded=true`);
    assert.equal(found.status, 200, JSON.stringify(found.body));
  } finally {
    await server.end();
    await head.down(true);
  }
  assert.ok(!process.getActiveResourcesInfo().includes('ProcessWrap'), 'a process is left');
});
