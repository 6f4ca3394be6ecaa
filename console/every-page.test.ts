// Every page in a real browser: for readers of the screen, in light and dark, on a phone, and with texts that want to be more than text.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TuningJob } from '@lorekeep/client';
import type { Browser, Page } from 'playwright-core';
import { fileForm, type TestServer } from '../server/src/testing/server.ts';
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
  let job: number;
  let sweep: number;
  let index: number;
  let file: number;
  /** A dataset that an account which nobody here is has shared with all. */
  let colleagues: string;
  before(async () => {
    server = await startConsole();
    const made = async (path: string, body: unknown, key?: string) => {
      const answer = await server.call('POST', path, { body, ...(key && { key }) });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    const quoted = `"${hostile.replaceAll('"', '""')}"`;
    const rows = `input,output\n${quoted},${quoted}\nWho  runs it?,Ada\nWhen?,now\nWho runs it?,Ben\nWhen?,now\n`;
    dataset = (await made('/v1/datasets', fileForm(`${hostile}.csv`, rows, { name: hostile }))).dataset_id;
    await made('/v1/accounts', { name: hostile });
    const { key } = await server.member('colleague');
    const shared = fileForm('theirs.csv', 'input,output\nWhere?,here\n', { name: 'theirs', is_public: 'true' });
    colleagues = (await made('/v1/datasets', shared, key)).dataset_id;
    await made('/v1/keys', { name: hostile, scopes: ['read'] });
    // Without an engine all of these go on waiting: the pages of what runs.
    const model_name = 'lorekeep/quill';
    const targets = [{ model_name, name: hostile }];
    evaluation = (await made('/v1/evaluations', { dataset_id: dataset, name: hostile, targets })).evaluation_id;
    const data = [{ input: 'Where is it?', output: 'here' }];
    job = (await made('/v1/train', { model_name, data })).job_id;
    sweep = (await made('/v1/train/sweep', { model_name, data, argument: 'learning_rate', values: [1e-4, 3e-4] }))
      .job_id;
    for (const folder of await readdir(join(server.home, 'jobs')))
      await writeFile(join(server.home, 'jobs', folder, 'worker.log'), `a first line\n${hostile}\n`);
    const notes = new FormData();
    notes.append('files', new Blob(['# Notes']), `${hostile.replaceAll('/', '')}.md`);
    index = (await made('/v1/indexes', { model_name, name: hostile })).job_id;
    await made(`/v1/indexes/${index}/files`, notes);
    file = (await server.call('GET', `/v1/indexes/${index}/files`)).body.files[0].id;
    webhook = (await made('/v1/webhooks', { url: `https://example.org/${hostile}` })).id;
    browser = await openBrowser();
    // The rules of the page would keep axe out as they keep everything out; what it looks at is the same.
    watched = await openPage(browser, server.url, { bypassCSP: true, userAgent: hostile });
    page = watched.page;
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  beforeEach(async () => await page.setViewportSize(sizes.wide));

  const places = () => [
    'playground',
    'datasets',
    `datasets/${dataset}`,
    'tuning',
    'tuning/new',
    `tuning/${job}`,
    `tuning/${sweep}`,
    'documents',
    `documents/${index}`,
    `documents/${index}/files/${file}?from=3`,
    'evaluations',
    'evaluations/new',
    `evaluations/${evaluation}`,
    'models',
    'keys',
    'webhooks',
    `webhooks/${webhook}`,
    'cluster',
    'usage',
    'accounts',
    'account',
    'nowhere',
  ];

  const show = async (place: string) => await arrive(page, place);

  // In the dark only the colours are others.
  for (const scheme of ['light', 'dark'] as const) {
    it(`has nothing serious for axe in ${scheme}`, async () => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      for (const place of places()) {
        await show(place);
        assert.deepEqual(await seriousOn(page, scheme === 'light' ? 'all' : 'colours'), [], place);
        await picture(page, `${scheme}-${place.replaceAll('/', '-').slice(0, 30)}`);
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
      await picture(page, `phone-${place.replaceAll('/', '-').slice(0, 30)}`);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  });

  it('shows texts as texts, whatever stands in them', async () => {
    for (const place of [
      ...['datasets', `datasets/${dataset}`, 'accounts', 'account', 'keys', 'tuning/new', `tuning/${job}`],
      ...['documents', `documents/${index}`, `documents/${index}/files/${file}`, 'playground'],
      ...['evaluations', `evaluations/${evaluation}`, 'webhooks', `webhooks/${webhook}`],
    ]) {
      await show(place);
      if (place === `tuning/${job}`) {
        await page.getByText('What the workers printed').click();
        await page.getByText('a first line').waitFor();
      }
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

  it('rotates a key, so that both work for a while, and revokes the old one', async () => {
    const works = async (key: string) => (await server.call('GET', '/v1/account', { key })).status === 200;
    const { key, prefix } = (await server.call('POST', '/v1/keys', { body: { name: 'rotated' } })).body;
    await show('nowhere');
    await show('keys');
    await page.getByRole('button', { name: 'Rotate rotated' }).click();
    await page.getByText('It is shown this once.').waitFor();
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

  it('gives the focus back to what opened a dialog, or to the title where that is gone', async () => {
    const focused = async () => await page.evaluate('document.activeElement.textContent');
    await server.call('POST', '/v1/webhooks', { body: { url: 'https://ci.example.org/focus' } });
    await show('webhooks');
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

  it('copies a secret where the browser has no clipboard for pages', async () => {
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
    assert.deepEqual(plain.troubles, []);
    await plain.page.context().close();
  });

  it('finds in a list what is typed, and says when nothing is found', async () => {
    await show('webhooks');
    const search = page.getByRole('searchbox', { name: 'Search webhooks' });
    await search.fill('EXAMPLE onerror');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await search.fill('no such thing');
    await page.getByText('None of the webhooks has “no such thing” in it.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('1 in all').waitFor();
  });

  it('says what failed where a list would stand, and asks again', async () => {
    const calls = '**/v1/keys*';
    const body = JSON.stringify({ detail: 'The database is away.', code: 'internal' });
    await page.route(
      calls,
      async (route) => await route.fulfill({ status: 500, contentType: 'application/json', body }),
    );
    await page.goto('/#/keys');
    const said = page.getByRole('alert');
    await said.getByText('The database is away.').waitFor();
    assert.deepEqual(await seriousOn(page), []);
    await page.unroute(calls);
    await said.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'keys' }).waitFor();
    await said.waitFor({ state: 'detached' });
  });

  it('takes rows that are typed, and says at a row what is wrong with it', async () => {
    await show('datasets');
    await page.getByRole('button', { name: 'Type rows' }).click();
    const type = async (at: number, question: string, answer: string) => {
      await page.getByLabel(`Question ${at}`, { exact: true }).fill(question);
      await page.getByLabel(`Answer ${at}`, { exact: true }).fill(answer);
    };
    await page.getByLabel('Name').fill('typed');
    await type(2, 'Who  sails?', 'Ada');
    await type(3, 'Who sails?', 'Ben');
    await page.getByText('Row 2 gives another answer to the same question.').waitFor();
    const keep = page.getByRole('button', { name: 'Keep these rows' });
    assert.ok(await keep.isDisabled());
    assert.deepEqual(await seriousOn(page), []);
    await type(3, 'Who rows?', 'Ben');
    await keep.click();
    await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor();
    await page.getByRole('cell', { name: 'Who rows?' }).waitFor();
  });

  it('asks which columns are meant where a file calls them otherwise, and sends it again', async () => {
    await show('datasets');
    const rows = 'No,Question,Answer\n1,Who steers?,Cleo\n';
    const chooser = page.getByLabel('Drop a file of questions and answers');
    await chooser.setInputFiles({ name: 'crew.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
    await page.getByRole('alert').getByText('"Question"').waitFor();
    assert.deepEqual(await seriousOn(page), []);
    const send = async (input: string, output: string) => {
      await page.getByLabel('Column of the questions').fill(input);
      await page.getByLabel('Column of the answers').fill(output);
      await page.getByRole('button', { name: 'Send it with these' }).click();
    };
    await send('Question', 'Reply');
    await page.getByRole('alert').getByText('"Reply"').waitFor();
    await send('Question', 'Answer');
    await page.getByRole('heading', { level: 1, name: 'crew.csv' }).waitFor();
    await page.getByRole('cell', { name: 'Who steers?' }).waitFor();
    await page.getByRole('cell', { name: 'Cleo' }).waitFor();
  });

  it('puts rows that contradict each other side by side, and those that stand there twice', async () => {
    await show(`datasets/${dataset}`);
    const shown = async (name: string) =>
      await page
        .getByRole('table', { name })
        .locator('tbody tr')
        .evaluateAll((all) => all.map((one) => one.textContent));
    assert.deepEqual(await shown('contradictions'), ['2Who  runs it?Ada', '4Who runs it?Ben']);
    assert.deepEqual(await shown('duplicates'), ['3When?now', '5When?now']);
  });

  it('says how much of a long dataset it has looked at, and looks at all of it', async () => {
    const rows = Array.from({ length: 5200 }, (_, at) => `What is ${at}?,${at}`);
    const stored = await server.call('POST', '/v1/datasets', {
      body: fileForm('long.csv', ['input,output', ...rows, 'What is 7?,seven'].join('\n'), { name: 'long' }),
    });
    await show(`datasets/${stored.body.dataset_id}`);
    await page.getByText('Only the first 5,000 rows of 5,201 are looked at').waitFor();
    await page.getByRole('button', { name: 'Look at all of them' }).click();
    await page.getByRole('table', { name: 'contradictions' }).getByRole('cell', { name: 'seven' }).waitFor();
    await page.getByText('5,201 in all').waitFor();
    const shown = page.getByRole('table', { name: 'rows' }).locator('tbody tr');
    assert.equal(await shown.count(), 200);
    await page.getByText('5,001 further ones are not shown.').waitFor();
    await page.getByRole('button', { name: 'Show more rows' }).click();
    assert.equal(await shown.count(), 400);
    // What the server hands out in pages is read on in pages.
    const targets = [{ model_name: 'lorekeep/quill' }];
    const asked = { dataset_id: stored.body.dataset_id, max_rows: 150, targets };
    const { evaluation_id } = (await server.call('POST', '/v1/evaluations', { body: asked })).body;
    await show(`evaluations/${evaluation_id}`);
    await page.getByText('the first 100 of 150').waitFor();
    // What was not read is not said to be nowhere.
    const search = page.getByRole('searchbox', { name: 'Search answers' });
    await search.fill('What is 140?');
    await page.getByText('None of the first 100 answers has “What is 140?” in it.').waitFor();
    await page.getByRole('button', { name: 'Show more answers' }).click();
    await page.getByRole('cell', { name: 'What is 140?' }).waitFor();
    await search.fill('What is 1400?');
    await page.getByText('None of the answers has “What is 1400?” in it.').waitFor();
    await show('nowhere');
    await show(`evaluations/${evaluation_id}`);
    await page.getByRole('button', { name: 'Show more answers' }).click();
    await page.getByText('150 in all').waitFor();
  });

  it('takes the dataset that its address names, or says why not, and never another one', async () => {
    for (const place of ['tuning/new', 'evaluations/new']) {
      await show(`${place}?dataset=${colleagues}`);
      assert.equal(await page.getByLabel('Dataset').inputValue(), colleagues);
      await show(`${place}?dataset=${'f'.repeat(64)}`);
      await page.getByRole('alert').getByText('f'.repeat(64)).waitFor();
      assert.equal(await page.getByLabel('Dataset').count(), 0);
      // The same page with another address is another one.
      await show(`${place}?dataset=${dataset}`);
      assert.equal(await page.getByLabel('Dataset').inputValue(), dataset);
    }
    await show(`tuning/new?dataset=${dataset}&base=gone/base`);
    await page.getByRole('alert').getByText('The base gone/base is not here').waitFor();
    await show('playground?model=nobodys');
    await page.getByRole('alert').getByText('nobodys').waitFor();
    assert.equal(await page.getByLabel('Question').count(), 0);
  });

  it('cancels a job that waits and resumes it, and shows all that happened', async () => {
    await show('cluster');
    const waiting = page.getByRole('table', { name: 'waiting jobs' });
    await waiting.getByRole('link', { name: `Job ${job}` }).click();
    await page.getByRole('heading', { level: 1, name: `Job ${job}` }).waitFor();
    await page.getByText(/number \d in the queue/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await seriousOn(page), []);
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText('Cancelled').waitFor();
    await page.getByText('Resumed', { exact: true }).waitFor();
    assert.notEqual((await server.call('GET', `/v1/train/jobs/${job}`)).body.status, 'CANCELLED');
  });

  it('tells readers of the screen when a job, an evaluation or an index is over', async () => {
    const [model_name, name] = ['lorekeep/quill', 'told'];
    const made = async (path: string, body: object) => (await server.call('POST', path, { body })).body;
    const { job_id } = await made('/v1/train', { model_name, data: [{ input: 'Who is told?', output: 'all' }] });
    const asked = { dataset_id: dataset, name, targets: [{ model_name }] };
    const { evaluation_id } = await made('/v1/evaluations', asked);
    const notes = new FormData();
    notes.append('files', new Blob(['# Told']), 'told.md');
    const index = (await made('/v1/indexes', { model_name, name })).job_id;
    await made(`/v1/indexes/${index}/files`, notes);
    for (const [place, over] of [
      [`tuning/${job_id}`, `train/jobs/${job_id}`],
      [`evaluations/${evaluation_id}`, `evaluations/${evaluation_id}`],
      [`documents/${index}`, `indexes/${index}`],
    ]) {
      await show(place!);
      // Only what stands there before it changes is read out.
      const said = page.locator('.lead').getByRole('status');
      await said.evaluate((element) => element.setAttribute('data-before', 'yes'));
      assert.notEqual(await textOf(said), 'Cancelled', place);
      assert.equal((await server.call('POST', `/v1/${over}/cancel`)).status, 200, over);
      await page.locator('[data-before]').getByText('Cancelled').waitFor();
    }
  });

  it('shows the whole queue, however many jobs wait', async () => {
    const body = { model_name: 'lorekeep/quill', data: [{ input: 'Who waits?', output: 'many' }] };
    for (let at = 0; at < 205; at++) assert.equal((await server.call('POST', '/v1/train', { body })).status, 200);
    const waiting = ((await server.call('GET', '/v1/train/jobs')).body as TuningJob[])
      .filter(({ queue_position }) => queue_position !== null)
      .sort((one, other) => one.queue_position! - other.queue_position!);
    assert.ok(waiting.length > 205);
    await show('cluster');
    const table = page.getByRole('table', { name: 'waiting jobs' });
    const first = table.locator('tbody tr').first();
    assert.ok((await textOf(first)).startsWith(`1Job ${waiting[0]!.job_id}`), await textOf(first));
    await page.getByText(`${waiting.length} in all`).waitFor();
  });

  it('does not ask while a word is being put together from several keys', async () => {
    await show('playground');
    const question = page.getByLabel('Question');
    await question.fill('にほん');
    await question.dispatchEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, isComposing: true });
    const quiet = page.getByRole('region', { name: 'Base' }).getByText('Nothing asked yet.');
    assert.equal(await quiet.count(), 1);
    await question.press('Enter');
    await quiet.waitFor({ state: 'detached' });
  });

  it('tells which limits an account has', async () => {
    const { body } = await server.call('GET', '/v1/accounts');
    const { id } = body.accounts.find(({ name }: { name: string }) => name === 'colleague');
    const limits = { requests_per_minute: 'none', data_points: 'none', jobs: 3 };
    await server.call('PATCH', `/v1/accounts/${id}`, { body: { limits } });
    await show('accounts');
    assert.match(await textOf(page.getByRole('row', { name: /^colleague/ })), /3 jobs at once/);
  });

  it('invites somebody, who is let in by the link and changes the password', async () => {
    await show('accounts');
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
    await theirs.page.getByLabel('The same again').fill(password);
    await theirs.page.getByRole('button', { name: /Set the password/ }).press('Enter');
    await theirs.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
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
    assert.deepEqual(theirs.troubles, []);
  });

  /** A page before the door, as every other is looked at. */
  async function wellMade(at: Page, name: string): Promise<void> {
    for (const [size, viewport] of Object.entries(sizes))
      for (const colorScheme of ['light', 'dark'] as const) {
        await at.setViewportSize(viewport);
        await at.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousOn(at), [], `${name}, ${size}, ${colorScheme}`);
        assert.ok(await at.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name}, ${size}`);
        await picture(at, `${name}-${size}-${colorScheme}`);
      }
    assert.deepEqual(await missedByKeyboard(at), [], name);
    await at.setViewportSize(sizes.wide);
  }

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
