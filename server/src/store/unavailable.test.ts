// A database that becomes unavailable while the server runs: refusal of calls, and readiness.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onPostgres } from '../testing/databases.ts';
import { startServer } from '../testing/server.ts';

onPostgres('a database that becomes unavailable', (make) => {
  it('causes 503 for calls and for the readiness check, never 500', async (test) => {
    const database = await make('new');
    const server = await startServer({ database_url: database.url });
    test.after(() => server.end());
    await database.drop();
    for (let attempt = 0; attempt < 3; attempt++) {
      const reply = await server.call('GET', '/v1/account');
      assert.deepEqual([reply.status, reply.body.code], [503, 'busy']);
    }
    const { status, body } = await server.call('GET', '/readyz', { key: null });
    // The reason names hosts, roles and databases, and the endpoint is public.
    assert.deepEqual([status, body.parts.database], [503, 'does not answer']);
  });
});
