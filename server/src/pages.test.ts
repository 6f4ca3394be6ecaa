// Every program in the documentation runs, in the order of its page, on a product that was just started.
import { describe, it } from 'node:test';
import { startWithEngine } from './testing/engine.ts';
import { runPage } from './testing/pages.ts';

const pages = [
  'README.md',
  'docs/guide/quick-start.md',
  'docs/guide/cli.md',
  'docs/guide/generation.md',
  'docs/guide/evaluation.md',
  'docs/guide/operating.md',
];

describe('the pages of the documentation', () => {
  for (const page of pages)
    it(`runs every program of ${page}`, async () => {
      const server = await startWithEngine({ slots: '1' });
      try {
        await runPage(server, page);
      } finally {
        await server.end();
      }
    });
});
