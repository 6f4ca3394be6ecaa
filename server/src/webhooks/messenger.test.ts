// Messages that are owed, when the clock was set back between two attempts.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../http/log.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase } from '../testing/databases.ts';
import { jobRecord } from '../testing/records.ts';
import { Messenger } from './messenger.ts';

onEveryDatabase('a message that was not taken', (make) => {
  it('is sent again after its pause, though the clock was set back by a day', async () => {
    const database = await make();
    const store = await openStore(database.url);
    const heard: string[] = [];
    const receiver = createServer((request, response) => {
      heard.push(String(request.headers['lorekeep-delivery']));
      response.writeHead(heard.length === 1 ? 500 : 204).end();
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const { id: account_id } = await store.db
      .insertInto('accounts')
      .values({ name: 'someone', role: 'member', limits: '{}', created_at: 1, disabled_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    const job_id = await jobRecord(store, account_id, { status: 'COMPLETED' });
    const { id: webhook_id } = await store.db
      .insertInto('webhooks')
      .values({
        ...{ account_id, secret: 'whsec_test', created_at: 1 },
        url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await store.db
      .insertInto('webhook_deliveries')
      .values({ webhook_id, job_id, body: '{}', status: 'waiting', attempts: 0, next_at: 1, created_at: 1 })
      .execute();
    const messenger = new Messenger(store, createLog({ log_level: 'silent', log_format: 'json' }));
    messenger.start();
    const until = async (count: number) => {
      for (let waited = 0; heard.length < count && waited < 20_000; waited += 50) await sleep(50);
      assert.equal(heard.length, count);
    };
    try {
      await until(1);
      const real = Date.now;
      mock.method(Date, 'now', () => real() - 86_400_000);
      await until(2);
      assert.equal(heard[0], heard[1]);
    } finally {
      mock.restoreAll();
      await messenger.stop();
      receiver.close();
      await store.close();
      await database.drop();
    }
  });
});
