// Every page in a real browser: accessibility, light and dark theme, phone width, keyboard, and hostile texts (script
// injection).
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { seriousOn } from './testing/axe.ts';
import { arrive, noBrowser, picture, sizes, textOf } from './testing/browser.ts';
import { type Furnished, type Furnishing, furnished } from './testing/furnished.ts';
import { missedByKeyboard } from './testing/keyboard.ts';
import { notBuilt } from './testing/server.ts';

/** Lists that overflow horizontally. */
const cutOff = "[...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth + 1).length";

describe('every page', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let here: Furnished;
  let page: Page;
  let furnishing: Furnishing;
  before(async () => {
    here = await furnished();
    ({ page, furnishing } = here);
  });
  after(async () => await here?.end());

  beforeEach(async () => await page.setViewportSize(sizes.wide));

  const places = () => [
    'start',
    'playground',
    'datasets',
    `datasets/${furnishing.dataset}`,
    'tuning',
    'tuning/new',
    `tuning/${furnishing.job}`,
    `tuning/${furnishing.sweep}`,
    'documents',
    `documents/${furnishing.index}`,
    `documents/${furnishing.index}/files/${furnishing.file}?from=3`,
    'evaluations',
    'evaluations/new',
    `evaluations/${furnishing.evaluation}`,
    'models',
    'memories',
    'memories/house',
    'memories/house/proposals',
    'keys',
    'webhooks',
    `webhooks/${furnishing.webhook}`,
    'cluster',
    'usage',
    'audit',
    'accounts',
    'account',
    'nowhere',
  ];

  // The dark theme differs only in colours.
  for (const scheme of ['light', 'dark'] as const) {
    it(`has no serious accessibility problems in ${scheme} (axe)`, async () => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      for (const place of places()) {
        await arrive(page, place);
        assert.deepEqual(await seriousOn(page, scheme === 'light' ? 'all' : 'colours'), [], place);
        await picture(page, `${scheme}-${place.replaceAll('/', '-').slice(0, 30)}`);
        assert.equal(await page.evaluate(cutOff), 0, `${place}: a list is wider than the page`);
      }
    });
  }

  it('has no serious accessibility problems in its dialogs (axe)', async () => {
    for (const [place, button] of [
      ['keys', 'Make a key'],
      ['webhooks', 'Add an address'],
      ['accounts', 'Invite somebody'],
      ['memories', 'Make a memory'],
      ['memories/house', 'Add a fact'],
    ] as const) {
      await arrive(page, place);
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
      await arrive(page, place);
      const [content, width] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
        number,
        number,
      ];
      assert.ok(content <= width, `${place} is ${content} wide`);
      await picture(page, `phone-${place.replaceAll('/', '-').slice(0, 30)}`);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  });

  it('shows hostile texts as plain text', async () => {
    for (const place of [
      ...[
        'datasets',
        `datasets/${furnishing.dataset}`,
        'accounts',
        'account',
        'keys',
        'tuning/new',
        `tuning/${furnishing.job}`,
      ],
      ...[
        'documents',
        `documents/${furnishing.index}`,
        `documents/${furnishing.index}/files/${furnishing.file}`,
        'playground',
      ],
      ...['evaluations', `evaluations/${furnishing.evaluation}`, 'webhooks', `webhooks/${furnishing.webhook}`],
      ...['audit', 'memories/house', 'memories/house/proposals'],
    ]) {
      await arrive(page, place);
      if (place === `tuning/${furnishing.job}`) {
        await page.getByText('Output of the workers').click();
        await page.getByText('a first line').waitFor();
      }
      assert.ok((await textOf(page.locator('main'))).includes('<img src=x'), place);
      assert.equal(await page.locator('main img, main script').count(), 0, place);
      assert.notEqual(await page.title(), 'taken');
    }
  });

  it('shows the cluster by node and why jobs wait', async () => {
    await arrive(page, 'cluster');
    await page
      .getByRole('table', { name: 'nodes' })
      .getByRole('row', { name: hostname() })
      .getByText('Alive')
      .waitFor();
    await page.getByText(/^Of all accounts: \d+ where no run can be started now\.$/).waitFor();
  });

  it('shows each replica of the engine and why it is not ready', async () => {
    await arrive(page, 'cluster');
    const replica = page.getByRole('table', { name: 'replicas' }).getByRole('row', { name: /^2 Starting/ });
    await replica.getByText('being set up').waitFor();
  });

  it('lets the keyboard reach all controls with a visible focus', async () => {
    for (const place of places()) {
      await arrive(page, place);
      assert.deepEqual(await missedByKeyboard(page), [], place);
    }
  });

  it('causes no CSP violation, error or external request', () => {
    assert.deepEqual(here.watched.problems, []);
  });
});
