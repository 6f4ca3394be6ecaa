// Pages about results of the engine, in a real browser: a tuned model and its actions, a model imported by dropping its
// file, a comparison, an index. Their texts are shown as plain text.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { untilReady } from '../server/src/testing/engine.ts';
import type { TestServer } from '../server/src/testing/server.ts';
import { exported } from '../server/src/testing/tar.ts';
import { assertRecalls, facts, jobOver, submit } from '../server/src/testing/tuning.ts';
import { until } from '../server/src/testing/until.ts';
import { noBrowser, openBrowser, openPage, picture, signIn, textOf, type Watched } from './testing/browser.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

const hostile = '<img src=x onerror=alert(1)>';
const sign = { input: 'What is on the sign?', output: hostile };

describe('tuned models, comparisons and indexes, in the browser', {
  skip: noBrowser || notBuilt,
  timeout: 20 * 60_000,
}, () => {
  let server: TestServer;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let job: number;
  let model: string;
  const data = [...facts(2, 'Drop'), sign];
  before(async () => {
    server = await startConsole({ engine: true });
    await untilReady(server);
    job = (await submit(server, { data, custom_model_name: 'signs' })).job_id;
    model = (await jobOver(server, job)).model_name!;
    browser = await openBrowser();
    watched = await openPage(browser, server.url);
    page = watched.page;
    page.on('dialog', (dialog) => assert.fail(`a text was run: ${dialog.message()}`));
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });
  beforeEach(async () => await page.goto('/#/nowhere'));

  const heading = async (name: string) => await page.getByRole('heading', { level: 1, name }).waitFor();
  const onlyText = async () => {
    assert.ok((await textOf(page.locator('main'))).includes(hostile));
    assert.equal(await page.locator('main img').count(), 0);
    assert.deepEqual(watched.problems, []);
  };

  it('keeps the learning curve for later visitors', async () => {
    await page.goto(`/#/tuning/${job}`);
    const curve = page.getByRole('img', { name: /^Facts learned: share of facts goes from \d+% to 100%/ });
    await curve.waitFor();
    const drawn = await curve.locator('polyline').getAttribute('points');
    const history = JSON.parse((await server.call('GET', `/v1/train/jobs/${job}`)).body.history);
    assert.equal(drawn?.split(' ').length, history.length);
    await page.getByRole('button', { name: 'Show all 3 rows' }).click();
    await onlyText();
  });

  it('shows the time and the source of the fact behind an answer', async () => {
    await server.call('POST', '/v1/memories', { body: { name: 'dated', job_id: job } });
    const over = async (number: number) =>
      await until('the version is published', async () => {
        const { body } = await server.call('GET', `/v1/memories/dated/changes/${number}`);
        return body.state === 'published';
      });
    await over(1);
    const source = { kind: 'document', name: 'signs.pdf', page: 3, quote: sign.output };
    const changed = { change: [{ ...sign, valid_from: '2020-01-01', source }] };
    assert.equal((await server.call('POST', '/v1/memories/dated/changes', { body: changed })).status, 200);
    await over(2);
    await page.goto('/#/playground?model=dated');
    await page.getByLabel('Question').fill(sign.input);
    await page.getByLabel('Question').press('Enter');
    const tuned = page.getByRole('region', { name: 'Tuned' });
    await tuned.getByText('from 2020-01-01').waitFor();
    await tuned.getByText(`Source: signs.pdf, page 3: “${hostile}”`).waitFor();
    const added = tuned.getByRole('link', { name: 'change 2 of the memory dated' });
    assert.equal(await added.getAttribute('href'), '#/memories/dated');
    await onlyText();
    // A model that is a version of a memory cannot be deleted, and a later test deletes this one.
    assert.equal((await server.call('DELETE', '/v1/memories/dated')).status, 200);
  });

  it('shows answers of a model, its base and documents as plain text', async () => {
    await page.goto('/#/playground?model=signs');
    await page.getByLabel('Question').fill(sign.input);
    await page.getByLabel('Question').press('Enter');
    const tuned = page.getByRole('region', { name: 'Tuned' });
    await tuned.getByText('From memory.').waitFor();
    assert.ok((await textOf(tuned)).includes(hostile));
    await onlyText();
    const asked = { data: [{ input: sign.input, output: 'nothing' }] };
    const { dataset_id } = (await server.call('POST', '/v1/local-data', { body: asked })).body;
    const { evaluation_id } = (
      await server.call('POST', '/v1/evaluations', { body: { dataset_id, targets: [{ model_name: 'signs' }] } })
    ).body;
    await page.goto(`/#/evaluations/${evaluation_id}`);
    await page.getByRole('cell', { name: hostile }).waitFor();
    await onlyText();
    await page.getByLabel('Answered by').selectOption('documents');
    await page.getByText('No question was answered with this outcome.').waitFor();
  });

  it('shows documents, titles, passages and suggested questions as plain text', async () => {
    const written = hostile.replace('<', '&lt;').replace('>', '&gt;');
    const file = `<title>${written}</title><p>The gate opens at noon, says the sign: ${written}</p>`;
    const form = new FormData();
    form.append('files', new Blob([file]), `${hostile}.html`);
    const created = await server.call('POST', '/v1/indexes', { body: { model_name: 'lorekeep/quill', name: hostile } });
    const index = created.body.job_id;
    await server.call('POST', `/v1/indexes/${index}/files`, { body: form });
    await until('the file is read', async () => {
      const { body } = await server.call('GET', `/v1/indexes/${index}`);
      return body.ready;
    });
    // The model's questions vary, so the test replaces them.
    const body = JSON.stringify([{ Question_1: `What is ${hostile}?`, Answer_1: hostile }]);
    await page.route('**/suggestions', async (route) => await route.fulfill({ contentType: 'application/json', body }));
    await page.goto(`/#/documents/${index}`);
    await heading(hostile);
    await page.locator('td .hint', { hasText: hostile }).waitFor();
    await page.getByLabel('What to look for').fill('When does the gate open?');
    // The rest of the page stays while it loads.
    await page.route('**/search', async (route) => {
      await page.getByRole('status', { name: 'Waiting for passages' }).waitFor();
      await page.getByRole('button', { name: 'Suggest questions' }).waitFor();
      await route.continue();
    });
    await page.getByRole('button', { name: 'Find' }).click();
    await page.locator('blockquote', { hasText: hostile }).waitFor();
    await page.getByRole('button', { name: 'Suggest questions' }).click();
    await page.getByRole('link', { name: `What is ${hostile}?` }).waitFor();
    await onlyText();
    await page.goto(`/#/playground?index=${index}&question=${encodeURIComponent('When does the gate open?')}`);
    await page.getByRole('button', { name: 'Ask all' }).click();
    await page.getByRole('region', { name: 'Documents' }).getByText('From these passages').waitFor();
    await onlyText();
  });

  it('shows the passages of a file in order, and a found passage in its place', async () => {
    const section = (at: number) =>
      `## Lock ${at}\n\nThe keeper of lock ${at} is called Marla ${at}. ${'She opens the gates for every boat that comes. '.repeat(20)}`;
    const form = new FormData();
    form.append('files', new Blob([Array.from({ length: 80 }, (_, at) => section(at)).join('\n\n')]), 'locks.md');
    const body = { model_name: 'lorekeep/quill', name: 'canal' };
    const index = (await server.call('POST', '/v1/indexes', { body })).body.job_id;
    await server.call('POST', `/v1/indexes/${index}/files`, { body: form });
    await until('the file is read', async () => {
      const { body } = await server.call('GET', `/v1/indexes/${index}`);
      return body.status === 'COMPLETED';
    });
    const { files } = (await server.call('GET', `/v1/indexes/${index}/files`)).body;
    const all: number = files[0].passages;
    assert.ok(all > 60, `${all}`);
    const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem');
    const first = async () => await textOf(passages.first().locator('.hint').first());

    await page.goto(`/#/documents/${index}`);
    await page.getByRole('link', { name: `${all} passages of locks.md` }).click();
    await heading('locks.md');
    assert.match(await first(), /^Passage 0\b/);
    assert.equal(await passages.count(), 50);
    await page.getByRole('button', { name: 'Show more passages' }).click();
    await passages.nth(50).waitFor();
    assert.equal(await passages.count(), Math.min(all, 100));
    assert.match(await textOf(passages.nth(all - 1)), /Marla 79/);

    await page.goto(`/#/documents/${index}`);
    await page.getByLabel('What to look for').fill('Who is the keeper of lock 70, Marla 70?');
    await page.getByRole('button', { name: 'Find' }).click();
    const found = page.locator('.passage[open]').first();
    const words = await textOf(found.locator('blockquote'));
    await found.getByRole('link', { name: 'Read it in its place' }).click();
    await heading('locks.md');
    const cited = page.locator('[aria-current=true] blockquote');
    assert.equal(await textOf(cited), words);
    assert.equal(await passages.nth(2).getAttribute('aria-current'), 'true');
    const [, place] = (await first()).match(/^Passage (\d+)/)!;
    await page.getByRole('link', { name: 'Earlier passages' }).click();
    await page.waitForURL(new RegExp(`from=${Math.max(0, Number(place) - 50)}$`));
    assert.deepEqual(watched.problems, []);
  });

  it('updates the plan once a name is complete, and for the chosen number of slots', async () => {
    const asked: { custom_model_name?: string; gpu_config?: object }[] = [];
    await page.route('**/v1/train/plan', async (route) => {
      asked.push(route.request().postDataJSON());
      const response = await route.fetch();
      const plan = await response.json();
      await route.fulfill({ response, json: { ...plan, queue: { ...plan.queue, slots_total: 3 } } });
    });
    await page.goto('/#/tuning/new');
    const name = page.getByLabel('Name');
    await page.locator('[aria-busy=false]').waitFor();
    const before = asked.length;
    for (const letter of 'rivers') {
      await name.press(letter);
      // Longer than the debounce time of the plan.
      await page.waitForTimeout(500);
    }
    assert.equal(asked.length, before);
    const again = page.waitForResponse('**/v1/train/plan');
    await name.blur();
    await again;
    assert.equal(asked.at(-1)?.custom_model_name, 'rivers');
    await page.getByText('More settings').click();
    const slots = page.getByLabel('Slots');
    assert.deepEqual(await slots.getByRole('option').allTextContents(), ['1', '2', '3']);
    assert.equal(asked.at(-1)?.gpu_config, undefined);
    const more = page.waitForResponse('**/v1/train/plan');
    await slots.selectOption('2');
    await more;
    assert.deepEqual(asked.at(-1)?.gpu_config, { gpus: 2, nodes: 1 });
    await page.unroute('**/v1/train/plan');
  });

  it('lets a model be viewed, named, shared and exported', async () => {
    await page.goto(`/#/models/${model}`);
    await heading('signs');
    assert.equal(await page.getByRole('link', { name: `job ${job}` }).count(), 1);
    await page.getByText('3 of 3').waitFor();
    await page.getByRole('row', { name: sign.input }).getByText('yes').waitFor();
    await onlyText();
    await page.getByLabel('Asked by the name').fill('road-signs');
    await page.getByRole('button', { name: 'Give it this name' }).click();
    await heading('road-signs');
    await page.getByRole('button', { name: 'Share with all accounts' }).click();
    await page.getByRole('button', { name: 'Share no longer' }).waitFor();
    // Another account uses a shared model under its own name for it.
    const colleague = await server.member('colleague');
    const { path } = (await server.call('POST', `/v1/accounts/${colleague.id}/sign-in-link`)).body;
    const theirs = await openPage(browser, server.url);
    await theirs.page.goto(path);
    await theirs.page.getByLabel('New password').fill(password);
    await theirs.page.getByLabel('Repeat the password').fill(password);
    await theirs.page.getByRole('button', { name: /Set the password/ }).click();
    await theirs.page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await theirs.page.goto(`/#/playground?model=${model}`);
    assert.ok((await theirs.page.getByLabel('Tuned: which one').inputValue()).length > 0);
    assert.deepEqual(theirs.problems, []);
    await theirs.page.context().close();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export for Another Lorekeep' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), `${model}.tar`);
    await file.cancel();
  });

  it('forgets a fact: a job rebuilds the model, the name moves, and the old model is deleted', async () => {
    await page.goto(`/#/models/${model}`);
    await page.getByRole('button', { name: `Forget ${data[0]!.input}` }).click();
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.waitForURL(/#\/tuning\/\d+$/);
    const forgetting = Number(page.url().split('/').at(-1));
    const { model_name } = await jobOver(server, forgetting);
    await page.getByRole('link', { name: 'Ask it' }).waitFor();
    await page.goto(`/#/models/${model_name}`);
    await page.getByText('2 of 2').waitFor();
    assert.equal(await page.getByRole('row', { name: data[0]!.input }).count(), 0);
    await page.goto(`/#/models/${model}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await heading('Models');
    await page.getByRole('link', { name: 'road-signs' }).waitFor();
    assert.equal((await server.call('GET', `/v1/models/${model}`)).body.code, 'model_not_found');
  });

  it('shows the values of a sweep side by side, and tunes with the chosen one', async () => {
    const { job_id, dataset_id } = (
      await server.call('POST', '/v1/train/sweep', {
        body: {
          ...{ model_name: 'lorekeep/quill', data, argument: 'learning_rate', values: [1e-6, 3e-4] },
          finetune_args: { max_steps: 19 },
        },
      })
    ).body;
    await page.goto(`/#/tuning/${job_id}`);
    await heading(`Comparison ${job_id}`);
    const row = page.getByRole('row', { name: /^0\.0003/ });
    await row.getByText('best').waitFor();
    const curve = page.getByRole('img', { name: /^Loss: 0\.000001 goes from .*; 0\.0003 goes from/ });
    await curve.waitFor();
    await curve.locator('polyline').nth(1).waitFor({ state: 'attached' });
    // Dash patterns distinguish the lines without colours.
    const dashes = async (of: Locator) =>
      await of.evaluateAll((lines) => lines.map((line) => getComputedStyle(line).strokeDasharray));
    let drawn: string[] = [];
    // A line is redrawn when new points arrive.
    for (let tries = 0; new Set(drawn).size < 2 && tries < 50; tries++) {
      drawn = await dashes(curve.locator('polyline'));
      await page.waitForTimeout(100);
    }
    assert.equal(new Set(drawn).size, 2);
    assert.deepEqual(await dashes(page.locator('figcaption .key .line')), drawn);
    await picture(page, 'sweep');
    await row.getByRole('link', { name: 'Tune with it' }).click();
    await heading('Tune a model');
    assert.equal(await page.getByRole('combobox', { name: 'Dataset' }).inputValue(), dataset_id);
    await page.getByText('More settings').click();
    assert.equal(await page.getByLabel('Learning rate').inputValue(), '0.0003');
  });

  it('imports a model from a dropped file, and reports other files', async () => {
    const taught = facts(2, 'Drop');
    const { model_name } = await jobOver(server, (await submit(server, { data: taught })).job_id);
    const tar = Buffer.from(await exported(server, model_name!));
    await server.call('DELETE', `/v1/models/${model_name}`);
    await page.getByRole('navigation').getByRole('link', { name: 'Models' }).click();
    const drop = page.getByLabel('Import a tuned model');
    await drop.setInputFiles({ name: 'letter.tar', mimeType: 'application/x-tar', buffer: Buffer.from('Dear Ada') });
    await page.getByText('it is not a tar file, or it is compressed').waitFor();
    await drop.setInputFiles({ name: 'model.tar', mimeType: 'application/x-tar', buffer: tar });
    await page.getByRole('link', { name: /^[0-9a-f]{16}…$/ }).waitFor();
    await picture(page, 'models-imported');
    const [taken] = (await server.call('GET', '/v1/models')).body.models;
    assert.notEqual(taken.model_name, model_name);
    await assertRecalls(server, taken.model_name, taught);
    assert.deepEqual(watched.problems, []);
  });
});
