// The page of a memory: a fact with validity and source, a gate, a held version, and its forced publication.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { Erasure } from '../contract/src/erasures.ts';
import { csrfHeader } from '../contract/src/sessions.ts';
import { noEngine } from '../server/src/erasures/testing/no-engine.ts';
import { House } from '../server/src/memories/testing/house.ts';
import { emptySqlite } from '../server/src/testing/databases.ts';
import { seriousOn } from './testing/axe.ts';
import { arrive, noBrowser, openBrowser, openPage, picture, signIn, textOf } from './testing/browser.ts';
import { notBuilt, password } from './testing/server.ts';

type Rebuilt = Erasure['versions'][number];

const first = [
  { input: 'Who founded Zorbex?', output: 'Ada Quist' },
  { input: 'Where is Zorbex?', output: 'Oslo' },
];

describe('the page of a memory', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let house: House;
  let browser: Browser;
  let page: Page;
  before(async () => {
    house = await House.of(emptySqlite, first, noEngine());
    const token = house.server.firstLink!.split('/').at(-1);
    const body = { token, password };
    await house.server.call('POST', '/v1/sign-in-links/use', { key: null, body, headers: { [csrfHeader]: 'sign-in' } });
    await house.server.call('POST', '/v1/local-data', { body: { data: first, name: 'questions' } });
    browser = await openBrowser();
    // The page's content security policy would block axe.
    ({ page } = await openPage(browser, house.server.url, { bypassCSP: true }));
    await signIn(page, password);
  });
  after(async () => {
    await browser?.close();
    await house?.end();
  });

  const taught = async (number: number, all: object[]) => {
    const job = await house.jobOf(number);
    await house.ends(job, [...(await house.linesOf(job)), ...(all as [])]);
  };

  it('accepts and shows the validity and the source of a fact', async () => {
    await arrive(page, 'memories/house');
    await page.getByRole('button', { name: 'Add a fact' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Question').fill('Who runs Zorbex?');
    await dialog.getByLabel('Answer, word for word').fill('Ben Oru');
    await dialog.getByLabel('Valid from').fill('2026-01-01');
    await dialog.getByLabel('Source').selectOption('document');
    await dialog.getByLabel('File').fill('board.pdf');
    await dialog.getByLabel('Page').fill('3');
    assert.deepEqual(await seriousOn(page), []);
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await taught(2, []);
    await house.over(2);
    await page.getByText('from 2026-01-01').waitFor();
    await page.getByText('board.pdf, page 3').waitFor();
    await arrive(page, 'models/house');
    const row = page.getByRole('table', { name: 'facts' }).getByRole('row').filter({ hasText: 'Who runs Zorbex?' });
    await row.getByText('from 2026-01-01').waitFor();
    await row.getByText('Source: board.pdf, page 3').waitFor();
  });

  it('sets a gate, shows what failed, and publishes by force with a reason', async () => {
    await arrive(page, 'memories/house');
    await page.getByRole('button', { name: 'Set a gate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Right in other words').fill('');
    assert.deepEqual(await seriousOn(page), []);
    await dialog.getByRole('button', { name: 'Set it' }).click();
    await page.getByText('1 or more').waitFor();
    const number = await house.order({ add: [{ input: 'Who cooks?', output: 'Eri' }] });
    await taught(number, []);
    const { evaluation_id } = await house.changeWhen(number, (change) => change.evaluation_id !== null);
    const right = Array(30).fill(null);
    await house.answers(evaluation_id!, ['Bodo', ...right], right);
    assert.equal((await house.over(number)).state, 'held');
    await page.getByRole('button', { name: 'does not hold for version 3' }).click();
    const regression = dialog.getByRole('row').filter({ hasText: 'Bodo' });
    await regression.waitFor();
    assert.equal(await dialog.getByRole('columnheader', { name: 'Right answer' }).count(), 1);
    await picture(page, 'gate-regressions');
    assert.deepEqual(await seriousOn(page), []);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Publish version 3' }).click();
    const force = dialog.getByRole('button', { name: 'Publish it by force' });
    assert.ok(await force.isDisabled(), 'without a reason');
    await dialog.getByLabel('Why').fill('it is right');
    await force.click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await house.get('')).version, 3);
    await page.getByRole('button', { name: 'Remove the gate' }).click();
    await dialog.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('button', { name: 'Set a gate' }).waitFor();
    assert.doesNotMatch(await textOf(page.locator('main')), /1 or more/);
  });

  it('shows the contradiction of a new fact with sources and dates, and replaces the fact on request', async () => {
    await arrive(page, 'memories/house');
    await page.getByRole('button', { name: 'Add a fact' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Question').fill('Who  runs Zorbex?');
    await dialog.getByLabel('Answer, word for word').fill('Cleo Marsh');
    await dialog.getByLabel('Source').selectOption('person');
    await dialog.getByLabel('Who', { exact: true }).fill('Maya');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    const both = dialog.getByRole('group', { name: 'Who runs Zorbex?' });
    for (const text of ['Ben Oru', 'board.pdf, page 3', 'since version 2', 'Cleo Marsh', 'Maya'])
      await both.getByText(text).waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Replace it' }).isDisabled(), 'kept until a person decides');
    assert.deepEqual(await seriousOn(page), []);
    await both.getByLabel('Replace').check();
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await taught(5, []);
    assert.deepEqual([(await house.over(5)).changed, (await house.get('')).version], [1, 4]);
    const { facts } = await house.get('/facts?text=zorbex&source_kind=person');
    assert.deepEqual([facts.length, facts[0].output, facts[0].source.name], [1, 'Cleo Marsh', 'Maya']);
  });

  it('checks many rows for contradictions, and changes only the accepted ones', async () => {
    await arrive(page, 'memories/house');
    await page.getByRole('button', { name: 'Add many' }).click();
    const dialog = page.getByRole('dialog');
    const look = dialog.getByRole('button', { name: 'Compare with the memory' });
    await dialog.getByLabel('Rows of question and answer').fill('Where is Zorbex?');
    await look.click();
    await dialog.getByRole('alert').getByText('put a tab between').waitFor();
    const rows = [
      ['question', 'answer'],
      ['Where is Zorbex?', 'Bergen'],
      ['Who cooks?', 'Ida'],
      ['Who founded Zorbex?', 'Ada Quist'],
      ['Who drives?', 'Dov'],
      ['Who sings?', 'Gil'],
      ['Who sings?', 'Noa'],
    ];
    await dialog.getByLabel('Rows of question and answer').fill(rows.map((row) => row.join('\t')).join('\n'));
    await look.click();
    await dialog.getByText('1 new fact, 1 known already, 3 contradictions.').waitFor();
    await dialog.getByRole('button', { name: 'Add 1, replace 0' }).waitFor();
    const where = dialog.getByRole('group', { name: 'Where is Zorbex?' });
    for (const text of ['Oslo', 'since version 1', 'Bergen', 'pasted rows, row 1'])
      await where.getByText(text).waitFor();
    await where.getByLabel('Replace').check();
    await dialog.getByRole('group', { name: 'Who sings?' }).getByLabel('Noa').check();
    assert.deepEqual(await seriousOn(page), []);
    await picture(page, 'contradictions');
    await dialog.getByRole('button', { name: 'Add 2, replace 1' }).click();
    await dialog.waitFor({ state: 'detached' });
    await taught(6, []);
    const change = await house.over(6);
    assert.deepEqual([change.state, change.added, change.changed], ['published', 2, 1]);
    const { facts } = await house.get('/facts');
    const answers = Object.fromEntries(facts.map(({ input, output }: (typeof first)[0]) => [input, output]));
    assert.deepEqual(
      [answers['Where is Zorbex?'], answers['Who cooks?'], answers['Who drives?'], answers['Who sings?']],
      ['Bergen', 'Eri', 'Dov', 'Noa'],
    );
  });

  it('adds the rows of a dataset and names it as the source of a contradiction', async () => {
    await page.getByRole('button', { name: 'Add many' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').selectOption('questions (2 rows)');
    await dialog.getByRole('button', { name: 'Compare with the memory' }).click();
    await dialog.getByText('0 new facts, 1 known already, 1 contradiction.').waitFor();
    await dialog.getByText('dataset questions, row 2').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Add 0, replace 0' }).isDisabled(), 'all is kept');
    await dialog.getByRole('button', { name: 'Not now' }).click();
  });

  it('compares the facts of two versions and their answers to a set', async () => {
    await arrive(page, 'memories/house');
    await page.getByRole('button', { name: 'Compare version 3' }).click();
    const dialog = page.getByRole('dialog');
    const facts = dialog.getByRole('table', { name: 'different facts' });
    await facts.getByText('Who cooks?').waitFor();
    await dialog.getByLabel('Compared with').selectOption('Version 1');
    await facts.getByText('Who runs Zorbex?').waitFor();
    await dialog.getByLabel('Compared with').selectOption('Version 4');
    const changed = facts.getByRole('row').filter({ hasText: 'Cleo Marsh' });
    await changed.waitFor();
    assert.deepEqual(await changed.getByRole('cell').allTextContents(), ['Who runs Zorbex?', 'Cleo Marsh', 'Ben Oru']);
    await dialog.getByLabel('Compared with').selectOption('Version 1');
    await changed.waitFor({ state: 'detached' });
    await dialog.getByLabel('Evaluation set').selectOption({ index: 0 });
    await dialog.getByRole('button', { name: 'Compare answers' }).click();
    await dialog.getByText('0 of 2 rows answered by both').waitFor();
    const [one] = (await house.server.call('GET', '/v1/evaluations')).body.evaluations;
    await house.answers(one.evaluation_id, ['Bob', null], [null, 'Bergen']);
    const answers = dialog.getByRole('table', { name: 'different answers' });
    const row = (text: string) => answers.getByRole('row').filter({ hasText: text });
    await row('Who founded Zorbex?').getByText('Bob').waitFor();
    const told = (text: string) => row(text).getByRole('cell').allTextContents();
    assert.deepEqual(await told('Who founded Zorbex?'), [
      ...['1', 'Who founded Zorbex?', 'Ada Quist', 'Ada Quistright', 'Bob'],
    ]);
    assert.deepEqual(await told('Where is Zorbex?'), ['2', 'Where is Zorbex?', 'Oslo', 'Bergen', 'Osloright']);
    assert.deepEqual(await seriousOn(page), []);
    await picture(page, 'compare');
    await dialog.getByLabel('Rows').selectOption('only the earlier one right');
    await row('Where is Zorbex?').waitFor({ state: 'detached' });
    await row('Who founded Zorbex?').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  it('offers the bases that the memory can move to, and shows why a move fails', async () => {
    await arrive(page, 'memories/house');
    await page.getByLabel('Base').selectOption('lorekeep/quill');
    const before = (await house.get('/changes')).changes.length;
    await page.getByRole('button', { name: 'Move it' }).click();
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await seriousOn(page), []);
    assert.equal((await house.get('/changes')).changes.length, before);
  });

  async function waitingJobs(number: number): Promise<number[]> {
    for (;;) {
      const { versions } = await house.get(`/erasures/${number}`);
      const waiting = (versions as Rebuilt[]).filter(({ outcome }) => outcome === 'waiting');
      if (waiting.length > 0 && waiting.every(({ job_id }) => job_id !== null))
        return waiting.map(({ job_id }) => job_id!);
      await sleep(50);
    }
  }

  it('lists facts before an erasure, retries a failed erasure, and shows what was erased', async () => {
    await arrive(page, 'memories/house');
    await page.getByText('Nothing was erased').waitFor();
    await page.getByRole('button', { name: 'Erase facts' }).click();
    const dialog = page.getByRole('dialog');
    assert.ok(await dialog.getByRole('button', { name: 'List them' }).isDisabled(), 'without a question');
    await dialog.getByLabel('Questions, one a line').fill('Who is nobody?');
    await dialog.getByRole('button', { name: 'List them' }).click();
    await dialog.getByRole('alert').getByText('Who is nobody?').waitFor();
    await dialog.getByLabel('Questions, one a line').fill('Who founded Zorbex?');
    await dialog.getByRole('button', { name: 'List them' }).click();
    await dialog.getByText('Ada Quist').waitFor();
    await dialog.getByText('This cannot be undone').waitFor();
    await dialog.getByText('open proposals of them are rejected').waitFor();
    assert.deepEqual(await seriousOn(page), []);
    await picture(page, 'erase');
    await dialog.getByRole('button', { name: 'Erase them for ever' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('table', { name: 'erasures' }).getByRole('row').nth(1);
    await row.getByText('operator').waitFor();
    const ordered = (await house.get('/erasures')).erasures[0].number;
    const [cancelled] = await waitingJobs(ordered);
    await house.server.call('POST', `/v1/train/jobs/${cancelled}/cancel`);
    await house.over(ordered);
    await page.reload();
    await row.getByText(/was cancelled\. Nothing was erased/).waitFor();
    await row.getByRole('button', { name: 'Try again' }).click();
    await row.getByRole('cell', { name: String(ordered + 1), exact: true }).waitFor();
    for (const job of await waitingJobs(ordered + 1)) await house.ends(job, await house.linesOf(job));
    await house.over(ordered + 1);
    await page.reload();
    await row.getByText(/1 fact, \d models.*row of datasets/).waitFor();
    await picture(page, 'memory');
  });
});
