// Common tasks on the pages, in a real browser: create, find, change, cancel, delete, paginate.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TuningJob } from '@lorekeep/client';
import type { Browser, Page } from 'playwright-core';
import type { TestServer } from '../server/src/testing/server.ts';
import { seriousOn } from './testing/axe.ts';
import { arrive, noBrowser, openPage, signIn, sizes, textOf } from './testing/browser.ts';
import { type Furnished, type Furnishing, furnished } from './testing/furnished.ts';
import { notBuilt, password } from './testing/server.ts';

describe('the console', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let here: Furnished;
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let furnishing: Furnishing;
  before(async () => {
    here = await furnished();
    ({ server, browser, page, furnishing } = here);
  });
  after(async () => await here?.end());

  beforeEach(async () => await page.setViewportSize(sizes.wide));

  it('shows the secret of a webhook once, and deletes a webhook after a confirmation', async () => {
    await arrive(page, 'webhooks');
    await page.getByRole('button', { name: 'Add an address' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('https://ci.example.org/tuned');
    await page.getByRole('button', { name: 'Add it' }).click();
    const secret = /whsec_[A-Za-z0-9_-]{32}/;
    await page.getByText('It is shown only once.').waitFor();
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
      [furnishing.webhook],
    );
  });

  it('creates a key with the keyboard alone', async () => {
    await arrive(page, 'keys');
    await page.locator('body').press('Tab');
    for (let attempt = 0; attempt < 40; attempt++) {
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
    await page.getByText('It is shown only once.').waitFor();
    assert.match(await textOf(page.getByRole('dialog')), /lk_[A-Za-z0-9_-]{43}/);
    await page.getByRole('button', { name: 'I have it' }).press('Enter');
    await page
      .getByRole('cell', { name: /typed with keys/ })
      .first()
      .waitFor();
    assert.ok(!(await page.content()).match(/lk_[A-Za-z0-9_-]{43}/));
  });

  it('rotates a key, so that both work for a while, and revokes the old one', async () => {
    const works = async (key: string) => (await server.call('GET', '/v1/account', { key })).status === 200;
    const { key, prefix } = (await server.call('POST', '/v1/keys', { body: { name: 'rotated' } })).body;
    await arrive(page, 'nowhere');
    await arrive(page, 'keys');
    await page.getByRole('button', { name: 'Rotate rotated' }).click();
    await page.getByText('It is shown only once.').waitFor();
    await page.getByText('The old one goes on working for a day.').waitFor();
    const next = await textOf(page.getByRole('dialog').locator('code'));
    assert.match(next, /^lk_[A-Za-z0-9_-]{43}$/);
    await page.getByRole('button', { name: 'I have it' }).click();
    assert.deepEqual([await works(key), await works(next)], [true, true]);
    const old = page.getByRole('row', { name: prefix });
    await old.getByRole('button', { name: 'Revoke rotated' }).click();
    assert.deepEqual(await seriousOn(page), []);
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await old.getByText('Revoked').waitFor();
    assert.deepEqual([await works(key), await works(next)], [false, true]);
  });

  it('returns the focus to the opener of a dialog, or to the title if that is gone', async () => {
    const focused = async () => await page.evaluate('document.activeElement.textContent');
    await server.call('POST', '/v1/webhooks', { body: { url: 'https://ci.example.org/focus' } });
    await arrive(page, 'webhooks');
    const opener = page.getByRole('button', { name: 'Delete https://ci.example.org/focus' });
    await opener.click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Delete https://ci.example.org/focus');
    await opener.click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await opener.waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Webhooks');
  });

  it('copies a secret without the clipboard API', async () => {
    const plain = await openPage(browser, server.url);
    await plain.page.addInitScript("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })");
    await signIn(plain.page, password);
    await plain.page.goto('/#/keys');
    await plain.page.getByRole('button', { name: 'Make a key' }).click();
    await plain.page.getByLabel('Name').fill('copied');
    await plain.page.getByLabel('Name').press('Enter');
    await plain.page.getByRole('button', { name: 'Copy the key' }).click();
    await plain.page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    const secret = await textOf(plain.page.locator('.secret code'));
    assert.match(secret, /^lk_[A-Za-z0-9_-]{43}$/);
    await plain.page.getByRole('button', { name: 'I have it' }).click();
    const search = plain.page.getByRole('searchbox', { name: 'Search keys' });
    await search.press('ControlOrMeta+V');
    assert.equal((await search.inputValue()).trim(), secret);
    assert.deepEqual(plain.problems, []);
    await plain.page.context().close();
  });

  it('filters a list while typing, with a message if nothing matches', async () => {
    await arrive(page, 'webhooks');
    const search = page.getByRole('searchbox', { name: 'Search webhooks' });
    await search.fill('EXAMPLE onerror');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await search.fill('no such thing');
    await page.getByText('None of the webhooks has “no such thing” in it.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('1 in all').waitFor();
  });

  it('shows the error in the place of a list, and retries', async () => {
    const calls = '**/v1/keys*';
    const body = JSON.stringify({ detail: 'The database is away.', code: 'internal' });
    await page.route(
      calls,
      async (route) => await route.fulfill({ status: 500, contentType: 'application/json', body }),
    );
    await page.goto('/#/keys');
    const alert = page.getByRole('alert');
    await alert.getByText('The database is away.').waitFor();
    assert.deepEqual(await seriousOn(page), []);
    await page.unroute(calls);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'keys' }).waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  it('can reveal a password', async () => {
    await arrive(page, 'account');
    const field = page.getByLabel('New password');
    await field.fill('a secret of mine');
    assert.equal(await field.getAttribute('type'), 'password');
    const show = page.getByRole('button', { name: 'Show what is typed: New password' });
    await show.click();
    assert.equal(await field.getAttribute('type'), 'text');
    await show.click();
    assert.deepEqual([await field.getAttribute('type'), await field.inputValue()], ['password', 'a secret of mine']);
  });

  it('cancels and resumes a waiting job, and shows its events', async () => {
    await arrive(page, 'cluster');
    const waiting = page.getByRole('table', { name: 'waiting jobs' });
    await waiting.getByRole('link', { name: `Job ${furnishing.job}` }).click();
    await page.getByRole('heading', { level: 1, name: `Job ${furnishing.job}` }).waitFor();
    await page.getByText(/number \d in the queue/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await seriousOn(page), []);
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText('Cancelled').waitFor();
    await page.getByText('Resumed', { exact: true }).waitFor();
    assert.notEqual((await server.call('GET', `/v1/train/jobs/${furnishing.job}`)).body.status, 'CANCELLED');
  });

  it('announces the end of a job, an evaluation or an index to screen readers', async () => {
    const [model_name, name] = ['lorekeep/quill', 'told'];
    const make = async (path: string, body: object) => (await server.call('POST', path, { body })).body;
    const { job_id } = await make('/v1/train', { model_name, data: [{ input: 'Who is told?', output: 'all' }] });
    const asked = { dataset_id: furnishing.dataset, name, targets: [{ model_name }] };
    const { evaluation_id } = await make('/v1/evaluations', asked);
    const notes = new FormData();
    notes.append('files', new Blob(['# Told']), 'told.md');
    const index = (await make('/v1/indexes', { model_name, name })).job_id;
    await make(`/v1/indexes/${index}/files`, notes);
    for (const [place, over] of [
      [`tuning/${job_id}`, `train/jobs/${job_id}`],
      [`evaluations/${evaluation_id}`, `evaluations/${evaluation_id}`],
      [`documents/${index}`, `indexes/${index}`],
    ]) {
      await arrive(page, place!);
      // Only changes of existing elements are announced.
      const status = page.locator('.lead').getByRole('status');
      await status.evaluate((element) => element.setAttribute('data-before', 'yes'));
      assert.notEqual(await textOf(status), 'Cancelled', place);
      assert.equal((await server.call('POST', `/v1/${over}/cancel`)).status, 200, over);
      await page.locator('[data-before]').getByText('Cancelled').waitFor();
    }
  });

  it('shows the whole queue with many waiting jobs', async () => {
    const body = { model_name: 'lorekeep/quill', data: [{ input: 'Who waits?', output: 'many' }] };
    for (let at = 0; at < 205; at++) assert.equal((await server.call('POST', '/v1/train', { body })).status, 200);
    const waiting = ((await server.call('GET', '/v1/train/jobs')).body as TuningJob[])
      .filter(({ queue_position }) => queue_position !== null)
      .sort((one, other) => one.queue_position! - other.queue_position!);
    assert.ok(waiting.length > 205);
    await arrive(page, 'cluster');
    const table = page.getByRole('table', { name: 'waiting jobs' });
    const first = table.locator('tbody tr').first();
    assert.ok((await textOf(first)).startsWith(`1Job ${waiting[0]!.job_id}`), await textOf(first));
    await page.getByText(`${waiting.length} in all`).waitFor();
  });

  it('does not send during IME composition', async () => {
    await arrive(page, 'playground');
    const question = page.getByLabel('Question');
    await question.fill('にほん');
    await question.dispatchEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, isComposing: true });
    const quiet = page.getByRole('region', { name: 'Base' }).getByText('Nothing asked yet.');
    assert.equal(await quiet.count(), 1);
    await question.press('Enter');
    await quiet.waitFor({ state: 'detached' });
  });

  it('causes no CSP violation, error or external request', () => {
    assert.deepEqual(here.watched.problems, []);
  });
});
