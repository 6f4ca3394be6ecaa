// Lookups of a webhook's host whose name server is silent.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { nameServer } from '../testing/name-server.ts';
import { until } from '../testing/until.ts';
import { WebhookNetworks } from './networks.ts';
import { WebhookHosts } from './webhook-hosts.ts';

/** More than Node's pool has threads. */
const pipeReaders = 64;

/** Occupies all threads on which the system looks names up, as a silent name server does: each waits for the writer of a pipe. */
function occupyThreads(test: TestContext): void {
  const folder = mkdtempSync(join(tmpdir(), 'lorekeep-resolve-'));
  const pipe = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const readers = Array.from({ length: pipeReaders }, () => promisify(open)(pipe, 'r'));
  test.after(async () => {
    const writer = openSync(pipe, constants.O_RDWR);
    for (const reader of await Promise.all(readers)) closeSync(reader);
    closeSync(writer);
    rmSync(folder, { recursive: true });
  });
}

it('a lookup by the system, and one that waits for it, end when their delivery is aborted', async (test) => {
  const names = await nameServer(() => '');
  test.after(() => names.close());
  const hosts = new WebhookHosts(new WebhookNetworks(['10.0.0.0/8']), [names.address]);
  occupyThreads(test);
  const ended: string[][] = [];
  const look = (host: string) => {
    const delivery = new AbortController();
    void hosts.addresses(host, delivery.signal).then((found) => ended.push(found));
    return delivery;
  };
  const asking = look('one.example');
  await until('the system is asked', () => process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap'));
  const waiting = look('two.example');
  await until('DNS was asked for the second name', () => names.asked() === 2);
  asking.abort();
  await until('the first lookup ends', () => ended.length === 1);
  waiting.abort();
  await until('the second lookup ends', () => ended.length === 2);
  assert.deepEqual(ended, [[], []]);
});
