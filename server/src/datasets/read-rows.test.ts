// A few rows that a program reads to show them are no export; a download is, and so are many rows.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startServer, type TestServer } from '../testing/server.ts';

describe('rows of a dataset', () => {
  let server: TestServer;
  let path: string;
  const lines = Array.from({ length: 5 }, (_, at) => `{"input":"What is ${at}?","output":"${at}"}\n`);
  before(async () => {
    server = await startServer();
    const { body } = await server.call('POST', '/v1/local-data', {
      body: { data: lines.map((one) => JSON.parse(one)) },
    });
    path = `/v1/datasets/${body.dataset_id}`;
  });
  after(async () => await server.end());

  const exports = async () => (await server.call('GET', '/v1/audit?action=dataset.exported')).body.rows.length;

  it('are read without an export, all of them or the first ones', async () => {
    assert.equal((await server.call('GET', `${path}/rows`)).body, lines.join(''));
    for (const limit of [1, 3, 5, 6])
      assert.equal(
        (await server.call('GET', `${path}/rows?limit=${limit}`)).body,
        lines.slice(0, limit).join(''),
        String(limit),
      );
    assert.equal((await server.call('GET', `${path}/rows?limit=0`)).status, 422);
    assert.equal((await server.call('GET', `/v1/datasets/${'0'.repeat(64)}/rows`)).status, 404);
    assert.equal(await exports(), 0);
  });

  it('are exported by a program that reads many', async () => {
    const data = Array.from({ length: 101 }, (_, at) => ({ input: `What is the number ${at}?`, output: `${at}` }));
    const { body } = await server.call('POST', '/v1/local-data', { body: { data } });
    const before = await exports();
    await server.call('GET', `/v1/datasets/${body.dataset_id}/rows?limit=100`);
    assert.equal(await exports(), before);
    await server.call('GET', `/v1/datasets/${body.dataset_id}/rows`);
    assert.equal(await exports(), before + 1);
  });

  it('are exported by a download', async () => {
    const before = await exports();
    assert.equal((await server.call('GET', `${path}/download`)).body, lines.join(''));
    assert.equal(await exports(), before + 1);
  });
});
