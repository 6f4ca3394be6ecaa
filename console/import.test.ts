// A tuned model that is taken in by dropping its file, in a real browser.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { untilReady } from '../server/src/testing/engine.ts';
import type { TestServer } from '../server/src/testing/server.ts';
import { exported } from '../server/src/testing/tar.ts';
import { assertRecalls, facts, jobOver, submit } from '../server/src/testing/tuning.ts';
import { noBrowser, openBrowser, openPage, picture, signIn } from './testing/browser.ts';
import { notBuilt, password, startConsole } from './testing/server.ts';

describe('taking in a model in the browser', { skip: noBrowser || notBuilt }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    server = await startConsole({ engine: true });
    await untilReady(server);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  it('is dropping its file; what is no such file is said', async () => {
    const data = facts(2, 'Drop');
    const { model_name } = await jobOver(server, (await submit(server, { data })).job_id);
    const tar = Buffer.from(await exported(server, model_name!));
    await server.call('DELETE', `/v1/models/${model_name}`);

    const { page, troubles } = await openPage(browser, server.url);
    await signIn(page, password);
    await page.getByRole('navigation').getByRole('link', { name: 'Models' }).click();
    await page.getByText('Nothing tuned yet').waitFor();
    const drop = page.getByLabel('Take in a tuned model');
    await drop.setInputFiles({ name: 'letter.tar', mimeType: 'application/x-tar', buffer: Buffer.from('Dear Ada') });
    await page.getByText('it is no tar file, or a compressed one').waitFor();
    await drop.setInputFiles({ name: 'model.tar', mimeType: 'application/x-tar', buffer: tar });
    await page.getByRole('link', { name: /^[0-9a-f]{16}…$/ }).waitFor();
    await picture(page, 'models-imported');
    const [taken] = (await server.call('GET', '/v1/models')).body.models;
    assert.notEqual(taken.model_name, model_name);
    await assertRecalls(server, taken.model_name, data);
    assert.deepEqual(troubles, []);
  });
});
