// The first minute: pages during the set-up of the engine, a question and a job that wait for it, and the ticking of first steps.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type TestServer, withEngine } from '../server/src/testing/server.ts';
import { seriousOn } from './testing/axe.ts';
import {
  arrive,
  noBrowser,
  openBrowser,
  openPage,
  picture,
  signIn,
  sizes,
  textOf,
  type Watched,
} from './testing/browser.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

describe('the first minute in the browser', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  const python = Promise.withResolvers<string>();
  let server: TestServer;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  before(async () => {
    server = await startConsole({ python: python.promise });
    browser = await openBrowser();
    watched = await openPage(browser, server.url, { bypassCSP: true });
    page = watched.page;
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });
  const bar = () => page.getByRole('complementary', { name: 'The engine' });
  const ticked = async () => await page.locator('.step-mark.done').count();

  it('begins with unticked first steps, and shows on every page that the engine is being set up', async () => {
    for (const place of ['start', 'datasets', 'playground', 'keys', 'account']) {
      await arrive(page, place);
      await bar().getByText('The engine is being set up.').waitFor();
    }
    await page.goto('/');
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await page.getByRole('heading', { name: 'Take a real model' }).waitFor();
    assert.equal(await ticked(), 0);
    for (const viewport of [sizes.wide, { width: 360, height: 740 }]) {
      await page.setViewportSize(viewport);
      assert.deepEqual(await seriousOn(page), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      await picture(page, `start-${viewport.width}`);
    }
    await page.setViewportSize(sizes.wide);
  });

  it("shows the progress of the engine's set-up", async () => {
    const body = JSON.stringify({
      status: 'ready',
      parts: { server: 'ok', database: 'ok', engine: 'being set up: downloading package 9 of 44, 51 MB' },
    });
    await page.route('**/readyz', async (route) => await route.fulfill({ contentType: 'application/json', body }));
    await bar().getByText('Downloading package 9 of 44, 51 MB.').waitFor();
    const progress = bar().getByRole('progressbar');
    assert.deepEqual([await progress.getAttribute('value'), await progress.getAttribute('max')], ['9', '44']);
    await picture(page, 'engine-bar');
    await page.unroute('**/readyz');
  });

  it('sends the waiting question and starts tuning once the engine is ready', async () => {
    const second = await openPage(browser, server.url);
    await signIn(second.page, password);
    await second.page.goto('/#/playground');
    await second.page.getByLabel('Question').fill('Who founded the Nordhaven observatory?');
    await second.page.keyboard.press('Enter');
    const base = second.page.getByRole('region', { name: 'Base' });
    await base.getByText('The engine is being set up.').waitFor();
    await base.getByText('Your question is asked as soon as that is over.').waitFor();
    await second.page.getByText('is a tiny model for trying things out').waitFor();
    await picture(second.page, 'playground-waits');
    await page.getByRole('button', { name: 'Tune them' }).click();
    await page.getByRole('button', { name: 'Waiting for the engine' }).waitFor();

    python.resolve(withEngine);
    await page.getByRole('heading', { level: 1, name: 'nordhaven' }).waitFor();
    await base.getByText('Your question is asked as soon as that is over.').waitFor({ state: 'detached' });
    await base.locator('[aria-busy=false]').waitFor();
    assert.equal(await base.getByRole('alert').count(), 0);
    await bar().waitFor({ state: 'detached' });
    await page.getByText('Every fact is recalled word for word.').waitFor({ timeout: 10 * 60_000 });
    await page.getByText('12 of 12').first().waitFor();
    await picture(page, 'job');
    const loss = page.getByRole('img', { name: /^Loss over all facts: loss goes from/ });
    const [, from, to] = /from ([\d.]+) to ([\d.]*\d)/.exec((await loss.getAttribute('aria-label'))!)!;
    assert.ok(Number(to) < Number(from) / 4, `${from} to ${to}`);
    assert.deepEqual(second.problems, []);
    await second.page.context().close();
  });

  it('ticks finished steps, and shows two models side by side', async () => {
    await page.goto('/#/start');
    await page.getByRole('link', { name: 'Ask again' }).waitFor();
    await page.getByText('(done)').nth(1).waitFor({ state: 'attached' });
    assert.equal(await ticked(), 2);
    await page.getByRole('link', { name: 'Ask again' }).click();
    await page.getByRole('button', { name: 'Ask another model beside these' }).click();
    const other = page.getByRole('region', { name: 'Another model' });
    await other.getByRole('combobox').selectOption('lorekeep/quill');
    await page.getByRole('button', { name: 'Ask all' }).click();
    const tuned = page.getByRole('region', { name: 'Tuned' });
    await tuned.getByText('From memory.').waitFor();
    assert.match(await textOf(tuned), /Ilse Marrow/);
    await other.locator('[aria-busy=false]').waitFor();
    await picture(page, 'playground-two');
    // The choice is stored.
    await page.goto('/#/nowhere');
    await page.reload();
    await arrive(page, 'playground');
    assert.equal(await other.getByRole('combobox').inputValue(), 'lorekeep/quill');
    await page.getByRole('button', { name: 'Remove' }).click();
    await other.waitFor({ state: 'detached' });
    assert.deepEqual(watched.problems, []);
  });

  it("opens the job's page at the address that the platform's clients print", async () => {
    await page.goto('/tune/1');
    await page.getByRole('heading', { level: 1, name: 'nordhaven' }).waitFor();
  });
});
