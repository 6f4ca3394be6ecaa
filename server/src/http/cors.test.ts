// Pages of other sites: which of them a browser lets call the API.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startServer, type TestServer } from '../testing/server.ts';

const site = 'https://app.example.org';
const asked = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,x-stainless-lang',
};

describe('calls from pages of other sites', () => {
  let open: TestServer;
  let closed: TestServer;
  before(async () => {
    [open, closed] = await Promise.all([
      startServer({ cors_origins: `${site}, http://localhost:5173` }),
      startServer(),
    ]);
  });
  after(async () => {
    await Promise.all([open.end(), closed.end()]);
  });
  const preflight = async (server: TestServer, origin: string) =>
    await server.call('OPTIONS', '/v1/chat/completions', { headers: { origin, ...asked }, key: null });

  it('are prepared and answered for the origins of the setting', async () => {
    const { status, headers } = await preflight(open, site);
    assert.equal(status, 204);
    assert.equal(headers.get('access-control-allow-origin'), site);
    assert.equal(headers.get('access-control-allow-headers'), asked['access-control-request-headers']);
    assert.match(headers.get('access-control-allow-methods')!, /POST.*DELETE/);
    assert.equal(headers.get('access-control-allow-credentials'), null);
    for (const [path, key, wanted] of [
      ['/v1/models', undefined, 200],
      ['/v1/models', 'wrong', 401],
      ['/v1/nothing', undefined, 404],
    ] as const) {
      const { status, headers } = await open.call('GET', path, { headers: { origin: site }, ...(key && { key }) });
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [wanted, site]);
      assert.match(headers.get('access-control-expose-headers')!, /x-warning/);
      assert.equal(headers.get('vary'), 'origin');
    }
  });

  it('are not allowed for other origins, and for none by default', async () => {
    for (const [server, origin] of [
      [open, 'https://other.example.org'],
      [open, `${site}.evil.org`],
      [open, 'null'],
      [closed, site],
    ] as const) {
      const { status, headers } = await preflight(server, origin);
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [405, null], origin);
      const answered = await server.call('GET', '/v1/models', { headers: { origin } });
      assert.deepEqual([answered.status, answered.headers.get('access-control-allow-origin')], [200, null], origin);
    }
  });

  it('are allowed for every site by *, and a wrong origin stops the start', async () => {
    const server = await startServer({ cors_origins: '*' });
    try {
      assert.equal((await preflight(server, site)).headers.get('access-control-allow-origin'), site);
    } finally {
      await server.end();
    }
    for (const wrong of ['app.example.org', `${site}/`, `*, ${site}`])
      await assert.rejects(startServer({ cors_origins: wrong }), /cors_origins/i, wrong);
  });
});
