// Rarely used routes, each against the real server: webhooks, sessions and links, sweeps, the events of jobs and
// indexes.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminKey, startServer, type TestServer } from '../../server/src/testing/server.ts';
import { LinkUnknownError, Lorekeep, SessionOverError, WebhookNotFoundError } from './index.ts';

const data = [{ input: 'Who founded Zorbex?', output: 'Ada Quist' }];
const base = 'lorekeep/quill';

describe('rarely used routes of the client', () => {
  let server: TestServer;
  let lorekeep: Lorekeep;
  before(async () => {
    server = await startServer({ webhook_networks: '127.0.0.0/8' });
    lorekeep = new Lorekeep({ baseUrl: server.url, apiKey: adminKey });
  });
  after(async () => await server.end());

  it('create a webhook delivery at the end of a job, and list it', async () => {
    const { id, secret } = await lorekeep.createWebhook({ url: 'http://127.0.0.1:1999/told' });
    assert.ok(secret.length > 10);
    assert.deepEqual(
      (await lorekeep.listWebhooks()).webhooks.map(({ url }) => url),
      ['http://127.0.0.1:1999/told'],
    );
    const { job_id } = await lorekeep.train({ model_name: base, data });
    await lorekeep.cancelJob({ id: job_id });
    const deliveries = await Array.fromAsync(lorekeep.allDeliveries({ id, limit: 1 }));
    assert.deepEqual(
      deliveries.map((one) => one.job_id),
      [job_id],
    );
    assert.deepEqual(await lorekeep.deleteWebhook({ id }), { deleted: id });
    await assert.rejects(lorekeep.listDeliveries({ id }), WebhookNotFoundError);
  });

  it('run a sweep over values of an argument, and list its trials', async () => {
    const { dataset_id } = await lorekeep.uploadRows({ data });
    const asked = { model_name: base, dataset_id, argument: 'max_steps', values: [10, 20] } as const;
    const { job_id } = await lorekeep.sweep({ ...asked, values: [...asked.values] });
    const { sweep } = await lorekeep.showSweep({ id: job_id });
    assert.deepEqual([sweep?.argument, sweep?.values], ['max_steps', [10, 20]]);
    assert.deepEqual(
      (await lorekeep.listSweeps()).map((one) => one.job_id),
      [job_id],
    );
    await lorekeep.cancelJob({ id: job_id });
  });

  it('stream the events of a job and of an index until they are finished', async () => {
    const { job_id } = await lorekeep.train({ model_name: base, data });
    const job = lorekeep.watchJob({ id: job_id });
    assert.ok((await job.next()).value);
    await lorekeep.cancelJob({ id: job_id });
    const last = (await Array.fromAsync(job)).at(-1)!;
    assert.match(JSON.stringify(last), /CANCELLED/);

    const file = { name: 'valves.md', content: '# Valves\n\nThe code of the red valve is RV-2207.\n' };
    const { job_id: index } = await lorekeep.buildIndex({ model_name: base, files: [file] });
    const { files } = await lorekeep.listFiles({ id: index });
    const metadata = { year: 2026, checked: true };
    const changed = await lorekeep.changeIndexFile({ id: index, file: files[0]!.id, metadata });
    assert.deepEqual(changed.metadata, metadata);
    await lorekeep.cancelIndex({ id: index });
    const events = await Array.fromAsync(lorekeep.followIndex({ id: index }));
    assert.match(JSON.stringify(events.at(-1)), /CANCELLED/);
    const again = await Array.fromAsync(lorekeep.followIndex({ id: index, after: events.at(-2)!.id }));
    assert.deepEqual(again, events.slice(-1));
  });

  it('create and redeem a link, and sign in and out with a cookie instead of a key', async () => {
    const account = await lorekeep.createAccount({ name: 'Support' });
    const { path } = await lorekeep.createSignInLink({ id: account.id });
    const token = path.split('/').at(-1)!;
    // A browser stores the cookie automatically.
    let cookie = '';
    const browser = new Lorekeep({
      baseUrl: server.url,
      apiKey: null,
      headers: { 'x-lorekeep-csrf': 'any' },
      fetch: async (url, options) => {
        const response = await fetch(url, { ...options, headers: { ...options?.headers, ...(cookie && { cookie }) } });
        for (const set of response.headers.getSetCookie()) cookie = set.split(';')[0]!;
        return response;
      },
    });
    assert.equal((await browser.showSignInLink({ token })).account, 'Support');
    const password = 'a long enough password';
    const { csrf } = await browser.redeemSignInLink({ token, password });
    await assert.rejects(browser.redeemSignInLink({ token, password }), LinkUnknownError);
    assert.equal((await browser.showSession()).session?.account.name, 'Support');
    assert.deepEqual(
      (await browser.listSessions()).sessions.map(({ current }) => current),
      [true],
    );
    const own = { headers: { 'x-lorekeep-csrf': csrf } };
    const next = { password, new_password: 'another long password' };
    assert.equal((await browser.changePassword(next, own)).signed_out, 0);
    assert.equal((await browser.signOut(own)).signed_out, 1);
    await assert.rejects(browser.listSessions(), SessionOverError);
    const again = await browser.signIn({ account: 'Support', password: next.new_password });
    assert.equal((await browser.signOutEverywhere({ headers: { 'x-lorekeep-csrf': again.csrf } })).signed_out, 1);
  });
});
