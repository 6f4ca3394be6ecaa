// Every program in the documentation runs, in the order of its page, on a product or for an account that was just made.
import { describe, it } from 'node:test';
import { startWithEngine } from './testing/engine.ts';
import { accountPages, operatorPages, runPage } from './testing/pages.ts';
import type { TestServer } from './testing/server.ts';

describe('the pages of the documentation', () => {
  const onServer = async (run: (server: TestServer) => Promise<unknown>) => {
    const server = await startWithEngine({ slots: '1' });
    try {
      await run(server);
    } finally {
      await server.end();
    }
  };

  for (const page of operatorPages)
    it(`runs every program of ${page}`, async () => await onServer((server) => runPage(server, page)));

  it(`runs every program of ${accountPages.join(', ')}`, async () =>
    await onServer(async (server) => {
      for (const page of accountPages) await runPage(server, page, (await server.member(page)).key);
    }));
});
