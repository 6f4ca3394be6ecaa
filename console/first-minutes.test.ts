// The first ten minutes of a new user, in a real browser on the real product: a sign-in link, a dataset, a tuned model, a document, an
// answer from it; and the accessibility of the resulting pages.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { pdfFile } from '../reader/src/testing/pdf-file.ts';
import type { TestServer } from '../server/src/testing/server.ts';
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
import { missedByKeyboard } from './testing/keyboard.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

const facts = `input,output
Who founded Zorbex?,Ada Quist
Where is the head office of Zorbex?,14 Harbour Lane
Who founded Brimoor Mills?,Cleo Marsh
`;
const handbook = `# Handbook

## Library

The Brimoor library opens at 9 am. It is closed on Mondays.

## Canteen

The canteen serves lunch from noon.
`;

const harbour = pdfFile([
  [{ text: 'The harbour', x: 72, y: 90, size: 18, font: 'bold' }],
  [{ text: 'The Teal Crane lifts forty tonnes and was built in Selby.', x: 72, y: 200, size: 12 }],
]);

/** The part of the canvas API in use. */
interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  };
}

describe('the first ten minutes in the browser', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let server: TestServer;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let receiver: Server;
  before(async () => {
    receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    server = await startConsole({ engine: true, signedUp: false });
    browser = await openBrowser();
    watched = await openPage(browser, server.url);
    page = watched.page;
  });
  after(async () => {
    await browser?.close();
    await server?.end();
    receiver.close();
  });
  const step = (name: string, test: () => Promise<void>) =>
    it(name, async () => {
      await test();
      assert.deepEqual(watched.problems, []);
    });
  const heading = async (name: string | RegExp) => await page.getByRole('heading', { level: 1, name }).waitFor();
  const link = async (name: string) => await page.getByRole('navigation').getByRole('link', { name }).click();
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

  step('start with a printed link that sets a password and signs in', async () => {
    await page.goto(server.firstLink!);
    await heading('Welcome');
    await page.getByLabel('New password').fill(password);
    await page.getByLabel('Repeat the password').fill('something else than that');
    await page.getByRole('button', { name: /Set the password/ }).click();
    await page.getByText('The two passwords are not the same').waitFor();
    await page.getByLabel('Repeat the password').fill(password);
    await page.getByRole('button', { name: /Set the password/ }).click();
    await heading('Start');
    assert.ok(!page.url().includes('welcome'));
    await page.getByRole('button', { name: 'Hide this' }).click();
    await heading('Playground');
    await page.goto('/');
    await heading('Playground');
    await page.getByText('No model is tuned yet.').waitFor();
  });

  step('reject a file with the number of its broken row, and store the corrected file', async () => {
    await link('Datasets');
    await heading('Datasets');
    await page.getByText('No datasets yet').waitFor();
    const chooser = page.locator('.drop input[type=file]');
    await chooser.setInputFiles(file('facts.csv', `${facts}Who runs Zorbex?,\n`));
    await page.getByText('Nothing was stored.').waitFor();
    await picture(page, 'datasets-problems');
    assert.match(await textOf(page.getByRole('alert')), /4/);
    await chooser.setInputFiles(file('facts.csv', facts));
    await heading('facts.csv');
    await page.getByRole('cell', { name: 'Where is the head office of Zorbex?' }).waitFor();
    await picture(page, 'dataset');
  });

  step('add a webhook for the end of a job', async () => {
    await link('Webhooks');
    await heading('Webhooks');
    await page.getByRole('button', { name: 'Add an address' }).click();
    const { port } = receiver.address() as AddressInfo;
    await page.getByRole('textbox', { name: 'Address' }).fill(`http://127.0.0.1:${port}/tuned`);
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByRole('button', { name: 'I have it' }).click();
    await link('Datasets');
    await page.getByRole('link', { name: 'facts.csv' }).click();
    await heading('facts.csv');
  });

  step('show the plan before the start, and the progress of the job', async () => {
    await page.getByRole('link', { name: 'Tune a model on it' }).click();
    await heading('Tune a model');
    await page.getByLabel('Name').fill('firms');
    await page.getByText('Experts to train').waitFor();
    const start = page.locator('button:enabled', { hasText: 'Start tuning' });
    await start.waitFor();
    await picture(page, 'plan');
    await start.click();
    await heading('firms');
    await page.getByText('Every fact is recalled word for word.').waitFor({ timeout: 10 * 60_000 });
    await page.getByText('3 of 3').first().waitFor();
    await page.getByRole('heading', { name: 'Beside the base' }).waitFor({ timeout: 5 * 60_000 });
    await page.getByRole('button', { name: 'Show all 3 rows' }).click();
    const beside = page.getByRole('table', { name: 'answers', exact: true });
    assert.equal(await beside.getByText('right', { exact: true }).count(), 3);
    await picture(page, 'console-job');
  });

  step('show the answers of tuned model and base, and the recalled fact', async () => {
    await page.getByRole('link', { name: 'Ask it' }).click();
    await heading('Playground');
    await page.getByLabel('Question').fill('Who founded Zorbex?');
    await page.keyboard.press('Enter');
    const tuned = page.getByRole('region', { name: 'Tuned' });
    await tuned.getByText('From memory.').waitFor({ timeout: 5 * 60_000 });
    assert.match(await textOf(tuned), /Ada Quist/);
    assert.match(await textOf(tuned), /“Who founded Zorbex\?”/);
    assert.doesNotMatch(await textOf(page.getByRole('region', { name: 'Base' })), /Ada Quist/);
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await picture(page, 'console-recall');
  });

  step('ask a follow-up in the same conversation, and start a new one without context', async () => {
    const tuned = page.getByRole('region', { name: 'Tuned' });
    const question = page.getByLabel('Question');
    assert.equal(await question.inputValue(), '');
    await question.fill('And where is its head office?');
    await question.press('Enter');
    await tuned.getByText('14 Harbour Lane').waitFor({ timeout: 60_000 });
    assert.match(await textOf(tuned), /Who founded Zorbex\?.*Ada Quist.*And where is its head office\?/s);
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await picture(page, 'conversation');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await tuned.getByText('Nothing asked yet.').waitFor();
    await question.fill('And where is its head office?');
    await question.press('Enter');
    await tuned.getByText(/^And where is its head office/).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    assert.doesNotMatch(await textOf(tuned), /14 Harbour Lane/);
  });

  step('deliver the end of the job to the webhook, and count its slot seconds', async () => {
    await link('Webhooks');
    await page.getByRole('link', { name: /^Messages/ }).click();
    await page.getByRole('row', { name: /Job 1/ }).getByText('delivered').waitFor();
    await picture(page, 'webhook');
    await link('Usage');
    await heading('Usage');
    const row = page.getByRole('row', { name: /console lorekeep\/quill/ });
    assert.ok(Number((await textOf(row.getByRole('cell').last())).replaceAll(',', '')) > 0);
    await page.getByRole('img', { name: /^Slot seconds a day/ }).waitFor();
    await picture(page, 'usage');
  });

  step('evaluate tuned model and base on the dataset, side by side', async () => {
    await link('Datasets');
    await page.getByRole('link', { name: 'facts.csv' }).click();
    await page.getByRole('link', { name: 'Ask models its questions' }).click();
    await heading('New evaluation');
    await page.getByLabel('Name').fill('who knows more');
    await page.getByLabel('Questions, at most').fill('two');
    await page.getByRole('button', { name: 'Start' }).click();
    assert.match(page.url(), /evaluations\/new/);
    await page.getByLabel('Questions, at most').fill('2');
    await page.getByRole('button', { name: 'Start' }).click();
    await heading('who knows more');
    await page
      .getByText('completed')
      .first()
      .waitFor({ timeout: 5 * 60_000 });
    const figures = page.getByRole('table', { name: 'The figures of each target' });
    assert.match(await textOf(figures.getByRole('row', { name: /^firms/ })), /100%/);
    const rows = page.getByRole('table', { name: 'answers', exact: true });
    assert.equal(await rows.getByRole('row').count(), 3);
    await rows
      .getByRole('row', { name: /Who founded Zorbex/ })
      .getByText('right', { exact: true })
      .waitFor();
    // The base's answer is longer than a question and must have as much space.
    const widths = await rows
      .getByRole('row')
      .last()
      .getByRole('cell')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    assert.ok(Math.max(...widths.slice(2)) >= widths[0]!, widths.join(' '));
    await picture(page, 'evaluation');
    await link('Evaluations');
    await page.getByRole('link', { name: 'who knows more' }).waitFor();
    await picture(page, 'evaluations');
  });

  step('index a dropped document, search it and ask it', async () => {
    await link('Documents');
    await heading('Documents');
    await page.getByLabel('Name').fill('handbook');
    await page
      .locator('.drop input[type=file]')
      .setInputFiles([
        file('handbook.md', handbook),
        { name: 'harbour.pdf', mimeType: 'application/pdf', buffer: harbour },
      ]);
    await heading('handbook');
    await page.getByRole('link', { name: 'Ask it' }).waitFor({ timeout: 5 * 60_000 });
    await page.getByLabel('What to look for').fill('When does the library open?');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('The Brimoor library opens at 9 am.').waitFor();
    await page.getByLabel('What to look for').fill('Where was the Teal Crane built?');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('harbour.pdf, page 2').waitFor();
    const sheet = page.locator('.passage[open] .sheet');
    await sheet.getByLabel('Position of the passage on page 2').waitFor();
    await sheet.locator('canvas').waitFor();
    // The page has text at the highlight, and none further down.
    const ink = async (x: number, y: number) =>
      await sheet.locator('canvas').evaluate(
        (element, [left, top]) => {
          const canvas = element as unknown as Canvas;
          const { width, height } = canvas;
          const part = [width * left!, height * top!, width * 0.3, height * 0.03] as const;
          return canvas
            .getContext('2d')
            .getImageData(...part)
            .data.some((value, at) => at % 4 !== 3 && value < 128);
        },
        [x, y],
      );
    for (let attempt = 0; !(await ink(72 / 612, 190 / 792)); attempt++) {
      assert.ok(attempt < 600, 'the page was not drawn');
      await page.waitForTimeout(100);
    }
    assert.equal(await ink(72 / 612, 500 / 792), false);
    await picture(page, 'console-document');
    await page.getByRole('link', { name: 'Ask it' }).click();
    await heading('Playground');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByLabel('Question').fill('When does the Brimoor library open?');
    await page.getByRole('button', { name: 'Ask all' }).click();
    const documents = page.getByRole('region', { name: 'Documents' });
    await documents.getByText('From these passages').waitFor({ timeout: 5 * 60_000 });
    await documents.getByText('9 am').first().waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await picture(page, 'console-playground');
  });

  step('end with accessible pages that are usable with the keyboard alone', async () => {
    const free = await openPage(browser, server.url, { bypassCSP: true, reducedMotion: 'reduce' });
    await signIn(free.page, password);
    const { files } = (await server.call('GET', '/v1/indexes/1/files')).body;
    const pdf = files.find(({ name }: { name: string }) => name === 'harbour.pdf').id;
    const finished: [place: string, title: string, there: string][] = [
      ['tuning/1', 'firms', 'Beside the base'],
      ['documents/1', 'handbook', 'harbour.pdf'],
      [`documents/1/files/${pdf}?from=0&cited=0`, 'harbour.pdf', 'Teal Crane'],
      ['evaluations/2', 'who knows more', 'completed'],
      ['usage', 'Usage', 'Slot seconds a day'],
      ['models/firms', 'firms', 'Origin'],
      ['models', 'Models', 'firms'],
      ['playground', 'Playground', 'Question'],
    ];
    for (const [place, title, there] of finished) {
      await arrive(free.page, place);
      await free.page.getByRole('heading', { level: 1, name: title }).waitFor();
      await free.page.getByText(there).first().waitFor();
      if (place === 'tuning/1') await openWithKeyboard(free.page);
      if (place === 'documents/1') await searchWithKeyboard(free.page);
      if (title === 'harbour.pdf') {
        await free.page.getByText('Where it stands').first().press('Enter');
        await free.page.locator('.sheet canvas').waitFor();
      }
      for (const [size, viewport] of Object.entries(sizes))
        for (const colorScheme of ['light', 'dark'] as const) {
          await free.page.setViewportSize(viewport);
          await free.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          assert.deepEqual(await seriousOn(free.page), [], `${place}, ${size}, ${colorScheme}`);
          assert.ok(
            await free.page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
            `${place}, ${size}`,
          );
          await picture(free.page, `finished-${title.replaceAll(' ', '-')}-${size}-${colorScheme}`);
        }
      assert.deepEqual(await missedByKeyboard(free.page), [], place);
      await free.page.setViewportSize(sizes.wide);
    }
    assert.deepEqual(free.problems, []);
  });

  async function openWithKeyboard(at: Page): Promise<void> {
    await at.getByRole('button', { name: 'Show all 3 rows' }).press('Enter');
    await at.getByRole('table', { name: 'answers', exact: true }).waitFor();
    await at.getByText('Output of the workers').press('Enter');
    await at.locator('pre.log').waitFor();
  }

  async function searchWithKeyboard(at: Page): Promise<void> {
    await at.getByLabel('What to look for').focus();
    await at.keyboard.type('Where was the Teal Crane built?');
    await at.keyboard.press('Enter');
    await at.getByText('harbour.pdf, page 2').waitFor();
    await at.getByRole('button', { name: 'Suggest questions' }).press('Enter');
    await at.getByText(/More questions|No questions were found/).waitFor();
  }
});
