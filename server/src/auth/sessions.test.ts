// Sign-in by a browser: over HTTP, on a real server and every kind of real database.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { csrfHeader } from '@lorekeep/contract';
import { openStore } from '../store/open.ts';
import { browserOf, cookieOf, redeem } from '../testing/browser.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { runCommand } from '../testing/process.ts';
import { adminKey, type Reply, startServer, type TestServer } from '../testing/server.ts';
import { passwordCosts } from './password-hash.ts';

const password = 'correct horse battery';
const realCosts = { ...passwordCosts };
/** Low hashing costs, so that a hundred hashes take no time. The real costs have a test of their own. */
const lowCosts = process.env.LOREKEEP_TEST_LONG === '1' ? realCosts : { N: 2 ** 10, r: 8, p: 1 };

onEveryDatabase('sessions', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeEach(async () => {
    Object.assign(passwordCosts, lowCosts);
    database = await make();
    server = await startServer({ database_url: database.url });
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
  });

  const post = async (path: string, body: object, headers: Record<string, string> = { [csrfHeader]: 'sign-in' }) =>
    await server.call('POST', path, { key: null, body, headers });
  const useLink = async (path: string, chosen = password) => await redeem(server, path, chosen);
  const signIn = async (account = 'operator', typed = password) =>
    await post('/v1/session', { account, password: typed });

  const browser = (reply: Reply) => browserOf(server, reply);
  const signedIn = async () => browser(await useLink(server.firstLink!));

  it('sets the first password through a link that works once', async () => {
    const shown = await post('/v1/sign-in-links/show', { token: server.firstLink!.split('/').at(-1) });
    assert.equal(shown.body.account, 'operator');
    const used = await useLink(server.firstLink!);
    assert.equal(used.status, 200);
    assert.deepEqual(used.body.account.role, 'operator');
    const again = await useLink(server.firstLink!, 'another password');
    assert.deepEqual([again.status, again.body.code], [401, 'link_unknown']);
    assert.equal((await signIn()).status, 200);
    assert.equal((await signIn('operator', 'another password')).body.code, 'sign_in_wrong');
    server = await server.restart();
    assert.equal(server.firstLink, undefined);
    assert.equal((await signIn()).status, 200);
  });

  it('stores and records at most 300 characters of the name of a browser', async () => {
    await useLink(server.firstLink!);
    const headers = { [csrfHeader]: 'sign-in', 'user-agent': 'x'.repeat(5_000) };
    const page = browser(await post('/v1/session', { account: 'operator', password }, headers));
    const { sessions } = (await page('GET', '/v1/sessions')).body;
    const { rows } = (await server.call('GET', '/v1/audit?action=session.began')).body;
    for (const shown of [sessions[0].browser, rows[0].details.browser]) assert.equal(shown, 'x'.repeat(300));
  });

  it('accepts only one of two concurrent uses of a link', async () => {
    const both = await Promise.all([
      useLink(server.firstLink!, 'the first one'),
      useLink(server.firstLink!, 'the second'),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);
  });

  it('stores nothing that allows a sign-in with a stolen database', async () => {
    Object.assign(passwordCosts, realCosts);
    const reply = await useLink(server.firstLink!);
    const secret = cookieOf(reply).split('=')[1]!;
    const store = await openStore(database.url);
    const storedText = JSON.stringify([
      await store.db.selectFrom('sessions').selectAll().execute(),
      await store.db.selectFrom('passwords').selectAll().execute(),
      await store.db.selectFrom('sign_in_links').selectAll().execute(),
    ]);
    await store.close();
    assert.match(storedText, /scrypt\$65536\$8\$2\$/);
    assert.equal((await signIn('operator', 'a wrong guess')).status, 401);
    assert.equal((await signIn()).status, 200);
    for (const text of [secret, reply.body.csrf, password, server.firstLink!.split('/').at(-1)!])
      assert.ok(!storedText.includes(text));
  });

  it('has the rights of a key of the account and no others', async () => {
    const operator = await signedIn();
    assert.equal((await operator('GET', '/v1/account')).body.role, 'operator');
    assert.equal((await operator('POST', '/v1/accounts', { name: 'Alice' })).status, 200);
    const { body } = await operator('GET', '/v1/accounts');
    const alice = body.accounts.find(({ name }: { name: string }) => name === 'Alice');
    const link = await operator('POST', `/v1/accounts/${alice.id}/sign-in-link`);
    const member = browser(await useLink(link.body.path));
    assert.equal((await member('GET', '/v1/account')).body.name, 'Alice');
    assert.equal((await member('GET', '/v1/accounts')).body.code, 'operator_only');
    const key = await member('POST', '/v1/keys', { name: 'mine', scopes: ['admin'] });
    assert.equal(key.body.account_id, alice.id);
    const operators = (await operator('GET', '/v1/keys')).body.keys[0].id;
    assert.equal((await member('DELETE', `/v1/keys/${operators}`)).status, 404);
    assert.equal((await member('POST', '/v1/accounts/1/sign-in-link')).status, 404);
  });

  it('needs the CSRF token for changes and only the cookie for reads', async () => {
    const page = await signedIn();
    const another = (await signIn()).body.csrf;
    for (const token of [null, '', 'guess', 'f'.repeat(64), another]) {
      for (const [method, path, body] of [
        ['POST', '/v1/keys', { name: 'stolen' }],
        ['DELETE', '/v1/session', undefined],
        ['DELETE', '/v1/sessions', undefined],
        ['POST', '/v1/password', { password, new_password: 'a stolen account' }],
      ] as const) {
        const refused = await page(method, path, body, token);
        assert.deepEqual([refused.status, refused.body.code], [403, 'csrf_missing'], `${method} ${path} with ${token}`);
      }
    }
    assert.equal((await page('GET', '/v1/keys', undefined, null)).body.keys.length, 1);
    assert.equal((await post('/v1/session', { account: 'operator', password }, {})).body.code, 'csrf_missing');
  });

  it('sets an HttpOnly and SameSite cookie, Secure over TLS', async () => {
    const plain = (await useLink(server.firstLink!)).headers.getSetCookie();
    assert.equal(plain.length, 1);
    assert.match(plain[0]!, /^lorekeep_session=[^;]+; Path=\/; Max-Age=[1-9][0-9]+; HttpOnly; SameSite=Strict$/);
    const secured = await post(
      '/v1/session',
      { account: 'operator', password },
      { [csrfHeader]: 'sign-in', origin: 'https://lorekeep.example.org' },
    );
    assert.match(
      secured.headers.getSetCookie()[0]!,
      /^__Host-lorekeep_session=[^;]+; Path=\/; Max-Age=[1-9][0-9]+; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.equal((await browser(secured)('GET', '/v1/account')).status, 200);
  });

  it('prefers the secured cookie if both are sent', async () => {
    const secret = cookieOf(await useLink(server.firstLink!)).split('=')[1]!;
    const asks = async (cookie: string) =>
      (await server.call('GET', '/v1/account', { key: null, headers: { cookie } })).status;
    const planted = `lorekeep_session=${'x'.repeat(43)}`;
    assert.equal(await asks(`${planted}; __Host-lorekeep_session=${secret}`), 200);
    assert.equal(await asks(`__Host-lorekeep_session=${secret}; ${planted}`), 200);
    assert.equal(await asks(`lorekeep_session=${secret}; __Host-lorekeep_session=${'x'.repeat(43)}`), 401);
    // Spaces are ignored, and so are cookies without a name or a value.
    assert.equal(await asks(`=x; flag; a=x${' '.repeat(15_000)}y;   lorekeep_session =  ${secret} ;`), 200);
  });

  it('signs out here or everywhere, and elsewhere on a password change, at once on every server', async () => {
    const other = await startServer({ database_url: database.url });
    const first = await signedIn();
    const secondReply = await signIn();
    const second = browser(secondReply);
    const elsewhere = async () =>
      (await other.call('GET', '/v1/account', { key: null, headers: { cookie: cookieOf(secondReply) } })).status;
    assert.equal(await elsewhere(), 200);
    const { body: listed } = await first('GET', '/v1/sessions');
    assert.deepEqual(
      listed.sessions.map(({ current }: { current: boolean }) => current),
      [false, true],
    );
    assert.equal((await first('DELETE', '/v1/session')).body.signed_out, 1);
    assert.equal((await first('GET', '/v1/account')).body.code, 'session_over');
    const third = browser(await signIn());
    const changed = await second('POST', '/v1/password', { password, new_password: 'an even better one' });
    assert.equal(changed.body.signed_out, 1);
    assert.equal((await third('GET', '/v1/account')).status, 401);
    assert.equal((await signIn()).status, 401);
    assert.equal((await second('DELETE', '/v1/sessions')).body.signed_out, 1);
    assert.equal(await elsewhere(), 401);
    assert.equal((await signIn('operator', 'an even better one')).status, 200);
    await other.end();
  });

  it('ends permanently when the account is disabled, at once on every server', async () => {
    const other = await startServer({ database_url: database.url });
    const { id } = await server.member('Alice');
    const link = await server.call('POST', `/v1/accounts/${id}/sign-in-link`);
    const reply = await useLink(link.body.path);
    const alice = browser(reply);
    const elsewhere = browserOf(other, reply);
    assert.equal((await elsewhere('GET', '/v1/account')).status, 200);
    const disable = async (disabled: boolean) =>
      assert.equal((await server.call('PATCH', `/v1/accounts/${id}`, { body: { disabled } })).status, 200);
    await disable(true);
    assert.equal((await alice('GET', '/v1/account')).body.code, 'session_over');
    assert.equal((await elsewhere('GET', '/v1/account')).body.code, 'session_over');
    assert.equal((await signIn('Alice')).body.code, 'account_disabled');
    // After the account is enabled again, a new sign-in is needed.
    await disable(false);
    assert.equal((await alice('GET', '/v1/account')).body.code, 'session_over');
    const again = browser(await signIn('Alice'));
    assert.equal((await again('GET', '/v1/account')).status, 200);
    await server.call('DELETE', `/v1/accounts/${id}`);
    assert.equal((await again('GET', '/v1/account')).body.code, 'session_over');
    await other.end();
  });

  it('throttles attempts on existing and unknown accounts, without affecting other accounts', async () => {
    await useLink(server.firstLink!);
    for (const account of ['operator', 'nobody']) {
      for (let attempt = 0; attempt < 10; attempt++) assert.equal((await signIn(account, 'wrong')).status, 401);
      const late = await signIn(account, account === 'operator' ? password : 'wrong');
      assert.deepEqual([late.status, late.body.code], [429, 'too_many_attempts']);
      assert.ok(Number(late.headers.get('retry-after')) > 0);
    }
    const { id } = await server.member('Alice');
    const link = await server.call('POST', `/v1/accounts/${id}/sign-in-link`);
    assert.equal((await useLink(link.body.path)).status, 200);
  });

  it('counts attempts by client address behind a trusted proxy, and ignores the header of others', async () => {
    let calls = 0;
    const guess = async (from: string) => {
      // An address forged by the client comes before the one that the proxy appends.
      const headers = { [csrfHeader]: 'sign-in', 'x-forwarded-for': `203.0.113.${calls++ % 250}, ${from}` };
      return (await post('/v1/sign-in-links/show', { token: 'x'.repeat(43) }, headers)).status;
    };
    for (let attempt = 0; attempt < 50; attempt++) assert.equal(await guess('198.51.100.7'), 401);
    assert.equal(await guess('198.51.100.7'), 429);
    assert.equal(await guess('198.51.100.8'), 401);
    const direct = await startServer({ database_url: database.url, trusted_proxies: 'none' });
    const statusFrom = async (from: string) =>
      (
        await direct.call('POST', '/v1/sign-in-links/show', {
          key: null,
          body: { token: 'x'.repeat(43) },
          headers: { [csrfHeader]: 'sign-in', 'x-forwarded-for': from },
        })
      ).status;
    for (let attempt = 0; attempt < 50; attempt++) assert.equal(await statusFrom(`198.51.100.${attempt}`), 401);
    assert.equal(await statusFrom('198.51.100.99'), 429);
    await direct.end();
  });

  it('counts the usage of sessions on a hidden key that nobody can manage', async () => {
    const page = await signedIn();
    const { body } = await page('GET', '/v1/account');
    assert.deepEqual([body.key.name, body.key.scopes], ['console', ['admin']]);
    const { body: listed } = await page('GET', '/v1/keys');
    assert.ok(!listed.keys.some(({ id }: { id: number }) => id === body.key.id));
    assert.equal((await page('DELETE', `/v1/keys/${body.key.id}`)).status, 404);
    assert.equal((await page('POST', `/v1/keys/${body.key.id}/rotate`)).status, 404);
  });

  it('does not let a key that expires set a password that does not', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await server.call('POST', '/v1/keys', {
      body: { name: 'short', scopes: ['admin'], expires_at: end },
    });
    assert.equal(
      (await server.call('POST', '/v1/accounts/1/sign-in-link', { key: body.key })).body.code,
      'key_too_strong',
    );
    assert.equal((await server.call('POST', '/v1/accounts/1/sign-in-link', { key: adminKey })).status, 200);
  });

  it('creates a link on the host for a lost password, which ends existing sessions', async () => {
    const before = await signedIn();
    const { code, output } = await runCommand('accounts', ['link', 'operator', '--json'], {
      home: server.home,
      database_url: database.url,
    });
    assert.equal(code, 0, output);
    const used = await useLink(JSON.parse(output).path, 'found it again');
    assert.equal(used.status, 200);
    assert.equal((await before('GET', '/v1/account')).body.code, 'session_over');
    assert.equal((await signIn('operator', 'found it again')).status, 200);
  });

  it('refuses a short password and accepts any script', async () => {
    assert.equal((await useLink(server.firstLink!, 'short')).status, 422);
    assert.equal((await useLink(server.firstLink!, 'Bücher für die Straße')).status, 200);
    // The same text in another Unicode normalization form.
    assert.equal((await signIn('operator', 'Bücher für die Straße'.normalize('NFD'))).status, 200);
  });
});
