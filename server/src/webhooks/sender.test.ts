// Sending of webhook messages: isolation of slow receivers, backoff of failing ones, and SSRF protection.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, it, mock } from 'node:test';
import { createLog } from '../http/log.ts';
import { TrustedTime } from '../leases/trusted-time.ts';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { nameServer } from '../testing/name-server.ts';
import { jobRecord } from '../testing/records.ts';
import { until } from '../testing/until.ts';
import { maxOfAccount, maxOfReceiver } from './choose-receivers.ts';
import { Deliveries, defaultPauses } from './deliveries.ts';
import { WebhookNetworks } from './networks.ts';
import { WebhookSender } from './sender.ts';
import { WebhookHosts } from './webhook-hosts.ts';

/** The product's backoff, five times as fast. */
const pauses = defaultPauses.map((seconds) => seconds / 5);
const loopback = new WebhookHosts(new WebhookNetworks(['127.0.0.0/8']));

onEveryDatabase('webhook deliveries', (make) => {
  let database: TestDatabase;
  let store: Store;
  let ends: (() => unknown)[];
  beforeEach(async () => {
    database = await make();
    store = await openStore(database.url);
    ends = [];
  });
  afterEach(async () => {
    mock.restoreAll();
    for (const end of ends.reverse()) await end();
    await store.close();
    await database.drop();
  });

  const startSender = (hosts = loopback) => {
    const log = createLog({ log_level: 'silent', log_format: 'json' });
    const sender = new WebhookSender(store, hosts, log, undefined, pauses);
    sender.start();
    ends.push(() => sender.stop());
  };

  const receiver = async (answer: (request: IncomingMessage, response: ServerResponse) => void, host = '127.0.0.1') => {
    const server = createServer(answer);
    await new Promise<void>((done) => server.listen(0, host, done));
    ends.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };

  const account = async (name: string) => {
    const { id } = await store.db
      .insertInto('accounts')
      .values({ name, role: 'member', limits: '{}', created_at: 1, disabled_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  };

  /** Creates a webhook of an account with due messages; returns its id. */
  const owed = async (account_id: number, url: string, count: number, created_at = Date.now()) => {
    const job_id = await jobRecord(store, account_id, { status: 'COMPLETED', name: `job ${Math.random()}` });
    const { id: webhook_id } = await store.db
      .insertInto('webhooks')
      .values({ account_id, secret: 'whsec_test', created_at: 1, url })
      .returning('id')
      .executeTakeFirstOrThrow();
    const one = { webhook_id, job_id, body: '{}', status: 'waiting' as const, attempts: 0, next_at: 1, created_at };
    await store.db.insertInto('webhook_deliveries').values(Array(count).fill(one)).execute();
    return webhook_id;
  };

  const messages = async (webhook_id: number) =>
    await store.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('webhook_id', '=', webhook_id)
      .orderBy('id')
      .execute();

  it('are retried after their backoff even if the clock is set back by a day', async () => {
    const received: string[] = [];
    const port = await receiver((request, response) => {
      received.push(String(request.headers['lorekeep-delivery']));
      response.writeHead(received.length === 1 ? 500 : 204).end();
    });
    const hook = await owed(await account('someone'), `http://127.0.0.1:${port}/`, 1);
    startSender();
    await until('the first attempt', async () => (await messages(hook))[0]!.last_answer === '500');
    const real = Date.now;
    mock.method(Date, 'now', () => real() - 86_400_000);
    await until('the second attempt', () => received.length === 2);
    assert.equal(received[0], received[1]);
  });

  it('are not delayed by an account whose receivers never answer', async () => {
    let open = 0;
    let maxOpen = 0;
    const silent = await receiver((request) => {
      maxOpen = Math.max(maxOpen, ++open);
      request.on('close', () => open--);
    });
    const slow = await account('slow');
    for (let hook = 0; hook < 20; hook++) await owed(slow, `http://127.0.0.1:${silent}/${hook}`, 50);
    startSender();
    await until('every place of the slow account was taken', () => open === maxOfAccount);
    let received = 0;
    const quick = await receiver((_request, response) => {
      received++;
      response.writeHead(200).end();
    });
    await owed(await account('quick'), `http://127.0.0.1:${quick}/`, 40);
    await until('the other account was told', () => received === 40);
    assert.ok(maxOpen <= maxOfAccount, `${maxOpen} at once`);
    // No message of the slow account has finished, so the other account did not wait for one.
    const over = await store.db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('last_answer', '=', 'no answer')
      .execute();
    assert.equal(over.length, 0);
  });

  it('pause for a failing receiver and resume when it recovers', async () => {
    let failing = true;
    let failed = 0;
    let taken = 0;
    const port = await receiver((_request, response) => {
      if (failing) failed++;
      else taken++;
      response.writeHead(failing ? 503 : 204).end();
    });
    const one = await account('one');
    const hook = await owed(one, `http://127.0.0.1:${port}/`, 60);
    let received = 0;
    const other = await receiver((_request, response) => {
      received++;
      response.writeHead(200).end();
    });
    await owed(one, `http://127.0.0.1:${other}/`, 60);
    startSender();
    await until('the other receiver of the account was told', () => received === 60);
    await until('it was tried again', () => failed > maxOfReceiver);
    const attempts = async () => (await messages(hook)).reduce((sum, { attempts }) => sum + Number(attempts), 0);
    // A failure that is stored later would postpone the next attempt again.
    await until('every failure was written', async () => (await attempts()) === failed);
    // Without a backoff of the receiver, each of the 60 messages would be one attempt. A slow machine has time for a few more.
    assert.ok(failed <= 20, `${failed} attempts`);
    failing = false;
    await until('all were taken', async () => {
      // An attempt in flight may postpone the next one again.
      await store.db.updateTable('webhooks').set({ retry_at: 0, failures: 9 }).where('id', '=', hook).execute();
      return (await messages(hook)).every(({ status }) => status === 'delivered');
    });
    assert.equal(taken, 60);
  });

  it('are not leased again while in flight when an earlier message reaches a recovered receiver', async () => {
    const hook = await owed(await account('someone'), 'http://127.0.0.1:1/', 2);
    await store.db.updateTable('webhooks').set({ failures: 9 }).where('id', '=', hook).execute();
    const deliveries = new Deliveries(store, 20_000, new TrustedTime(store));
    const now = Date.now();
    const [away] = await deliveries.receivers(now);
    const [first] = await deliveries.take({ ...away!, failures: 0 }, 1, now);
    const [second] = await deliveries.take({ ...away!, failures: 0 }, 1, now + 1_000);
    assert.notEqual(second!.id, first!.id);
    // The time of a delivery is that of its answer. The database may store it after later leases.
    await deliveries.delivered(hook, first!, '204', now + 500);
    assert.deepEqual(await deliveries.receivers(now + 1_000), []);
  });

  it('are given up when their receiver has failed for longer than the whole backoff', async () => {
    const port = await receiver((_request, response) => response.writeHead(500).end());
    const hook = await owed(await account('someone'), `http://127.0.0.1:${port}/`, 30, Date.now() - 4 * 86_400_000);
    await store.db.updateTable('webhooks').set({ failures: 30 }).where('id', '=', hook).execute();
    startSender();
    await until('they were given up', async () => (await messages(hook)).every(({ status }) => status === 'given up'));
  });

  it('are deleted once finished, except for the newest', async () => {
    const port = await receiver((_request, response) => response.writeHead(200).end());
    const hook = await owed(await account('someone'), `http://127.0.0.1:${port}/`, 1_100);
    await store.db
      .updateTable('webhook_deliveries')
      .set({ status: 'given up' })
      .where('webhook_id', '=', hook)
      .execute();
    const last = (await messages(hook)).at(-1)!.id;
    await store.db.updateTable('webhook_deliveries').set({ status: 'waiting' }).where('id', '=', last).execute();
    startSender();
    await until('the last one was sent', async () => (await messages(hook)).at(-1)!.status === 'delivered');
    assert.equal((await messages(hook)).length, 1_000);
  });

  it('reach only public addresses, even if a stored URL or its DNS name leads to an internal one', async () => {
    let reached = 0;
    const port = await receiver((_request, response) => {
      reached++;
      response.writeHead(200).end();
    });
    const names = await nameServer(() => '127.0.0.1');
    ends.push(() => names.close());
    const one = await account('one');
    const hooks: number[] = [];
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', 'internal.example'])
      for (const at of [port, 1]) hooks.push(await owed(one, `http://${host}:${at}/`, 1));
    startSender(new WebhookHosts(new WebhookNetworks([]), [names.address]));
    for (const hook of hooks) await until('it was tried', async () => (await messages(hook))[0]!.last_answer !== null);
    // Open and closed ports look the same.
    for (const hook of hooks) assert.equal((await messages(hook))[0]!.last_answer, 'no answer');
    assert.equal(reached, 0);
    assert.ok(names.asked() >= 2);
  });

  it('connect to the checked address without a second DNS lookup (DNS rebinding)', async () => {
    let wrong = 0;
    let right = 0;
    const count = (which: 'right' | 'wrong') => (_request: IncomingMessage, response: ServerResponse) => {
      if (which === 'right') right++;
      else wrong++;
      response.writeHead(200).end();
    };
    const port = await receiver(count('right'), '127.0.0.2');
    const inner = createServer(count('wrong'));
    await new Promise<void>((done) => inner.listen(port, '127.0.0.1', done));
    ends.push(() => inner.close());
    const names = await nameServer((number) => (number === 1 ? '127.0.0.2' : '127.0.0.1'));
    ends.push(() => names.close());
    const hook = await owed(await account('one'), `http://rebound.example:${port}/`, 1);
    startSender(new WebhookHosts(new WebhookNetworks(['127.0.0.2']), [names.address]));
    await until('it was taken', async () => (await messages(hook))[0]!.status === 'delivered');
    assert.deepEqual([right, wrong, names.asked()], [1, 0, 1]);
  });

  it('do not follow redirects', async () => {
    let inside = 0;
    const inner = await receiver((_request, response) => {
      inside++;
      response.writeHead(200).end();
    }, '127.0.0.1');
    const port = await receiver((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inner}/` }).end();
    }, '127.0.0.2');
    const hook = await owed(await account('one'), `http://127.0.0.2:${port}/`, 1);
    startSender(new WebhookHosts(new WebhookNetworks(['127.0.0.2'])));
    await until('it was tried', async () => (await messages(hook))[0]!.last_answer === '307');
    assert.equal(inside, 0);
  });

  it('are not delayed by an account whose name server is silent', async () => {
    const silent = await nameServer(() => undefined);
    ends.push(() => silent.close());
    let received = 0;
    const quick = await receiver((_request, response) => {
      received++;
      response.writeHead(200).end();
    });
    const slow = await account('slow');
    for (let hook = 0; hook < 8; hook++) await owed(slow, `http://host${hook}.example/`, 50);
    startSender(new WebhookHosts(new WebhookNetworks(['127.0.0.0/8']), [silent.address]));
    await until('its names are looked up', () => silent.asked() > 0);
    await owed(await account('quick'), `http://127.0.0.1:${quick}/`, 20);
    await until('the other account was told', () => received === 20);
  });
});
