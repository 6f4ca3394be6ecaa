// Every program in the documentation runs, in the order of its page, on a product that was just started.
import { describe, it } from 'node:test';
import { startWithEngine } from './testing/engine.ts';
import { plainPages, runPage } from './testing/pages.ts';
import './testing/whole-base.ts';

describe('the pages of the documentation', () => {
  for (const page of plainPages)
    it(`runs every program of ${page}`, async () => {
      const server = await startWithEngine({ slots: '1' });
      try {
        await runPage(server, page);
      } finally {
        await server.end();
      }
    });
});
