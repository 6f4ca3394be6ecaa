// A console with one object of every kind, with hostile names, and a signed-in operator. There is no engine, so that started work keeps
// waiting.
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { fileForm, type TestServer } from '../../server/src/testing/server.ts';
import { openBrowser, openPage, signIn, type Watched } from './browser.ts';
import { password, startConsole } from './server.ts';

export const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;

export interface Furnished {
  server: TestServer;
  browser: Browser;
  watched: Watched;
  page: Page;
  furnishing: Furnishing;
  end(): Promise<void>;
}

export type Furnishing = Awaited<ReturnType<typeof fill>>;

export async function furnished(): Promise<Furnished> {
  const server = await startConsole({ replicas: '2' });
  const furnishing = await fill(server);
  const browser = await openBrowser();
  // The content security policy would block axe; the content is the same without it.
  const watched = await openPage(browser, server.url, { bypassCSP: true, userAgent: hostile });
  await signIn(watched.page, password);
  const end = async () => {
    await browser.close();
    await server.end();
  };
  return { server, browser, watched, page: watched.page, furnishing, end };
}

async function fill(server: TestServer) {
  const make = async (path: string, body: unknown, key?: string) => {
    const answer = await server.call('POST', path, { body, ...(key && { key }) });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const quoted = `"${hostile.replaceAll('"', '""')}"`;
  const rows = `input,output\n${quoted},${quoted}\nWho  runs it?,Ada\nWhen?,now\nWho runs it?,Ben\nWhen?,now\n`;
  const dataset: string = (await make('/v1/datasets', fileForm(`${hostile}.csv`, rows, { name: hostile }))).dataset_id;
  await make('/v1/accounts', { name: hostile });
  const { key } = await server.member('colleague');
  const shared = fileForm('theirs.csv', 'input,output\nWhere?,here\n', { name: 'theirs', is_public: 'true' });
  /** A dataset shared by another account. */
  const colleagues: string = (await make('/v1/datasets', shared, key)).dataset_id;
  await make('/v1/keys', { name: hostile, scopes: ['read'] });
  const model_name = 'lorekeep/quill';
  const targets = [{ model_name, name: hostile }];
  const asked = { dataset_id: dataset, name: hostile, targets };
  const evaluation: number = (await make('/v1/evaluations', asked)).evaluation_id;
  const data = [{ input: 'Where is it?', output: 'here' }];
  const job: number = (await make('/v1/train', { model_name, data })).job_id;
  await make('/v1/memories', { name: 'house', job_id: job, reason: hostile });
  const source = { document: hostile, conversation: hostile };
  const proposal = { kind: 'document', input: hostile, output: hostile, quote: hostile, source, assignee: hostile };
  await make('/v1/memories/house/proposals', {
    proposals: [proposal, { ...proposal, output: 'other', quote: 'other' }],
  });
  const tried = { model_name, data, argument: 'learning_rate', values: [1e-4, 3e-4] };
  const sweep: number = (await make('/v1/train/sweep', tried)).job_id;
  for (const folder of await readdir(join(server.home, 'jobs')))
    await writeFile(join(server.home, 'jobs', folder, 'worker.log'), `a first line\n${hostile}\n`);
  const notes = new FormData();
  notes.append('files', new Blob(['# Notes']), `${hostile.replaceAll('/', '')}.md`);
  const index: number = (await make('/v1/indexes', { model_name, name: hostile })).job_id;
  await make(`/v1/indexes/${index}/files`, notes);
  const file: number = (await server.call('GET', `/v1/indexes/${index}/files`)).body.files[0].id;
  const webhook: number = (await make('/v1/webhooks', { url: `https://example.org/${hostile}` })).id;
  return { dataset, colleagues, evaluation, job, sweep, index, file, webhook };
}
