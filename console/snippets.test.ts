// Code snippets on the page of keys: copied from the browser and run with a key created there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { checkout } from '../server/src/config/settings.ts';
import type { TestServer } from '../server/src/testing/server.ts';
import { answered } from '../server/src/testing/tuning.ts';
import { noBrowser, openBrowser, openPage, signIn, textOf } from './testing/browser.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

const run = promisify(execFile);
const python = join(checkout, '.setup/tools/bin/python');
const question = 'Who approves travel?';
const max_tokens = 50;

describe('the programs on the page of keys', { skip: noBrowser || notBuilt, timeout: 10 * 60_000 }, () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let folder: string;
  let key: string;
  before(async () => {
    server = await startConsole({ engine: true });
    folder = await mkdtemp(join(tmpdir(), 'lorekeep-snippets-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(join(checkout, 'node_modules/@lorekeep'), join(folder, 'node_modules/@lorekeep'));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    browser = await openBrowser();
    ({ page } = await openPage(browser, server.url));
    await signIn(page, password);
    await page.goto('/#/keys');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Name').fill('a program');
    await page.getByRole('button', { name: 'Make it' }).click();
    key = await textOf(page.getByRole('dialog').locator('code'));
    await page.getByRole('button', { name: 'I have it' }).click();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a copied snippet with the key filled in; returns its output. */
  async function outputOf(
    language: string,
    file: string,
    [program, ...before]: [string, ...string[]],
  ): Promise<string> {
    const card = page.getByRole('region', { name: 'How to use a key' });
    await card.getByRole('button', { name: language, exact: true }).click();
    const text = await textOf(card.locator('pre code'));
    await writeFile(join(folder, file), text.replaceAll('lk_...', key));
    const { stdout } = await run(program, [...before, file], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, LOREKEEP_API_KEY: key },
    });
    return stdout.trim();
  }

  const plain = async () =>
    (await answered(server, { model_name: 'lorekeep/quill', prompt: question, max_tokens })).output as string;

  it('runs the one for curl', async () => {
    const expected = await plain();
    assert.deepEqual(JSON.parse(await outputOf('curl', 'ask.sh', ['sh'])), { output: expected });
  });
  it('runs the one for Python', async () => {
    const expected = await plain();
    assert.equal(await outputOf('Python', 'ask.py', [python]), expected.trim());
  });
  it('runs the one for TypeScript', async () => {
    const expected = await plain();
    assert.ok((await outputOf('TypeScript', 'ask.ts', [process.execPath])).includes(expected.trim()));
  });
  it("runs the one for OpenAI's client", async () => {
    const messages = [{ role: 'user', content: question }];
    const chat = await answered(server, { model: 'lorekeep/quill', messages, max_tokens }, '/inf/chat/completions');
    assert.equal(await outputOf('OpenAI client', 'chat.py', [python]), chat.choices[0].message.content.trim());
  });
});
