// Starts and stops as operators see them: real processes, several at once, wrong settings, unreachable databases.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openStore } from './store/open.ts';
import { succeed } from './testing/acknowledged.ts';
import { onEveryDatabase, type TestDatabase } from './testing/databases.ts';
import { endProcesses, runCommand, type ServerProcess, startProcess } from './testing/process.ts';
import { adminKey, startServer } from './testing/server.ts';
import { assertRefused } from './testing/unharmed.ts';
import { asChunk, head, json, Wire } from './testing/wire.ts';

const MB = 1 << 20;
const chunked = { ...json, 'Transfer-Encoding': 'chunked' };
const newHome = () => mkdtemp(join(tmpdir(), 'lorekeep-test-'));
const remove = (home: string) => rm(home, { recursive: true, force: true });
const signIn = async (url: string, key: string) =>
  (await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } })).status;

describe('a log that nobody reads', () => {
  it('does not stop the service', async () => {
    const home = await newHome();
    try {
      const server = await startProcess({ home, log_level: 'info', log_format: 'json' });
      server.ignore();
      // Half a megabyte of lines: more than twice the pipe buffer of the system.
      const path = `/v1/keys/${'x'.repeat(450)}`;
      for (let round = 0; round < 9; round++)
        await Promise.all(
          Array.from({ length: 100 }, () => fetch(server.url + path).then((answer) => answer.body?.cancel())),
        );
      assert.equal(await signIn(server.url, adminKey), 200);
    } finally {
      await endProcesses();
      await remove(home);
    }
  });
});

describe('a stop', () => {
  let home: string;
  let server: ServerProcess;
  beforeEach(async () => {
    home = await newHome();
    server = await startProcess({ home });
  });
  afterEach(async () => {
    await endProcesses();
    await remove(home);
  });

  it('finishes running requests, refuses new connections, and is quick despite idle connections', async () => {
    const idle = await Wire.open(server.port);
    await idle.send(head('GET', '/v1/keys'));
    assert.equal((await idle.answer()).status, 200);
    // Browsers and connection pools open some before they need them.
    await Wire.open(server.port);

    // Larger than the send buffers of the system when the client does not read.
    const long = 'x'.repeat(MB - 100);
    const data = Array.from({ length: 20 }, (_, row) => ({ input: `question ${row}`, output: long }));
    const { dataset_id } = await succeed(server.url, 'POST', '/v1/local-data', { body: { data } });
    const download = await Wire.open(server.port, { readLater: true });
    await download.send(head('GET', `/v1/datasets/${dataset_id}/download`));
    const upload = await Wire.open(server.port);
    await upload.send(head('POST', '/v1/local-data', chunked), asChunk('{"data": [{"input": "in", "output": "time"},'));
    await sleep(300);

    const asked = Date.now();
    server.signal('SIGTERM');
    for (let refused = false; !refused; ) {
      assert.ok(Date.now() - asked < 5000, 'new connections are still taken');
      await sleep(20);
      refused = await fetch(`${server.url}/healthz`).then(
        () => false,
        () => true,
      );
    }
    await upload.send(asChunk('{"input": "still", "output": "there"}]}'), '0\r\n\r\n');
    const stored = await upload.answer();
    assert.equal(stored.status, 200);
    const whole = await download.answer();
    assert.equal(whole.text.split('\n').length, 21);
    assert.equal(await server.ended, 0);
    assert.doesNotMatch(server.output(), /cut off/);

    server = await startProcess({ home });
    const { datasets } = await succeed(server.url, 'GET', '/v1/datasets');
    assert.deepEqual(
      datasets.map((dataset: { dataset_id: string }) => dataset.dataset_id).sort(),
      [dataset_id, stored.body.dataset_id].sort(),
    );
  });

  it('ends within ten seconds of Ctrl-C, also with clients that hang', async () => {
    const uploading = await Wire.open(server.port);
    await uploading.send(head('POST', '/v1/local-data', chunked), asChunk('{"data": ['));
    const starting = await Wire.open(server.port);
    await starting.send('GET /healthz HT');
    const silent = await Wire.open(server.port);
    await sleep(200);
    const asked = Date.now();
    assert.equal(await server.stop('SIGINT'), 0);
    assert.ok(Date.now() - asked < 10_000, `it took ${Date.now() - asked} ms`);
    for (const wire of [uploading, starting, silent]) wire.close();
  });

  it('does not wait any longer after a second Ctrl-C', async () => {
    const uploading = await Wire.open(server.port);
    await uploading.send(head('POST', '/v1/local-data', chunked), asChunk('{"data": ['));
    // A connection that the server has not read from yet would not delay the stop.
    await sleep(300);
    server.signal('SIGINT');
    await sleep(300);
    assert.equal(await server.stop('SIGINT'), 130);
    uploading.close();
  });
});

describe('a failing start', () => {
  let home: string;
  before(async () => {
    home = await newHome();
  });
  after(async () => {
    await endProcesses();
    await remove(home);
  });

  it('reports that the port is taken, and how to choose another', async () => {
    const first = await startProcess({ home });
    const { code, output } = await runCommand('up', [], { home: join(home, 'other'), port: String(first.port) });
    assert.equal(code, 1);
    assert.match(output, new RegExp(`127\\.0\\.0\\.1:${first.port} is in use.*--port ${first.port + 1}`));
    assert.doesNotMatch(output, /ready at|\n\s+at /);
    assert.equal(await first.stop(), 0);
  });

  it('names a wrong setting, its value, its source and the allowed values', async () => {
    const flags = await runCommand('up', [], { home, port: '70000', log_level: 'loud' });
    assert.equal(flags.code, 2);
    assert.match(flags.output, /LOREKEEP_PORT is "70000", from --port; it must be a whole number from 0 to 65535/);
    assert.match(flags.output, /LOREKEEP_LOG_LEVEL is "loud".*debug, info, warn, error, silent/);
    const environment = await runCommand(
      'up',
      [],
      { home },
      { LOREKEEP_MAX_BODY: 'much', LOREKEEP_ADMIN_KEY: 'short' },
    );
    assert.equal(environment.code, 2);
    assert.match(environment.output, /LOREKEEP_MAX_BODY is "much", from the environment; it must be bytes/);
    assert.match(environment.output, /LOREKEEP_ADMIN_KEY is set to a value \(hidden\).*16 to 200/);
    const unknown = await runCommand('up', [], { home }, { LOREKEEP_PROT: '1' });
    assert.deepEqual([unknown.code, /LOREKEEP_PROT.*is not a setting/.test(unknown.output)], [2, true]);
    const word = await runCommand('up', ['fast'], { home });
    assert.deepEqual([word.code, /does not know "fast"/.test(word.output)], [2, true]);
  });

  it('reports that PostgreSQL cannot be reached, without the password', async () => {
    // A port where nothing listens, since it was just released.
    const port = await new Promise<number>((resolve) => {
      const holder = createServer().listen(0, '127.0.0.1', () => {
        const { port } = holder.address() as { port: number };
        holder.close(() => resolve(port));
      });
    });
    const database_url = `postgres://postgres:very-secret@127.0.0.1:${port}/none`;
    const { code, output } = await runCommand('up', [], { home, database_url });
    assert.equal(code, 3);
    assert.match(output, /The database of LOREKEEP_DATABASE_URL cannot be used: .*ECONNREFUSED/);
    assert.doesNotMatch(output, /very-secret|\n\s+at /);
  });

  it('reports that a folder cannot be used', async () => {
    const { code, output } = await runCommand('up', [], { home: '/dev/null/home' });
    assert.equal(code, 2);
    assert.match(output, /no folder \/dev\/null\/home: .* is a file/);
    assert.doesNotMatch(output, /\n\s+at /);
  });
});

onEveryDatabase('several processes', (make) => {
  let database: TestDatabase;
  let home: string;
  beforeEach(async () => {
    database = await make('new');
    home = await newHome();
  });
  afterEach(async () => {
    await endProcesses();
    await remove(home);
    await database.drop();
  });

  it('start at once on one empty database, agree on one operator, and reject a key revoked at the other', async () => {
    const start = () => startProcess({ home, database_url: database.url });
    const [one, other] = await Promise.all([start(), start()]);
    const { accounts } = await succeed(other.url, 'GET', '/v1/accounts');
    assert.deepEqual(
      accounts.map(({ role }: { role: string }) => role),
      ['operator'],
    );
    for (let round = 0; round < 10; round++) {
      const { id, key } = await succeed(one.url, 'POST', '/v1/keys', { body: { name: 'shared' } });
      assert.equal(await signIn(other.url, key), 200);
      assert.equal(await signIn(other.url, key), 200);
      await succeed(one.url, 'DELETE', `/v1/keys/${id}`);
      assert.equal(await signIn(one.url, key), 401);
      assert.equal(await signIn(other.url, key), 401);
    }
    // A third server that starts does not take files of a running server for leftovers.
    const upload = await Wire.open(one.port);
    await upload.send(head('POST', '/v1/local-data', chunked), asChunk('{"data": [{"input": "a", "output": "b"}'));
    await sleep(200);
    const third = await start();
    await upload.send(asChunk(']}'), '0\r\n\r\n');
    assert.equal((await upload.answer()).status, 200);
    upload.close();
    for (const server of [one, other, third]) assert.equal(await server.stop(), 0);
  });

  it('let the command line revoke a key of the running server', async () => {
    const server = await startProcess({ home, database_url: database.url });
    const { id, key } = await succeed(server.url, 'POST', '/v1/keys', { body: { name: 'lost' } });
    assert.equal(await signIn(server.url, key), 200);
    const { code, output } = await runCommand('keys', ['revoke', String(id)], { home, database_url: database.url });
    assert.deepEqual([code, /is revoked/.test(output)], [0, true], output);
    const wire = await Wire.open(server.port);
    await wire.send(head('GET', '/v1/account', { Authorization: `Bearer ${key}` }));
    assertRefused(await wire.answer(), [401, 'key_revoked']);
    wire.close();
    assert.equal(await signIn(server.url, adminKey), 200);
    assert.equal(await server.stop(), 0);
  });

  it('refuse a database that is newer than the program', async () => {
    const store = await openStore(database.url);
    await sql`insert into schema_versions (version, name, applied_at) values (999, 'from the future', 0)`.execute(
      store.db,
    );
    await store.close();
    for (const [command, words] of [
      ['up', []],
      ['keys', ['list']],
    ] as const) {
      const { code, output } = await runCommand(command, [...words], { home, database_url: database.url });
      assert.equal(code, 1, command);
      assert.match(output, /version 999.*newer Lorekeep.*restore a backup/);
      assert.ok(output.includes(database.url.replace(/^sqlite:/, '').replace(/:[^:@/]*@/, '@')), output);
      assert.doesNotMatch(output, /\n\s+at /);
    }
  });

  it('start completely after kills in the middle of the very first start', async () => {
    for (const delay of process.env.LOREKEEP_TEST_LONG ? [250, 350, 450, 550, 650] : [300, 450, 600]) {
      const killed = runCommand('up', [], { home, database_url: database.url, port: '0' }, {}, delay);
      assert.match(String((await killed).code), /SIGKILL/);
    }
    const server = await startProcess({ home, database_url: database.url });
    const { accounts } = await succeed(server.url, 'GET', '/v1/accounts');
    assert.equal(accounts.length, 1);
    assert.equal(await server.stop(), 0);
  });
});

describe('a clock that is a year ahead', () => {
  /** The environment that `within` sets for this process only. */
  const ahead = [
    'env',
    `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent('const now = Date.now; Date.now = () => now() + 365 * 86400000;')}`,
  ];

  it('does not expire new results', async () => {
    const home = await newHome();
    const url = `sqlite:${join(home, 'lorekeep.db')}`;
    try {
      await (await startServer({ home })).stop();
      const store = await openStore(url);
      const { id: account } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
      const { id: key } = await store.db.selectFrom('keys').select('id').executeTakeFirstOrThrow();
      const run = (name: string, days: number) => ({
        ...{
          name: name.repeat(32),
          account_id: account,
          key_id: key,
          kind: 'batch' as const,
          model: 'm',
          request: '{}',
        },
        ...{ prompts: 0, status: 'completed' as const, created_at: 0, finished_at: Date.now() - days * 86_400_000 },
      });
      await store.db
        .insertInto('runs')
        .values([run('a', 0), run('b', 6), run('c', 8)])
        .execute();
      const server = await startProcess({ home }, ahead);
      // Its clock is ahead; the clean-up has run once the really old results are gone.
      const { created_at } = await succeed(server.url, 'POST', '/v1/keys', { body: { name: 'k' } });
      assert.ok(Date.parse(created_at) > Date.now() + 300 * 86_400_000);
      let names: string[];
      do {
        await sleep(50);
        names = (await store.db.selectFrom('runs').select('name').execute()).map(({ name }) => name[0]!);
      } while (names.includes('c'));
      assert.deepEqual(names.sort(), ['a', 'b']);
      await store.close();
      assert.equal(await server.stop(), 0);
    } finally {
      await endProcesses();
      await remove(home);
    }
  });
});
