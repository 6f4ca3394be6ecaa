// Facts with texts that need room or another direction of writing, in a real browser: long validities, and Arabic.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { csrfHeader } from '../contract/src/sessions.ts';
import { noEngine } from '../server/src/erasures/testing/no-engine.ts';
import { House } from '../server/src/memories/testing/house.ts';
import { emptySqlite } from '../server/src/testing/databases.ts';
import { arrive, noBrowser, openBrowser, openPage, picture, signIn, sizes } from './testing/browser.ts';
import { notBuilt, password } from './testing/server.ts';

const arabic = { input: 'من أسس شركة زوربكس؟', output: 'آدا كويست، في سنة 1990.' };
const timed = {
  ...{ input: 'Who runs Zorbex in the first half of the year?', output: 'Ben Oru' },
  ...{ valid_from: '2026-01-01T00:00:00.000Z', valid_until: '2026-06-30T12:00:00.000Z' },
};

describe('the facts of a memory and of a model', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let house: House;
  let browser: Browser;
  let page: Page;
  before(async () => {
    house = await House.of(emptySqlite, [arabic, timed], noEngine());
    const body = { token: house.server.firstLink!.split('/').at(-1), password };
    await house.server.call('POST', '/v1/sign-in-links/use', { key: null, body, headers: { [csrfHeader]: 'sign-in' } });
    browser = await openBrowser();
    ({ page } = await openPage(browser, house.server.url));
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await house?.end();
  });

  /** Texts of labels that are wider than their cell. */
  const overflowing = async () =>
    await page.locator('td .pill').evaluateAll((all) =>
      all
        .filter((pill) => {
          const cell = pill.closest('td')!.getBoundingClientRect();
          const { left, right } = pill.getBoundingClientRect();
          return left < cell.left - 0.5 || right > cell.right + 0.5;
        })
        .map((pill) => pill.textContent),
    );

  for (const place of ['memories/house', 'models/house'])
    it(`keep within their cells, each in its direction: ${place}`, async () => {
      for (const width of [sizes.wide.width, 900, sizes.phone.width, 320]) {
        await page.setViewportSize({ width, height: 900 });
        await arrive(page, 'nowhere');
        await arrive(page, place);
        await page.getByText('from 2026-01-01T00:00:00.000Z').waitFor();
        await picture(page, `texts-${place.split('/')[0]}-${width}`);
        assert.deepEqual(await overflowing(), [], String(width));
      }
      await page.setViewportSize(sizes.wide);
      const directionOf = async (text: string) =>
        await page
          .getByText(text, { exact: true })
          .filter({ visible: true })
          .first()
          .evaluate((element) => {
            const { direction, textAlign } = getComputedStyle(element.closest('[dir]') ?? element);
            return `${direction} ${textAlign}`;
          });
      for (const text of [arabic.input, arabic.output]) assert.equal(await directionOf(text), 'rtl start', text);
      for (const text of [timed.input, timed.output]) assert.equal(await directionOf(text), 'ltr start', text);
    });
});
