// Trusted time under clocks that jump, stand still and disagree: the time used for the removal of old data.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { onEveryDatabase, type TestDatabase } from '../testing/databases.ts';
import { TrustedTime } from './trusted-time.ts';

const hour = 3_600_000;
const day = 24 * hour;
const year = 365 * day;
const begin = Date.parse('2026-11-23T00:00:00Z');

onEveryDatabase('trusted time', (make) => {
  let database: TestDatabase;
  let store: Store;
  let passed: number;
  beforeEach(async () => {
    database = await make();
    store = await openStore(database.url);
    passed = 0;
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  /** A server with an adjustable clock offset. */
  function serverWith(off = 0) {
    const started = passed;
    const clock = { off };
    const time = new TrustedTime(store, { wall: () => begin + passed + clock.off, steady: () => passed - started });
    return { clock, now: async () => (await time.now()) - begin };
  }
  async function run(span: number, ...servers: { now(): Promise<number> }[]): Promise<number[]> {
    let last: number[] = [];
    for (const end = passed + span; passed < end; ) {
      passed += hour;
      last = [];
      for (const server of servers) last.push(await server.now());
    }
    return last;
  }

  it('follows a running clock', async () => {
    const server = serverWith();
    assert.equal(await server.now(), 0);
    assert.deepEqual(await run(30 * day, server), [30 * day]);
  });

  it('does not follow a jump ahead, by one server or across a restart', async () => {
    const server = serverWith();
    await server.now();
    server.clock.off = year;
    assert.deepEqual(await run(3 * day, server), [3 * day]);
    const next = serverWith(year);
    assert.equal(await next.now(), 3 * day);
    assert.deepEqual(await run(3 * day, next), [6 * day]);
    next.clock.off = 0;
    assert.deepEqual(await run(2 * day, next), [8 * day]);
  });

  it('does not follow a jump that is made in small steps', async () => {
    const server = serverWith();
    await server.now();
    for (let round = 0; round < 50; round++) {
      server.clock.off = year + round * hour;
      await run(hour, serverWith(server.clock.off), server);
    }
    assert.ok((await server.now()) <= 50 * hour);
  });

  it('accepts a jump after a week of running', async () => {
    const first = serverWith();
    await first.now();
    const right = serverWith(year);
    await right.now();
    assert.deepEqual(await run(6 * day, right), [6 * day]);
    assert.deepEqual(await run(2 * day, right), [8 * day + year]);
  });

  it('advances by at most a day while the machine is off', async () => {
    await serverWith().now();
    passed += 20 * hour;
    assert.equal(await serverWith().now(), 20 * hour);
    passed += 10 * day;
    assert.equal(await serverWith().now(), 20 * hour);
  });

  it('is never later than the clock of the machine', async () => {
    const server = serverWith();
    await run(2 * day, server);
    server.clock.off = -day;
    assert.equal(await server.now(), day);
    server.clock.off = 0;
    assert.equal(await server.now(), 2 * day);
  });

  it('ignores one server of several with a wrong clock', async () => {
    const servers = [serverWith(), serverWith(year), serverWith()];
    assert.deepEqual(await run(20 * day, ...servers), [20 * day, 20 * day, 20 * day]);
  });
});
