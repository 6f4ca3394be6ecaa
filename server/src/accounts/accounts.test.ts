// Accounts and their limits, over HTTP on each kind of database.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { documentForm } from '../documents/testing/indexes.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { fileForm, startServer, type TestServer } from '../testing/server.ts';

onEveryDatabase('accounts', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeEach(async () => {
    database = await make();
    server = await startServer({
      database_url: database.url,
      contact: 'ops@example.org',
      limit_requests_per_minute: '600',
    });
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
  });

  it('has one operator without limits from the first start', async () => {
    const { body } = await server.call('GET', '/v1/accounts');
    assert.deepEqual(
      body.accounts.map((account: { role: string }) => account.role),
      ['operator'],
    );
    assert.deepEqual(body.accounts[0].limits, {
      requests_per_minute: null,
      data_points: null,
      storage_bytes: null,
      keys: null,
      jobs: null,
    });
  });

  it('makes a key on the very first start only', async () => {
    const home = server.home;
    await server.stop();
    const fresh = await startServer({ admin_key: '' });
    const key = (await fresh.makeFirstKey()) ?? '';
    assert.match(key, /^lk_/);
    assert.equal((await fresh.call('GET', '/v1/account', { key })).body.key.scopes[0], 'admin');
    const again = await fresh.restart();
    assert.equal(await again.makeFirstKey(), undefined);
    await again.end();
    server = await startServer({ home, database_url: database.url });
  });

  it('gives a member its own limits, or else those of the installation', async () => {
    const { body: account } = await server.call('POST', '/v1/accounts', {
      body: { name: 'Team', limits: { jobs: 3, storage_bytes: 'none' } },
    });
    assert.deepEqual(account.limits, {
      requests_per_minute: 600,
      data_points: 500,
      storage_bytes: null,
      jobs: 3,
      keys: 100,
    });
    const { body: changed } = await server.call('PATCH', `/v1/accounts/${account.id}`, {
      body: { limits: { jobs: 'default', data_points: 10_000 } },
    });
    assert.deepEqual(changed.limits, {
      requests_per_minute: 600,
      data_points: 10_000,
      storage_bytes: null,
      jobs: 20,
      keys: 100,
    });
  });

  it('refuses a name that is taken with 497, also when renaming', async () => {
    await server.call('POST', '/v1/accounts', { body: { name: 'Team' } });
    const { body: other } = await server.call('POST', '/v1/accounts', { body: { name: 'Other' } });
    assert.equal((await server.call('POST', '/v1/accounts', { body: { name: 'Team' } })).status, 497);
    assert.equal((await server.call('PATCH', `/v1/accounts/${other.id}`, { body: { name: 'Team' } })).status, 497);
  });

  it('is managed by the operator alone', async () => {
    const member = await server.member('Member', ['admin']);
    for (const [method, path, body] of [
      ['GET', '/v1/accounts', undefined],
      ['POST', '/v1/accounts', { name: 'Mine' }],
      ['PATCH', `/v1/accounts/${member.id}`, { limits: { jobs: 'none' } }],
      ['DELETE', '/v1/accounts/1', undefined],
    ] as const) {
      assert.equal(
        (await server.call(method, path, { key: member.key, body })).body.code,
        'operator_only',
        `${method} ${path}`,
      );
    }
  });

  it('stops all keys of a disabled account at once, and lets them work again', async () => {
    const member = await server.member('Member');
    const status = async () => (await server.call('GET', '/v1/account', { key: member.key })).status;
    assert.equal(await status(), 200);
    await server.call('PATCH', `/v1/accounts/${member.id}`, { body: { disabled: true } });
    assert.equal(await status(), 401);
    await server.call('PATCH', `/v1/accounts/${member.id}`, { body: { disabled: false } });
    assert.equal(await status(), 200);
  });

  it('deletes an account with its keys and data', async () => {
    const member = await server.member('Leaving');
    await server.call('POST', '/v1/datasets', { key: member.key, body: fileForm('a.csv', 'input,output\na,b\n') });
    assert.equal((await server.call('DELETE', `/v1/accounts/${member.id}`)).status, 200);
    assert.equal((await server.call('GET', '/v1/account', { key: member.key })).status, 401);
    assert.equal((await server.call('GET', `/v1/accounts/${member.id}`)).status, 404);
    const { readdir } = await import('node:fs/promises');
    assert.deepEqual(await readdir(`${server.home}/files/datasets`), []);
  });

  it('never disables or deletes the operator', async () => {
    const { body } = await server.call('GET', '/v1/account');
    assert.equal((await server.call('DELETE', `/v1/accounts/${body.id}`)).body.code, 'operator_account');
    assert.equal(
      (await server.call('PATCH', `/v1/accounts/${body.id}`, { body: { disabled: true } })).body.code,
      'operator_account',
    );
  });

  it('answers 429 with Retry-After and a contact when the requests of a minute are used up', async () => {
    const member = await server.member('Busy');
    await server.call('PATCH', `/v1/accounts/${member.id}`, { body: { limits: { requests_per_minute: 3 } } });
    const statuses = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await server.call('GET', '/v1/account', { key: member.key })).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    const refused = await server.call('GET', '/v1/account', { key: member.key });
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.match(refused.body.detail, /3 requests a minute.*ops@example\.org/);
  });

  it('enforces the limit of stored bytes, also for concurrent uploads', async () => {
    const member = await server.member('Small');
    await server.call('PATCH', `/v1/accounts/${member.id}`, { body: { limits: { storage_bytes: 100 } } });
    const upload = (text: string) =>
      server.call('POST', '/v1/local-data', {
        key: member.key,
        body: { data: [{ input: text, output: 'x'.repeat(40) }] },
      });
    const replies = await Promise.all(['a', 'b', 'c', 'd'].map(upload));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.ok(replies.every(({ status, body }) => status === 200 || body.code === 'storage_limit'));
    assert.ok((await server.call('GET', '/v1/account', { key: member.key })).body.storage_used_bytes <= 100);
  });

  it('enforces the same limit for documents, and stores nothing of a refused one', async () => {
    const member = await server.member('Reader');
    await server.call('PATCH', `/v1/accounts/${member.id}`, { body: { limits: { storage_bytes: 1000 } } });
    const send = (length: number) =>
      server.call('POST', '/alpha/memory-rag/train', {
        key: member.key,
        body: documentForm({ 'x.txt': 'x'.repeat(length) }, { model_name: 'lorekeep/quill' }),
      });
    const tooLarge = await send(1001);
    assert.deepEqual([tooLarge.status, tooLarge.body.code], [400, 'storage_limit']);
    assert.match(tooLarge.body.detail, /may store 1,?000 bytes/);
    assert.deepEqual((await server.call('GET', '/v1/indexes', { key: member.key })).body.indexes, []);
    assert.equal((await send(1000)).status, 200);
    // The stored amount in the answer is the amount that the limit counts.
    assert.equal((await server.call('GET', '/v1/account', { key: member.key })).body.storage_used_bytes, 1000);
    const { accounts } = (await server.call('GET', '/v1/accounts')).body;
    assert.equal(accounts.find(({ id }: { id: number }) => id === member.id).storage_used_bytes, 1000);
  });
});
