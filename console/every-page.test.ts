// Every page in a real browser: for readers of the screen, in light and dark, on a phone, and with texts that want to be more than text.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { fileForm, type TestServer } from '../server/src/testing/server.ts';
import { seriousOn } from './testing/axe.ts';
import {
  noBrowser,
  openBrowser,
  openPage,
  patience,
  picture,
  signIn,
  sizes,
  textOf,
  type Watched,
} from './testing/browser.ts';
import { missedByKeyboard } from './testing/keyboard.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

/** Lists that one would have to push sideways. */
const cutOff = "[...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth + 1).length";
const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;

describe('every page', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let server: TestServer;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let dataset: string;
  let evaluation: number;
  let webhook: number;
  before(async () => {
    server = await startConsole();
    const stored = await server.call('POST', '/v1/datasets', {
      body: fileForm(
        `${hostile}.csv`,
        `input,output\n"${hostile.replaceAll('"', '""')}","${hostile.replaceAll('"', '""')}"\nWho?,Ada\nWho?,Ben\n`,
        {
          name: hostile,
        },
      ),
    });
    assert.equal(stored.status, 200, JSON.stringify(stored.body));
    dataset = stored.body.dataset_id;
    await server.call('POST', '/v1/accounts', { body: { name: hostile } });
    await server.call('POST', '/v1/keys', { body: { name: hostile, scopes: ['read'] } });
    // Without an engine it goes on asking: the page of one that runs.
    const asked = await server.call('POST', '/v1/evaluations', {
      body: { dataset_id: dataset, name: hostile, targets: [{ model_name: 'lorekeep/quill', name: hostile }] },
    });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    evaluation = asked.body.evaluation_id;
    const told = await server.call('POST', '/v1/webhooks', { body: { url: `https://example.org/${hostile}` } });
    assert.equal(told.status, 200, JSON.stringify(told.body));
    webhook = told.body.id;
    browser = await openBrowser();
    // The rules of the page would keep axe out as they keep everything out; what it looks at is the same.
    watched = await openPage(browser, server.url, { bypassCSP: true });
    page = watched.page;
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  const places = () => [
    'playground',
    'datasets',
    `datasets/${dataset}`,
    'tuning',
    'tuning/new',
    'documents',
    'evaluations',
    'evaluations/new',
    `evaluations/${evaluation}`,
    'models',
    'keys',
    'webhooks',
    `webhooks/${webhook}`,
    'usage',
    'accounts',
    'account',
    'nowhere',
  ];

  async function show(place: string): Promise<void> {
    await page.goto(`/#/${place}`);
    await page.locator('h1').waitFor();
    // Pages ask for several things, one after the other too.
    for (let tries = 0; (await page.locator('.ghosts').count()) > 0; tries++) {
      assert.ok(tries < patience / 50, `${place} goes on waiting`);
      await page.waitForTimeout(50);
    }
  }

  // In the dark only the colours are others.
  for (const scheme of ['light', 'dark'] as const) {
    it(`has nothing serious for axe in ${scheme}`, async () => {
      await page.setViewportSize(sizes.wide);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      for (const place of places()) {
        await show(place);
        assert.deepEqual(await seriousOn(page, scheme === 'light' ? 'all' : 'colours'), [], place);
        await picture(page, `${scheme}-${place.replace('/', '-').slice(0, 30)}`);
        assert.equal(await page.evaluate(cutOff), 0, `${place}: a list is wider than the page`);
      }
    });
  }

  it('has nothing serious for axe in its dialogs', async () => {
    for (const [place, button] of [
      ['keys', 'Make a key'],
      ['webhooks', 'Add an address'],
      ['accounts', 'Invite somebody'],
    ] as const) {
      await show(place);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await seriousOn(page), [], place);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('fits the width of a phone', async () => {
    await page.setViewportSize(sizes.phone);
    for (const place of places()) {
      await show(place);
      const [content, width] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
        number,
        number,
      ];
      assert.ok(content <= width, `${place} is ${content} wide`);
      await picture(page, `phone-${place.replace('/', '-').slice(0, 30)}`);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.setViewportSize(sizes.wide);
  });

  it('shows texts as texts, whatever stands in them', async () => {
    for (const place of [
      ...['datasets', `datasets/${dataset}`, 'accounts', 'keys', 'tuning/new'],
      ...['evaluations', `evaluations/${evaluation}`, 'webhooks', `webhooks/${webhook}`],
    ]) {
      await show(place);
      assert.ok((await textOf(page.locator('main'))).includes('<img src=x'), place);
      assert.equal(await page.locator('main img, main script').count(), 0, place);
      assert.notEqual(await page.title(), 'taken');
    }
  });

  it('lets the keyboard reach all that can be used, and shows where it is', async () => {
    for (const place of places()) {
      await show(place);
      assert.deepEqual(await missedByKeyboard(page), [], place);
    }
  });

  it('shows the secret of a webhook once, and deletes it when that is meant', async () => {
    await show('webhooks');
    await page.getByRole('button', { name: 'Add an address' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('https://ci.example.org/tuned');
    await page.getByRole('button', { name: 'Add it' }).click();
    const secret = /whsec_[A-Za-z0-9_-]{32}/;
    await page.getByText('It is shown this once.').waitFor();
    assert.match(await textOf(page.getByRole('dialog')), secret);
    assert.deepEqual(await seriousOn(page), []);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('link', { name: 'https://ci.example.org/tuned', exact: true }).waitFor();
    assert.doesNotMatch(await page.content(), secret);
    await page.getByRole('button', { name: 'Delete https://ci.example.org/tuned' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('link', { name: 'https://ci.example.org/tuned', exact: true }).waitFor({ state: 'detached' });
    const { webhooks } = (await server.call('GET', '/v1/webhooks')).body;
    assert.deepEqual(
      webhooks.map(({ id }: { id: number }) => id),
      [webhook],
    );
  });

  it('lets a key be made with the keyboard alone', async () => {
    await show('keys');
    await page.locator('body').press('Tab');
    for (let tries = 0; tries < 40; tries++) {
      const focused = await page.evaluate('document.activeElement.textContent');
      if (focused === 'Make a key') break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await dialog.getByLabel('Name').focus();
    await page.keyboard.type('typed with keys');
    await page.keyboard.press('Enter');
    await page.getByText('It is shown this once.').waitFor();
    assert.match(await textOf(page.getByRole('dialog')), /lk_[A-Za-z0-9_-]{43}/);
    await page.getByRole('button', { name: 'I have it' }).press('Enter');
    await page
      .getByRole('cell', { name: /typed with keys/ })
      .first()
      .waitFor();
    assert.ok(!(await page.content()).match(/lk_[A-Za-z0-9_-]{43}/));
  });

  it('knows nothing of another account', async () => {
    const { body } = await server.call('GET', '/v1/accounts');
    const other = body.accounts.find(({ name }: { name: string }) => name === hostile);
    const link = await server.call('POST', `/v1/accounts/${other.id}/sign-in-link`);
    const theirs = await openPage(browser, server.url);
    await theirs.page.goto(link.body.path);
    await theirs.page.getByLabel('New password').fill(password);
    await theirs.page.getByLabel('The same again').fill(password);
    await theirs.page.getByRole('button', { name: /Set the password/ }).click();
    await theirs.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    assert.equal(await theirs.page.getByRole('link', { name: 'Accounts' }).count(), 0);
    await theirs.page.goto(`/#/datasets/${dataset}`);
    await theirs.page.getByRole('alert').waitFor();
    assert.ok(!(await textOf(theirs.page.locator('main'))).includes('Ada'));
    await theirs.page.goto('/#/accounts');
    await theirs.page.getByRole('alert').waitFor();
    assert.deepEqual(theirs.troubles, []);
  });

  it('asks who one is when the session is over, and goes on from there', async () => {
    const again = await openPage(browser, server.url);
    await signIn(again.page, password);
    await page.goto('/#/account');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await again.page.goto('/#/keys');
    await again.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await again.page.getByLabel('Password').fill('not the right one');
    await again.page.getByRole('button', { name: 'Sign in' }).click();
    await again.page.getByText('The account or the password is wrong.').waitFor();
    await again.page.getByLabel('Password').fill(password);
    await again.page.getByRole('button', { name: 'Sign in' }).click();
    await again.page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    assert.deepEqual(again.troubles, []);
  });

  it('broke no rule, made no error and called nobody else', () => {
    assert.deepEqual(watched.troubles, []);
  });
});
