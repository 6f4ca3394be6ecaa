// The audit log over HTTP, on real databases: written rows, read access, and findings of verify.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { AuditRow } from '@lorekeep/contract';
import { sql } from 'kysely';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { adminKey, startServer, type TestServer } from '../testing/server.ts';
import { AuditLog } from './audit-log.ts';
import { recordAlone } from './record.ts';

onEveryDatabase('the audit log', (make) => {
  let database: TestDatabase;
  let server: TestServer;
  let store: Store;
  beforeEach(async () => {
    database = await make();
    server = await startServer({ database_url: database.url });
    store = await openStore(database.url);
  });
  afterEach(async () => {
    await store.close();
    await server.end();
    await database.drop();
  });

  const rowsOf = async (query = '', key = adminKey): Promise<AuditRow[]> =>
    (await server.call('GET', `/v1/audit?limit=1000${query}`, { key })).body.rows;
  const makeKey = async (name: string) => (await server.call('POST', '/v1/keys', { body: { name } })).body;
  const verdict = async (query = '') => (await server.call('GET', `/v1/audit/verify${query}`)).body;

  it('records who did what to what, without any secret', async () => {
    const made = await makeKey('laptop');
    const { body: next } = await server.call('POST', `/v1/keys/${made.id}/rotate`, { body: { grace_seconds: 0 } });
    await server.call('DELETE', `/v1/keys/${next.id}`);
    await server.call('DELETE', `/v1/keys/${next.id}`);
    const { body } = await server.call('POST', '/v1/local-data', {
      body: { data: [{ input: 'Who?', output: 'Quist' }] },
    });
    await server.call('GET', `/v1/datasets/${body.dataset_id}/download`);
    await server.call('DELETE', `/v1/datasets/${body.dataset_id}`);
    const rows = await rowsOf();
    assert.deepEqual(rows.map(({ action }) => action).reverse(), [
      ...['account.created', 'key.created', 'link.created', 'key.created', 'key.rotated', 'key.revoked'],
      ...['dataset.uploaded', 'dataset.exported', 'dataset.deleted'],
    ]);
    assert.deepEqual(rows.at(-1)!.actor, { kind: 'server', account_id: null, name: 'server', key_id: null });
    const revoked = rows.find(({ action }) => action === 'key.revoked')!;
    assert.deepEqual([revoked.actor.kind, revoked.actor.name, revoked.subject], ['key', 'operator', String(next.id)]);
    const text = JSON.stringify(rows);
    for (const secret of [made.key, next.key, adminKey, 'Quist', 'Who?']) assert.ok(!text.includes(secret), secret);
    assert.deepEqual(await verdict(), {
      ...{ sound: true, rows: 9, first: 1, fault: null },
      last: { number: 9, hash: rows[0]!.hash },
    });
  });

  it('writes a row if and only if the change is made: a refused change has none', async () => {
    const before = await rowsOf();
    const refusals = await Promise.all([
      server.call('POST', '/v1/accounts', { body: { name: 'operator' } }),
      server.call('DELETE', '/v1/keys/999'),
      server.call('DELETE', `/v1/datasets/${'0'.repeat(64)}`),
      server.call('POST', '/v1/keys/999/rotate', { body: {} }),
    ]);
    assert.deepEqual(
      refusals.map(({ status }) => status >= 400),
      [true, true, true, true],
    );
    assert.deepEqual(await rowsOf(), before);
  });

  it('shows an account its own rows, and the operator all rows', async () => {
    const member = await server.member('Support', ['admin']);
    const weak = await server.member('Weak', ['read', 'tune']);
    await server.call('POST', '/v1/keys', { key: member.key, body: { name: 'inner' } });
    const own = await rowsOf('', member.key);
    assert.deepEqual([...new Set(own.map(({ account_id }) => account_id))], [member.id]);
    assert.deepEqual(
      own.map(({ actor }) => actor.name),
      ['Support', 'operator', 'operator'],
    );
    assert.deepEqual(await rowsOf(`&account_id=${member.id}`), own);
    const refused = async (path: string, key: string) => (await server.call('GET', path, { key })).body.code;
    assert.equal(await refused(`/v1/audit?account_id=${weak.id}`, member.key), 'account_not_found');
    assert.equal(await refused('/v1/audit', weak.key), 'scope_missing');
    assert.equal(await refused('/v1/audit/verify', member.key), 'operator_only');
    await server.call('DELETE', `/v1/accounts/${member.id}`);
    assert.equal((await rowsOf(`&subject=${member.id}&action=account`)).length, 2);
  });

  it('is filtered by time, actor, action and subject, and paged', async () => {
    for (let at = 0; at < 5; at++) await makeKey(`key ${at}`);
    const keys = await rowsOf('&action=key');
    assert.equal(keys.length, 6);
    assert.deepEqual(await rowsOf('&action=key.revoked'), []);
    assert.deepEqual(await rowsOf('&action=ke'), []);
    assert.equal((await rowsOf('&actor=operator')).length, 5);
    assert.equal((await rowsOf(`&subject=${keys[0]!.subject}&action=key.created`)).length, 1);
    assert.deepEqual(await rowsOf(`&from=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`), []);
    assert.equal((await rowsOf(`&to=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).length, 8);
    assert.equal((await server.call('GET', '/v1/audit?from=yesterday')).status, 422);
    const first = (await server.call('GET', '/v1/audit?limit=4')).body;
    const second = (await server.call('GET', `/v1/audit?limit=4&after=${first.next}`)).body;
    assert.deepEqual([...first.rows, ...second.rows], await rowsOf());
    assert.equal(second.next, null);
  });

  it('is exported as lines with valid hashes, and records the export', async () => {
    await makeKey('one');
    const { body, headers } = await server.call('GET', '/v1/audit/export?action=key');
    assert.match(headers.get('content-type')!, /application\/jsonl/);
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    assert.deepEqual(lines, (await rowsOf('&action=key')).reverse());
    assert.deepEqual(
      (await rowsOf('&action=audit')).map(({ details }) => details),
      [{ action: 'key' }],
    );
  });

  it('stores hostile names safely', async () => {
    const names = ['{"a":1}', "'; drop table audit_rows; --", '<img src=x>', '👩‍👩‍👧 😀', 'x'.repeat(200)];
    for (const name of names) await makeKey(name);
    const texts = ['\0', '\ud800', `${'y'.repeat(299)}\u{1f600}`, '\u2028', '__proto__'];
    for (const text of texts)
      await recordAlone(store, { action: 'key.created', accountId: 1, subject: text, details: { [text]: [text] } });
    assert.equal((await verdict()).sound, true);
    const found = (await rowsOf('&action=key.created')).reverse();
    assert.deepEqual(
      found.slice(1, 6).map(({ details }) => details.name),
      names,
    );
    assert.equal((await server.call('GET', '/v1/audit?subject=%00')).status, 200);
  });

  it('keeps one chain with many writers on two servers', async () => {
    const other = await startServer({ database_url: database.url });
    const writers = [server, other].flatMap((one) =>
      Array.from({ length: 10 }, (_, at) => one.call('POST', '/v1/keys', { body: { name: `key ${at}` } })),
    );
    assert.deepEqual([...new Set((await Promise.all(writers)).map(({ status }) => status))], [200]);
    await other.end();
    const { sound, rows } = await verdict();
    assert.deepEqual([sound, rows], [true, 24]);
  });

  const tampered: [string, (store: Store) => Promise<unknown>, number, RegExp][] = [
    [
      'changed',
      ({ db }) => sql`update audit_rows set subject = '9' where number = 3`.execute(db),
      3,
      /content was changed/,
    ],
    [
      'changed in its details',
      ({ db }) => sql`update audit_rows set details = 'x' where number = 3`.execute(db),
      3,
      /changed/,
    ],
    ['deleted', ({ db }) => sql`delete from audit_rows where number = 4`.execute(db), 4, /it is missing/],
    [
      'deleted at the end',
      ({ db }) => sql`delete from audit_rows where number >= 5`.execute(db),
      5,
      /from here to 7 are missing/,
    ],
    [
      'deleted at the beginning',
      ({ db }) => sql`delete from audit_rows where number <= 2`.execute(db),
      1,
      /from here to 2 are missing/,
    ],
    [
      'moved',
      async ({ db }) => {
        for (const [from, to] of [
          [3, 99],
          [4, 3],
          [99, 4],
        ])
          await sql`update audit_rows set number = ${to} where number = ${from}`.execute(db);
      },
      3,
      /does not|not the one/,
    ],
    [
      'inserted at the end',
      ({ db }) =>
        sql`insert into audit_rows select 8, at, account_id, actor_kind, actor_account, actor_name, actor_key, action, subject, details, hash, previous from audit_rows where number = 7`.execute(
          db,
        ),
      8,
      /behind the last/,
    ],
  ];
  for (const [name, tamper, number, reason] of tampered)
    it(`reports the first inconsistent row: ${name}`, async () => {
      for (let at = 0; at < 4; at++) await makeKey(`key ${at}`);
      assert.equal((await verdict()).sound, true);
      await tamper(store);
      const { sound, fault } = await verdict();
      assert.deepEqual([sound, fault.number], [false, number]);
      assert.match(fault.reason, reason);
      assert.equal((await server.call('GET', '/v1/audit')).status, 200);
    });

  it('detects a rewritten chain by a hash noted outside', async () => {
    await makeKey('one');
    const { last } = await verdict();
    await makeKey('two');
    const noted = `?number=${last.number}&hash=${last.hash}`;
    assert.equal((await verdict(noted)).sound, true);
    const { fault } = await verdict(`?number=${last.number}&hash=${'f'.repeat(64)}`);
    assert.deepEqual([fault.number, /written anew/.test(fault.reason)], [last.number, true]);
    assert.equal((await verdict(`?number=${last.number + 5}&hash=${last.hash}`)).fault.number, last.number + 5);
  });

  it('removes its oldest rows after the retention time, and its chain stays valid', async () => {
    for (let at = 0; at < 4; at++) {
      await makeKey(`key ${at}`);
      for (const now = Date.now(); Date.now() === now; ) await new Promise(setImmediate);
    }
    const [, , , , fifth] = (await rowsOf()).reverse();
    const log = new AuditLog(store);
    assert.equal(await log.prune(Date.parse(fifth!.time)), 4);
    assert.equal(await log.prune(Date.parse(fifth!.time)), 0);
    const { sound, first, rows } = await verdict();
    assert.deepEqual([sound, first, rows], [true, 5, 4]);
    await sql`delete from audit_rows where number = 5`.execute(store.db);
    assert.equal((await verdict()).fault.number, 5);
  });
});
