// A database that goes away while the server runs: a refusal that says so, and readiness that tells.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onPostgres } from '../testing/databases.ts';
import { startServer } from '../testing/server.ts';

onPostgres('a database that goes away', (make) => {
  it('is 503 for callers and not ready for whoever asks, never 500', async () => {
    const database = await make('new');
    const server = await startServer({ database_url: database.url });
    await database.drop();
    for (let attempt = 0; attempt < 3; attempt++) {
      const reply = await server.call('GET', '/v1/account');
      assert.deepEqual([reply.status, reply.body.code], [503, 'busy']);
    }
    assert.equal((await server.call('GET', '/readyz', { key: null })).status, 503);
    await server.end();
  });
});
