// The review queue in a real browser, by keyboard alone. The test itself ends jobs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { House } from '../server/src/memories/testing/house.ts';
import type { Store } from '../server/src/store/database.ts';
import { openStore } from '../server/src/store/open.ts';
import type { TestServer } from '../server/src/testing/server.ts';
import { seriousOn } from './testing/axe.ts';
import { arrive, noBrowser, openBrowser, openPage, picture, signIn } from './testing/browser.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

describe('the review queue', { skip: noBrowser || notBuilt, timeout: 10 * 60_000 }, () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let store: Store;
  let house: House;
  before(async () => {
    server = await startConsole();
    store = await openStore(`sqlite:${join(server.home, 'lorekeep.db')}`);
    house = await House.on(server, store, [{ input: 'Where is Zorbex?', output: 'Oslo' }]);
    browser = await openBrowser();
    ({ page } = await openPage(browser, server.url, { bypassCSP: true }));
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await store?.close();
    await server?.end();
  });

  const queue = async (state: string): Promise<{ number: number; reason: string | null; assignee: string | null }[]> =>
    (await house.get(`/proposals?state=${state}`)).proposals;

  it('explains what to do when it is empty', async () => {
    await arrive(page, 'memories/house/proposals');
    await page.getByText('Nothing waits for a decision').waitFor();
    await page.getByText('lorekeep memory propose house QUESTION ANSWER').waitFor();
  });

  it('can be processed by keyboard', async () => {
    const source = { document: 'moves.pdf', page: 4 };
    const moved = { kind: 'document', input: 'Where is Zorbex?', output: 'Bergen', quote: 'Zorbex: Bergen', source };
    const people = ['Ada', 'Ben', 'Cleo'].map((output, at) => ({ input: `Who is number ${at}?`, output }));
    await house.post('/proposals', { proposals: [moved, ...people] });
    await arrive(page, 'memories/house');
    await page.getByRole('link', { name: 'Review proposals' }).click();
    const current = page.locator('.proposal.current');
    await current.getByText('Bergen', { exact: true }).waitFor();
    for (const text of ['Oslo', 'since version 1', 'moves.pdf, page 4', 'conflict'])
      await current.getByText(text).waitFor();
    assert.deepEqual(await seriousOn(page), []);
    await picture(page, 'review');

    await page.keyboard.press('e');
    await page.getByLabel('Answer, word for word').fill('Bergen, Norway');
    await page.getByLabel('Answer, word for word').press('Tab');
    await page.getByRole('button', { name: 'Accept it' }).press('Enter');
    await page.getByText('The proposal 1 is accepted, in the change 2.').waitFor();
    await house.taught(2);
    assert.deepEqual(await house.facts(), { 'Where is Zorbex?': 'Bergen, Norway' });

    await page.locator('#proposal-1').waitFor({ state: 'detached' });
    await page.keyboard.press('r');
    await page.getByLabel('Why').fill('nobody knows an Ada');
    await page.keyboard.press('Enter');
    await page.getByText('Rejected: the proposal 2.').waitFor();
    assert.equal((await queue('rejected'))[0]!.reason, 'nobody knows an Ada');

    await page.locator('#proposal-2').waitFor({ state: 'detached' });
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('s');
    await page.getByLabel('Who').fill('Maya');
    await page.keyboard.press('Enter');
    await page.getByText('For Maya: 2 proposals.').waitFor();
    assert.deepEqual(
      (await queue('open')).map(({ assignee }) => assignee),
      ['Maya', 'Maya'],
    );

    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.keyboard.press('a');
    await page.getByText('2 accepted, in the change 3.').waitFor();
    await page.getByText('Nothing waits for a decision').waitFor();
    assert.equal((await queue('accepted')).length, 2);
  });

  it('shows why a proposal cannot be accepted, and keeps it', async () => {
    await house.post('/proposals', { proposals: [{ input: 'Who is number 1?', output: 'Dora' }] });
    await arrive(page, 'memories');
    await arrive(page, 'memories/house/proposals');
    await page.locator('.proposal.current').waitFor();
    await page.keyboard.press('a');
    await page.getByRole('alert').getByText('The change 3 by operator, which is not over').waitFor();
    assert.equal((await queue('open')).length, 1);
  });
});
