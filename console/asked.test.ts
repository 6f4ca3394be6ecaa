// Questions to models, in a real browser with a real engine: votes on answers in the playground, and the code snippets of the page of
// keys, copied from the browser and run with a key created there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { checkout } from '../server/src/config/settings.ts';
import { untilReady } from '../server/src/testing/engine.ts';
import type { TestServer } from '../server/src/testing/server.ts';
import { answered, facts, jobOver, submit } from '../server/src/testing/tuning.ts';
import { until } from '../server/src/testing/until.ts';
import { seriousOn } from './testing/axe.ts';
import { arrive, noBrowser, openBrowser, openPage, picture, signIn, textOf } from './testing/browser.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

const run = promisify(execFile);
const python = join(checkout, '.setup/tools/bin/python');
const question = 'Who approves travel?';
const max_tokens = 50;
const sign = { input: 'What is on the sign?', output: 'A red fox' };

describe('models that are asked', { skip: noBrowser || notBuilt, timeout: 10 * 60_000 }, () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  before(async () => {
    server = await startConsole({ engine: true });
    await untilReady(server);
    browser = await openBrowser();
    ({ page } = await openPage(browser, server.url, { bypassCSP: true }));
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  describe('the code snippets on the page of keys', () => {
    let folder: string;
    let key: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lorekeep-snippets-'));
      await mkdir(join(folder, 'node_modules'));
      await symlink(join(checkout, 'node_modules/@lorekeep'), join(folder, 'node_modules/@lorekeep'));
      await writeFile(join(folder, 'package.json'), '{"type": "module"}');
      await page.goto('/#/keys');
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByLabel('Name').fill('a program');
      await page.getByRole('button', { name: 'Make it' }).click();
      key = await textOf(page.getByRole('dialog').locator('code'));
      await page.getByRole('button', { name: 'I have it' }).click();
    });
    after(async () => await rm(folder, { recursive: true, force: true }));

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

    it('run with curl', async () => {
      const expected = await plain();
      assert.deepEqual(JSON.parse(await outputOf('curl', 'ask.sh', ['sh'])), { output: expected });
    });
    it('run in Python', async () => {
      const expected = await plain();
      assert.equal(await outputOf('Python', 'ask.py', [python]), expected.trim());
    });
    it('run in TypeScript', async () => {
      const expected = await plain();
      assert.ok((await outputOf('TypeScript', 'ask.ts', [process.execPath])).includes(expected.trim()));
    });
    it("run with OpenAI's client", async () => {
      const messages = [{ role: 'user', content: question }];
      const chat = await answered(server, { model: 'lorekeep/quill', messages, max_tokens }, '/inf/chat/completions');
      assert.equal(await outputOf('OpenAI client', 'chat.py', [python]), chat.choices[0].message.content.trim());
    });
  });

  describe('votes on answers', () => {
    before(async () => {
      const { job_id } = await submit(server, { data: [...facts(2, 'Drop'), sign] });
      await jobOver(server, job_id);
      await server.call('POST', '/v1/memories', { body: { name: 'house', job_id } });
      await until('the memory has a version', async () => (await get('/v1/memories/house')).version === 1);
    });

    const get = async (path: string) => (await server.call('GET', path)).body;
    const votes = async () => (await get('/v1/feedback')).feedback;
    /** Opens an empty conversation. */
    const playground = async () => {
      await arrive(page, 'nowhere');
      await page.getByRole('region', { name: 'Tuned' }).waitFor({ state: 'detached' });
      await page.goto('/#/playground?model=house');
      await page.getByLabel('Question').waitFor();
      const anew = page.getByRole('button', { name: 'New conversation' });
      if (await anew.isVisible()) await anew.click();
    };
    const ask = async () => {
      await playground();
      await page.getByLabel('Question').fill(sign.input);
      await page.getByLabel('Question').press('Enter');
      const tuned = page.getByRole('region', { name: 'Tuned' });
      await tuned.getByText('From memory.').waitFor();
      return { tuned, base: page.getByRole('region', { name: 'Base' }) };
    };

    it('become proposals of the memory if down with an expected answer, and note that no answer is kept', async () => {
      const { tuned, base } = await ask();
      await tuned.getByRole('button', { name: 'A bad answer' }).click();
      await tuned.getByLabel('What should it have been?').fill('A red dog');
      await tuned.getByLabel('Comment').fill('repainted');
      assert.deepEqual(await seriousOn(page), []);
      await tuned.getByRole('button', { name: 'Send' }).click();
      await tuned.getByText('The account keeps no answers').waitFor();
      const [vote] = await votes();
      assert.deepEqual(
        [vote.rating, vote.expected, vote.comment, vote.memory, vote.proposal, vote.output],
        ['down', 'A red dog', 'repainted', 'house', 1, null],
      );
      await base.getByRole('button', { name: 'A bad answer' }).click();
      await base.getByLabel('What should it have been?').fill('A red dog');
      await base.getByRole('button', { name: 'Send' }).click();
      await base.getByText('Nothing is proposed: the model is no memory.').waitFor();
      await tuned.getByRole('link', { name: 'the proposal 1' }).click();
      const proposal = page.getByRole('region', { name: 'Proposal 1' });
      for (const text of ['feedback', 'A red dog', 'A red fox'])
        await proposal.getByText(text, { exact: true }).waitFor();
    });

    it('stay with their conversation while other pages are shown, until a new one begins', async () => {
      const { tuned, base } = await ask();
      await base.locator('[aria-busy=false]').waitFor();
      await arrive(page, 'keys');
      await page.goto('/#/playground?model=house');
      await tuned.getByText('From memory.').waitFor();
      assert.match(await textOf(tuned), /What is on the sign\?.*A red fox/s);
      assert.equal(await base.locator('.turn').count(), 1);
      await page.getByRole('button', { name: 'New conversation' }).click();
      await tuned.getByText('Nothing asked yet.').waitFor();
      await arrive(page, 'keys');
      await page.goto('/#/playground?model=house');
      await tuned.getByText('Nothing asked yet.').waitFor();
      assert.equal(await page.getByRole('button', { name: 'New conversation' }).count(), 0);
    });

    it('come with the rendered prompt of the base for an answer without a fact', async () => {
      await playground();
      await page.getByLabel('Question').fill('Context: A red fox sat on a mat. Question: Where did it sit?');
      await page.getByLabel('Question').press('Enter');
      const tuned = page.getByRole('region', { name: 'Tuned' });
      await tuned.getByText('The prompt that the base read').click();
      const prompt = tuned.locator('details pre');
      assert.match(await textOf(prompt), /Question: Where did it sit\?<\|eot_id\|>/);
      assert.deepEqual(await seriousOn(page), []);
      await picture(page, 'playground-prompt');
    });

    it('can be changed, without the note on kept answers if the account has opted in', async () => {
      await server.call('PATCH', '/v1/feedback/settings', { body: { decision_days: 1 } });
      const { tuned } = await ask();
      const before = (await votes()).length;
      for (const name of ['A good answer', 'A bad answer']) {
        const button = tuned.getByRole('button', { name });
        assert.equal(await button.textContent(), '', 'drawn, as a font may lack the sign');
        assert.equal(await button.locator('svg path').count(), 1);
      }
      await picture(page, 'playground-votes');
      await tuned.getByRole('button', { name: 'A good answer' }).click();
      await tuned.getByText('Thank you.').waitFor();
      assert.equal(await tuned.getByText('keeps no answers').count(), 0);
      assert.deepEqual((await votes()).map(({ rating }: { rating: string }) => rating)[0], 'up');
      await tuned.getByRole('button', { name: 'Change this vote' }).click();
      await tuned.getByRole('button', { name: 'A bad answer' }).click();
      await tuned.getByLabel('What should it have been?').fill(sign.output);
      await tuned.getByRole('button', { name: 'Send' }).click();
      await tuned.getByText('Nothing is proposed: house says so already.').waitFor();
      const now = await votes();
      assert.deepEqual([now.length, now[0].rating, now[0].output], [before + 1, 'down', sign.output]);
    });
  });
});
