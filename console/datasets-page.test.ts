// Common tasks on the pages of datasets, in a real browser: type, upload, paste, edit, check and select rows.
/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { fileForm, type TestServer } from '../server/src/testing/server.ts';
import { seriousOn } from './testing/axe.ts';
import { arrive, noBrowser, picture, sizes, textOf } from './testing/browser.ts';
import { type Furnished, type Furnishing, furnished } from './testing/furnished.ts';
import { notBuilt } from './testing/server.ts';

describe('the pages of datasets', { skip: noBrowser || notBuilt, timeout: 20 * 60_000 }, () => {
  let here: Furnished;
  let server: TestServer;
  let page: Page;
  let furnishing: Furnishing;
  before(async () => {
    here = await furnished();
    ({ server, page, furnishing } = here);
  });
  after(async () => await here?.end());

  beforeEach(async () => await page.setViewportSize(sizes.wide));

  it('accepts typed rows, and shows problems at the row', async () => {
    await arrive(page, 'datasets');
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

  it('asks for the columns of a file with other headers, and uploads it again', async () => {
    await arrive(page, 'datasets');
    const rows = 'No,Question,Answer\n1,Who steers?,Cleo\n';
    const chooser = page.getByLabel('Drop a file of questions and answers');
    await chooser.setInputFiles({ name: 'crew.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
    const questions = page.getByLabel('Column of the questions');
    const answers = page.getByLabel('Column of the answers');
    assert.deepEqual([await questions.inputValue(), await answers.inputValue()], ['Question', 'Answer']);
    assert.deepEqual(await seriousOn(page), []);
    const send = page.getByRole('button', { name: 'Send it with these' });
    await questions.selectOption('Answer');
    assert.ok(await send.isDisabled());
    await questions.selectOption('Question');
    await send.click();
    await page.getByRole('heading', { level: 1, name: 'crew.csv' }).waitFor();
    await page.getByRole('cell', { name: 'Who steers?' }).waitFor();
    await page.getByRole('cell', { name: 'Cleo' }).waitFor();
  });

  it('splits rows pasted from a spreadsheet, and keeps pasted code in one field', async () => {
    await arrive(page, 'nowhere');
    await arrive(page, 'datasets');
    await page.getByRole('button', { name: 'Type rows' }).click();
    const paste = async (label: string, text: string, html = '') =>
      await page.getByLabel(label, { exact: true }).evaluate(
        (element, [plain, table]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', plain!);
          clipboardData.setData('text/html', table!);
          element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        },
        [text, html],
      );
    const rows = Array.from({ length: 30 }, (_, at) => `Who keeps gate ${at}?\tKeeper ${at}\tnot this`);
    await paste('Question 2', ['Question\tAnswer\tRemark', ...rows].join('\r\n'), '<table></table>');
    await page.getByText('30 rows pasted. Only the first two columns of it were taken.').waitFor();
    assert.equal(await page.getByLabel('Question 31', { exact: true }).inputValue(), 'Who keeps gate 29?');
    assert.equal(await page.getByLabel('Answer 31', { exact: true }).inputValue(), 'Keeper 29');
    const code = 'def open(gate):\n\treturn gate\n';
    await paste('Answer 1', code);
    assert.equal(await page.getByLabel('Answer 1', { exact: true }).inputValue(), '');
    await page.getByLabel('Question 1', { exact: true }).fill('How is a gate opened?');
    await page.getByLabel('Answer 1', { exact: true }).fill(code);
    const widths = await page
      .locator('table.rows tbody tr')
      .first()
      .locator('textarea')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().width)));
    assert.ok(Math.abs(widths[0]! - widths[1]!) <= 1, widths.join(' '));
    await picture(page, 'type-rows');
    await page.getByRole('button', { name: 'Delete row 3', exact: true }).click();
    await page.setViewportSize({ width: 360, height: 800 });
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    assert.deepEqual(await seriousOn(page), []);
    await page.setViewportSize(sizes.wide);
    await page.getByLabel('Name').fill('gates');
    await page.getByRole('button', { name: 'Keep these rows' }).click();
    await page.getByRole('heading', { level: 1, name: 'gates' }).waitFor();
    await page.getByText('30 in all').waitFor();
    assert.equal(await textOf(page.locator('td code.code')), code);
    await picture(page, 'dataset-code');
  });

  it('edits, adds and deletes rows, and saves them as a new dataset', async () => {
    const extra =
      '{"input": "Who sows?", "output": "Ada", "source": "page 3"}\n{"input": "Who reaps?", "output": "Ben"}\n{"input": "Who grinds?", "output": "Cleo"}\n';
    const stored = await server.call('POST', '/v1/datasets', { body: fileForm('mill.jsonl', extra, { name: 'mill' }) });
    const before: string = stored.body.dataset_id;
    await arrive(page, `datasets/${before}`);
    await page.getByRole('button', { name: 'Edit rows' }).click();
    const keep = page.getByRole('button', { name: 'Keep as a new dataset' });
    assert.ok(await keep.isDisabled());
    await page.getByRole('button', { name: 'Edit row 1' }).click();
    await page.getByRole('dialog').getByLabel('Exact answer').fill('Adam');
    assert.deepEqual(await seriousOn(page), []);
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByRole('button', { name: 'Delete row 2' }).click();
    await page.getByRole('button', { name: 'Add a row' }).click();
    await page.getByRole('dialog').getByLabel('Question').fill('Who bakes?');
    await page.getByRole('dialog').getByLabel('Exact answer').fill('Dora');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByText('1 changed, 1 added, 1 deleted.').waitFor();
    assert.deepEqual(await seriousOn(page), []);
    await picture(page, 'dataset-editing');
    await keep.click();
    await page
      .getByText('Made from an earlier dataset')
      .or(page.getByRole('link', { name: 'an earlier dataset' }))
      .first()
      .waitFor();
    const after = /datasets\/([0-9a-f]{64})/.exec(page.url())![1]!;
    const exported = (await server.call('GET', '/v1/audit?action=dataset.exported')).body.rows;
    assert.deepEqual(exported, [], 'to show and edit rows is no export');
    assert.notEqual(after, before);
    const rowsOf = async (id: string) => String((await server.call('GET', `/v1/datasets/${id}/download`)).body);
    const storedRows = (await rowsOf(after))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(storedRows, [
      { input: 'Who sows?', output: 'Adam', source: 'page 3' },
      { input: 'Who grinds?', output: 'Cleo' },
      { input: 'Who bakes?', output: 'Dora' },
    ]);
    assert.equal((await server.call('GET', `/v1/datasets/${before}`)).body.rows, 3);
  });

  it('shows contradictory and duplicate rows side by side', async () => {
    await arrive(page, `datasets/${furnishing.dataset}`);
    const shown = async (name: string) =>
      await page
        .getByRole('table', { name })
        .locator('tbody tr')
        .evaluateAll((all) => all.map((one) => one.textContent));
    assert.deepEqual(await shown('contradictions'), ['2Who  runs it?Ada', '4Who runs it?Ben']);
    assert.deepEqual(await shown('duplicates'), ['3When?now', '5When?now']);
  });

  it('shows how much of a long dataset was checked, and checks all of it on request', async () => {
    const rows = Array.from({ length: 5200 }, (_, at) => `What is ${at}?,${at}`);
    const stored = await server.call('POST', '/v1/datasets', {
      body: fileForm('long.csv', ['input,output', ...rows, 'What is 7?,seven'].join('\n'), { name: 'long' }),
    });
    await arrive(page, `datasets/${stored.body.dataset_id}`);
    await page.getByText('Only the first 5,000 rows of 5,201 are looked at').waitFor();
    await page.getByRole('table', { name: 'contradictions' }).getByRole('cell', { name: 'seven' }).waitFor();
    await page.getByRole('button', { name: 'Show all of them' }).click();
    await page.getByText('5,201 in all').waitFor();
    const shown = page.getByRole('table', { name: 'rows' }).locator('tbody tr');
    assert.equal(await shown.count(), 200);
    await page.getByText('5,001 further ones are not shown.').waitFor();
    await page.getByRole('button', { name: 'Show more rows' }).click();
    assert.equal(await shown.count(), 400);
    // Reads paged answers to the end.
    const targets = [{ model_name: 'lorekeep/quill' }];
    const asked = { dataset_id: stored.body.dataset_id, max_rows: 150, targets };
    const { evaluation_id } = (await server.call('POST', '/v1/evaluations', { body: asked })).body;
    await arrive(page, `evaluations/${evaluation_id}`);
    await page.getByText('the first 100 of 150').waitFor();
    // Answers that are not loaded yet are not reported as missing.
    const search = page.getByRole('searchbox', { name: 'Search answers' });
    await search.fill('What is 140?');
    await page.getByText('None of the first 100 answers has “What is 140?” in it.').waitFor();
    await page.getByRole('button', { name: 'Show more answers' }).click();
    await page.getByRole('cell', { name: 'What is 140?' }).waitFor();
    await search.fill('What is 1400?');
    await page.getByText('None of the answers has “What is 1400?” in it.').waitFor();
    await arrive(page, 'nowhere');
    await arrive(page, `evaluations/${evaluation_id}`);
    await page.getByRole('button', { name: 'Show more answers' }).click();
    await page.getByText('150 in all').waitFor();
  });

  it('selects the dataset in its address or explains why it cannot, and never selects another', async () => {
    for (const place of ['tuning/new', 'evaluations/new']) {
      await arrive(page, `${place}?dataset=${furnishing.colleagues}`);
      assert.equal(await page.getByRole('combobox', { name: 'Dataset' }).inputValue(), furnishing.colleagues);
      await arrive(page, `${place}?dataset=${'f'.repeat(64)}`);
      await page.getByRole('alert').getByText('f'.repeat(64)).waitFor();
      assert.equal(await page.getByRole('combobox', { name: 'Dataset' }).count(), 0);
      // A changed address reloads the same page.
      await arrive(page, `${place}?dataset=${furnishing.dataset}`);
      assert.equal(await page.getByRole('combobox', { name: 'Dataset' }).inputValue(), furnishing.dataset);
    }
    await arrive(page, `tuning/new?dataset=${furnishing.dataset}&base=gone/base`);
    await page.getByRole('alert').getByText('The base gone/base is not here').waitFor();
    await arrive(page, 'playground?model=nobodys');
    await page.getByRole('alert').getByText('nobodys').waitFor();
    assert.equal(await page.getByLabel('Question').count(), 0);
  });

  it('causes no CSP violation, error or external request', () => {
    assert.deepEqual(here.watched.problems, []);
  });
});
