// Runs every program in the documentation, in the order of its page, on a new product. Pages share the product. Each page that does
// nothing as the operator has its own account, so that it does not see data of another page.
import { after, before, describe, it } from 'node:test';
import { startWithEngine } from './testing/engine.ts';
import { pagesOfBase, pagesOfProduct, runPage } from './testing/pages.ts';
import type { TestServer } from './testing/server.ts';

const byOperator = ['README.md', 'docs/guide/evaluation.md', 'docs/guide/operating.md'];

const suites = [
  { name: 'the pages of the documentation about the base', pages: pagesOfBase, wholeBase: '1' },
  { name: 'the pages of the documentation', pages: pagesOfProduct, wholeBase: '' },
];
for (const { name, pages, wholeBase } of suites)
  describe(name, () => {
    let server: TestServer;
    before(async () => {
      process.env.LOREKEEP_TEST_WHOLE_BASE = wholeBase;
      server = await startWithEngine({ slots: '1' });
    });
    after(async () => await server.end());

    for (const page of pages)
      it(`runs every program of ${page}`, async () => {
        const account = byOperator.includes(page) ? undefined : await server.member(page);
        await runPage(server, page, account?.key);
      });
  });
