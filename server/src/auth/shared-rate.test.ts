// Rate limit of an account on two servers that share a PostgreSQL.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onPostgres } from '../testing/databases.ts';
import { startServer } from '../testing/server.ts';

onPostgres('requests per minute', (make) => {
  it('are limited across all servers together', async () => {
    const database = await make();
    const flags = { database_url: database.url };
    const servers = [await startServer(flags), await startServer(flags)];
    try {
      const [one, two] = servers;
      const { id, key } = await one!.member('Busy', ['read']);
      const limit = 60;
      await one!.call('PATCH', `/v1/accounts/${id}`, { body: { limits: { requests_per_minute: limit } } });
      await two!.call('GET', '/v1/account', { key });
      const begun = performance.now();
      let answered = 1;
      let refused = 0;
      while (refused < 40) {
        const calls = servers.map(({ call }) => call('GET', '/v1/account', { key }));
        for (const { status, headers } of await Promise.all(calls))
          if (status === 200) answered++;
          else {
            assert.equal(status, 429);
            assert.ok(Number(headers.get('retry-after')) >= 1);
            refused++;
          }
      }
      const minutes = (performance.now() - begun) / 60_000;
      assert.ok(answered >= limit, `${answered} were answered`);
      // Includes tokens refilled meanwhile, and those that each server had taken before.
      const most = limit + Math.ceil(minutes * limit) + servers.length * 3 + 1;
      assert.ok(answered <= most, `${answered} were answered, of at most ${most}`);
    } finally {
      for (const server of servers) await server.end();
      await database.drop();
    }
  });
});
