// Chromium for tests of the console. Every page is checked for CSP violations, errors and external requests.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { checkout } from '../../server/src/config/settings.ts';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env.LOREKEEP_TEST_CHROMIUM ?? programs.find((path) => existsSync(path));
/** Reason to skip a suite, or false. */
export const noBrowser = program ? false : `no Chromium at ${programs.join(', ')} or LOREKEEP_TEST_CHROMIUM`;

/** Generous timeout, since a busy machine may be ten times slower. */
export const timeoutMs = 120_000;

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: program!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Watched {
  page: Page;
  /** Faults of the page: CSP violations, errors, external requests. */
  problems: string[];
}

export const sizes = { wide: { width: 1280, height: 900 }, phone: { width: 375, height: 812 } };

/** Opens a page in a fresh browser context without stored data. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ baseURL: url, viewport: sizes.wide, locale: 'en-GB', ...options });
  context.setDefaultTimeout(timeoutMs);
  context.setDefaultNavigationTimeout(timeoutMs);
  await context.addInitScript(watchShifts);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    // The page shows refusals of the server itself; the browser's log lines about them are ignored.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) problems.push(`console: ${text}`);
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(blob|data):/.test(asked)) problems.push(`a call to ${asked}`);
  });
  return { page, problems };
}

/** Records layout shifts that were not caused by user input. */
const watchShifts = `
  globalThis.shifted = [];
  const describe = (node) => (node?.nodeType === 1 ? node.outerHTML : node?.textContent ?? 'nothing any more').slice(0, 100);
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        for (const { node, previousRect: from, currentRect: to } of sources)
          shifted.push('from ' + [from.x, from.y] + ' to ' + [to.x, to.y] + ': ' + describe(node));
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Layout shifts since the last call, after rendering has finished. */
async function shiftsOn(page: Page): Promise<string[]> {
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  return (await page.evaluate('globalThis.shifted.splice(0)')) as string[];
}

/** Opens a page, waits until it is complete, and checks for layout shifts. */
export async function arrive(page: Page, place: string): Promise<void> {
  await shiftsOn(page);
  await page.goto(`/#/${place}`);
  await page.locator('h1').waitFor();
  // Pages load several resources, some of them in sequence.
  for (let attempt = 0; (await page.locator('.ghosts').count()) > 0; attempt++) {
    assert.ok(attempt < timeoutMs / 50, `${place} goes on waiting`);
    await page.waitForTimeout(50);
  }
  assert.deepEqual(await shiftsOn(page), [], `${place} moves while it comes`);
}

export async function signIn(page: Page, password: string, account = 'operator'): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Account').fill(account);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // Only pages after sign-in have this element; on a phone it is hidden.
  await page.locator('nav[aria-label="Pages"]').waitFor({ state: 'attached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Takes a screenshot into the folder LOREKEEP_TEST_PICTURES; with `docs` it replaces the pictures of the docs (`console-…`). */
export async function picture(page: Page, name: string): Promise<void> {
  const asked = process.env.LOREKEEP_TEST_PICTURES;
  if (!asked || (asked === 'docs' && !name.startsWith('console-'))) return;
  const folder = asked === 'docs' ? join(checkout, 'docs/pictures') : asked;
  await page.mouse.move(0, 0);
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

export async function textOf(part: Locator): Promise<string> {
  return (await part.textContent()) ?? '';
}
