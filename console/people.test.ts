// Access to the console in a real browser: by a link, by a password, and only to the own account.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { TestServer } from '../server/src/testing/server.ts';
import { seriousOn } from './testing/axe.ts';
import { arrive, noBrowser, openPage, picture, signIn, sizes, textOf } from './testing/browser.ts';
import { type Furnished, furnished, hostile } from './testing/furnished.ts';
import { missedByKeyboard } from './testing/keyboard.ts';
import { notBuilt, password } from './testing/server.ts';

describe('access to the console', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let here: Furnished;
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  before(async () => {
    here = await furnished();
    ({ server, browser, page } = here);
  });
  after(async () => await here?.end());

  it('shows the limits of an account', async () => {
    const { body } = await server.call('GET', '/v1/accounts');
    const { id } = body.accounts.find(({ name }: { name: string }) => name === 'colleague');
    const limits = { requests_per_minute: 'none', data_points: 'none', jobs: 3 };
    await server.call('PATCH', `/v1/accounts/${id}`, { body: { limits } });
    await arrive(page, 'accounts');
    assert.match(await textOf(page.getByRole('row', { name: /^colleague/ })), /3 jobs at once/);
  });

  it('invites a person, who signs in by the link and changes the password', async () => {
    await arrive(page, 'accounts');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByLabel('Name of the account').fill('Dora');
    await page.getByRole('button', { name: 'Make the account and a link' }).click();
    const address = await textOf(page.getByRole('dialog').locator('code'));
    assert.ok(address.startsWith(`${server.url}/#/welcome/`));
    assert.deepEqual(await seriousOn(page), []);
    await page.getByRole('button', { name: 'Done' }).click();

    const theirs = await openPage(browser, server.url, { bypassCSP: true });
    await theirs.page.goto(address);
    await theirs.page.getByText('Choose the password for the account Dora').waitFor();
    await wellMade(theirs.page, 'Welcome');
    await theirs.page.getByLabel('New password').fill(password);
    await theirs.page.getByLabel('Repeat the password').fill(password);
    await theirs.page.getByRole('button', { name: /Set the password/ }).press('Enter');
    await theirs.page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await theirs.page.goto('/#/account');
    const change = async (present: string, next: string) => {
      await theirs.page.getByLabel('Present password').fill(present);
      await theirs.page.getByLabel('New password').fill(next);
      await theirs.page.getByRole('button', { name: 'Change it' }).click();
    };
    await change('not the present one', 'a better one of mine');
    await theirs.page.getByRole('alert').waitFor();
    await change(password, 'a better one of mine');
    await theirs.page.getByText('The password is changed; 0 other sessions ended.').waitFor();
    await theirs.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await theirs.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await wellMade(theirs.page, 'Sign in');
    await theirs.page.getByLabel('Account').fill('Dora');
    await theirs.page.getByLabel('Password').fill('a better one of mine');
    await theirs.page.keyboard.press('Enter');
    await theirs.page.getByRole('heading', { level: 1, name: 'You' }).waitFor();
    assert.deepEqual(theirs.problems, []);
  });

  /** Checks a page before sign-in like every other page. */
  async function wellMade(at: Page, name: string): Promise<void> {
    for (const [size, viewport] of Object.entries(sizes))
      for (const colorScheme of ['light', 'dark'] as const) {
        await at.setViewportSize(viewport);
        await at.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        assert.deepEqual(await seriousOn(at), [], `${name}, ${size}, ${colorScheme}`);
        assert.ok(await at.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name}, ${size}`);
        await picture(at, `${name}-${size}-${colorScheme}`);
      }
    assert.deepEqual(await missedByKeyboard(at), [], name);
    await at.setViewportSize(sizes.wide);
  }

  it('shows nothing of another account', async () => {
    const { body } = await server.call('GET', '/v1/accounts');
    const other = body.accounts.find(({ name }: { name: string }) => name === hostile);
    const link = await server.call('POST', `/v1/accounts/${other.id}/sign-in-link`);
    const theirs = await openPage(browser, server.url);
    await theirs.page.goto(link.body.path);
    await theirs.page.getByLabel('New password').fill(password);
    await theirs.page.getByLabel('Repeat the password').fill(password);
    await theirs.page.getByRole('button', { name: /Set the password/ }).click();
    await theirs.page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    assert.equal(await theirs.page.getByRole('link', { name: 'Accounts' }).count(), 0);
    await theirs.page.goto(`/#/datasets/${here.furnishing.dataset}`);
    await theirs.page.getByRole('alert').waitFor();
    assert.ok(!(await textOf(theirs.page.locator('main'))).includes('Ada'));
    await theirs.page.goto('/#/accounts');
    await theirs.page.getByRole('alert').waitFor();
    assert.deepEqual(theirs.problems, []);
  });

  it('asks for a sign-in when the session has ended, and returns to the same page', async () => {
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
    assert.deepEqual(again.problems, []);
  });

  it('causes no CSP violation, error or external request', () => {
    assert.deepEqual(here.watched.problems, []);
  });
});
