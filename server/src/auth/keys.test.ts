// API keys over HTTP, on a real server and every kind of real database.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { adminKey, startServer, type TestServer } from '../testing/server.ts';

onEveryDatabase('keys', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeEach(async () => {
    database = await make();
    server = await startServer({ database_url: database.url });
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
  });

  const create = async (body: object, key = adminKey) => await server.call('POST', '/v1/keys', { body, key });
  const works = async (key: string) => (await server.call('GET', '/v1/account', { key })).status;

  it('shows a key once and stores only its hash', async () => {
    const created = await create({ name: 'laptop', scopes: ['read'] });
    assert.equal(created.status, 200);
    assert.match(created.body.key, /^lk_[A-Za-z0-9_-]{43}$/);
    const listed = await server.call('GET', '/v1/keys');
    assert.ok(!JSON.stringify(listed.body).includes(created.body.key));
    const store = await openStore(database.url);
    const rows = await store.db.selectFrom('keys').selectAll().execute();
    await store.close();
    assert.ok(!JSON.stringify(rows).includes(created.body.key.slice(8)));
    assert.equal(await works(created.body.key), 200);
  });

  it('refuses a missing, a malformed and an unknown key with 401 and a sentence', async () => {
    for (const headers of [
      {},
      { authorization: 'Basic abc' },
      { authorization: 'Bearer ' },
      { authorization: 'Bearer lk_unknown' },
    ]) {
      const reply = await server.call('GET', '/v1/account', { key: null, headers: headers as Record<string, string> });
      assert.equal(reply.status, 401);
      assert.equal(typeof reply.body.detail, 'string');
    }
    const multipart = await server.call('POST', '/v1/datasets', { key: 'wrong', body: new FormData() });
    assert.equal(multipart.status, 401);
  });

  it('revokes at once, even if the server has the key cached', async () => {
    const { body } = await create({ name: 'short' });
    assert.equal(await works(body.key), 200);
    const revoked = await server.call('DELETE', `/v1/keys/${body.id}`);
    assert.equal(revoked.body.status, 'revoked');
    const refused = await server.call('GET', '/v1/account', { key: body.key });
    assert.deepEqual([refused.status, refused.body.code], [401, 'key_revoked']);
    assert.equal((await server.call('DELETE', `/v1/keys/${body.id}`)).status, 200);
  });

  it('revokes at once when another server over the same database does it', async () => {
    const other = await startServer({ database_url: database.url });
    const { body } = await create({ name: 'shared' });
    assert.equal(await works(body.key), 200);
    await other.call('DELETE', `/v1/keys/${body.id}`);
    assert.equal(await works(body.key), 401);
    await other.end();
  });

  it('stops a key at its expiry', async () => {
    // A busy machine may answer only after the expiry, so the lifetime is doubled until it answers in time.
    let expiry = 0;
    let key = '';
    let status = 0;
    for (let span = 400; Date.now() >= expiry; span *= 2) {
      expiry = Date.now() + span;
      ({ key } = (await create({ name: 'brief', expires_at: new Date(expiry).toISOString() })).body);
      status = await works(key);
    }
    assert.equal(status, 200);
    await new Promise((resolve) => setTimeout(resolve, expiry - Date.now() + 100));
    const reply = await server.call('GET', '/v1/account', { key });
    assert.deepEqual([reply.status, reply.body.code], [401, 'key_expired']);
  });

  it('rotates with a grace period, during which the old key works too', async () => {
    const { body: old } = await create({ name: 'service', scopes: ['read', 'infer'] });
    const rotated = await server.call('POST', `/v1/keys/${old.id}/rotate`, { body: { grace_seconds: 1 } });
    assert.deepEqual([rotated.body.name, rotated.body.scopes], ['service', ['read', 'infer']]);
    assert.deepEqual([await works(old.key), await works(rotated.body.key)], [200, 200]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.deepEqual([await works(old.key), await works(rotated.body.key)], [401, 200]);
    const again = await server.call('POST', `/v1/keys/${old.id}/rotate`);
    assert.deepEqual([again.status, again.body.code], [400, 'key_not_active']);
  });

  it('rotates without a body, and at once with no grace', async () => {
    const { body: old } = await create({ name: 'leaked' });
    assert.equal((await server.call('POST', `/v1/keys/${old.id}/rotate`)).status, 200);
    const { body: other } = await create({ name: 'leaked too' });
    await server.call('POST', `/v1/keys/${other.id}/rotate`, { body: { grace_seconds: 0 } });
    assert.equal(await works(other.key), 401);
  });

  it('lets a key do only what its scopes allow', async () => {
    const { body: reader } = await create({ name: 'reader', scopes: ['read'] });
    assert.equal((await server.call('GET', '/v1/datasets', { key: reader.key })).status, 200);
    const refused = await server.call('POST', '/v1/local-data', {
      key: reader.key,
      body: { data: [{ input: 'a', output: 'b' }] },
    });
    assert.deepEqual([refused.status, refused.body.code], [403, 'scope_missing']);
    const minted = await create({ name: 'more', scopes: ['read'] }, reader.key);
    assert.equal(minted.status, 403);
  });

  it('never lets a key create a stronger one', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const { body: maker } = await create({ name: 'maker', scopes: ['admin'], expires_at: end });
    assert.equal((await create({ name: 'for ever' }, maker.key)).body.code, 'key_too_strong');
    assert.equal(
      (await create({ name: 'later', expires_at: new Date(Date.now() + 7_200_000).toISOString() }, maker.key)).body
        .code,
      'key_too_strong',
    );
    assert.equal((await create({ name: 'as long', expires_at: end }, maker.key)).status, 200);
    const { body: forever } = await create({ name: 'for ever', scopes: ['read'] });
    assert.equal(
      (await server.call('POST', `/v1/keys/${forever.id}/rotate`, { key: maker.key })).body.code,
      'key_too_strong',
    );
    assert.equal(await works(forever.key), 200);
  });

  it('lists keys in pages, newest first', async () => {
    const { id: account_id, key } = await server.member('many');
    const created: number[] = [];
    for (let at = 0; at < 5; at++) created.unshift((await create({ name: `k${at}`, account_id })).body.id);
    const found: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await server.call('GET', `/v1/keys?limit=2${after ? `&after=${after}` : ''}`, { key });
      assert.ok(body.keys.length <= 2);
      found.push(...body.keys.map(({ id }: { id: number }) => id));
      after = body.next;
    }
    assert.deepEqual(found.slice(0, 5), created);
    assert.equal(found.length, 6);
  });

  it('limits the number of working keys of an account, also for concurrent requests', async () => {
    const { id: account_id, key } = await server.member('few', ['admin']);
    await server.call('PATCH', `/v1/accounts/${account_id}`, { body: { limits: { keys: 4 } } });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => create({ name: `k${at}` }, key)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    const refused = answers.find(({ status }) => status !== 200)!;
    assert.deepEqual([refused.status, refused.body.code], [400, 'keys_limit']);
    assert.match(refused.body.detail, /already has 4 active keys/);
    // A leaked key can still be rotated at the limit, though not endlessly.
    let { id } = answers.find(({ status }) => status === 200)!.body;
    const rotations = [];
    for (let times = 0; times < 6; times++) {
      const rotated = await server.call('POST', `/v1/keys/${id}/rotate`, { key });
      rotations.push(rotated.status);
      id = rotated.body.id ?? id;
    }
    assert.deepEqual(rotations, [200, 200, 200, 200, 400, 400]);
    // A revoked key does not count.
    for (const { body } of answers) if (body.id) await server.call('DELETE', `/v1/keys/${body.id}`, { key });
    assert.equal((await server.call('POST', `/v1/keys/${id}/rotate`, { key })).status, 200);
  });

  it('refuses names with invisible characters', async () => {
    for (const name of ['a\u202eb', 'a\u200bb', '\u2066a', 'a\r\nb']) {
      assert.equal((await create({ name })).status, 422, JSON.stringify(name));
      assert.equal((await server.call('POST', '/v1/accounts', { body: { name } })).status, 422);
    }
  });

  it("answers 404, never 403, for another account's key", async () => {
    const alice = await server.member('Alice', ['admin']);
    const bob = await server.member('Bob', ['admin']);
    const { body: listed } = await server.call('GET', '/v1/keys', { key: bob.key });
    const bobs = listed.keys[0].id;
    for (const [method, path] of [
      ['GET', `/v1/keys/${bobs}`],
      ['DELETE', `/v1/keys/${bobs}`],
      ['POST', `/v1/keys/${bobs}/rotate`],
      ['GET', `/v1/keys?account_id=${bob.id}`],
    ] as const) {
      assert.equal((await server.call(method, path, { key: alice.key })).status, 404, `${method} ${path}`);
    }
    assert.equal((await create({ name: 'x', account_id: bob.id }, alice.key)).status, 404);
    assert.equal(await works(bob.key), 200);
  });

  it('records the last use without a write for each request', async () => {
    const { body } = await create({ name: 'used', scopes: ['read'] });
    await works(body.key);
    assert.equal((await server.call('GET', `/v1/keys/${body.id}`)).body.last_used_at, null);
    server = await server.restart();
    assert.notEqual((await server.call('GET', `/v1/keys/${body.id}`)).body.last_used_at, null);
  });

  it('creates the key of LOREKEEP_ADMIN_KEY at every start, removes it when the value changes, and keeps it revoked', async () => {
    server = await server.restart();
    assert.equal(await works(adminKey), 200);
    assert.equal((await server.call('GET', '/v1/keys')).body.keys.length, 1);
    const next = 'another-admin-key-0123456789';
    await server.stop();
    server = await startServer({ database_url: database.url, admin_key: next });
    assert.deepEqual([await works(adminKey), await works(next)], [401, 200]);
  });
});
