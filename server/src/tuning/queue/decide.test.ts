// Scheduling decisions: jobs never take more than all slots, no slot is idle while a job fits, and no job starves.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../testing/random.ts';
import { decide, type Running } from './decide.ts';

const wait = (...slots: number[]) => slots.map((one, at) => ({ id: 100 + at, slots: one }));
const run = (id: number, slots: number, more: Partial<Running> = {}): Running => ({
  id,
  slots,
  guest: false,
  stopping: false,
  ...more,
});

describe('the queue', () => {
  it('starts as many jobs as fit, in order', () => {
    assert.deepEqual(decide(wait(1, 2, 1), [], 4), {
      start: [100, 101, 102].map((id) => ({ id, guest: false })),
      stop: [],
      settled: true,
      left: 0,
    });
  });

  it('backfills the slots that a waiting job needs with later jobs as guests', () => {
    const { start, settled } = decide(wait(4, 1, 2, 1), [run(1, 2)], 4);
    assert.deepEqual(start, [
      { id: 101, guest: true },
      { id: 103, guest: true },
    ]);
    assert.equal(settled, false);
  });

  it('preempts guests, the last first, only when the waiting job can then start', () => {
    const guests = [run(2, 1, { guest: true }), run(3, 1, { guest: true })];
    assert.deepEqual(decide(wait(4), [run(1, 2), ...guests], 4).stop, []);
    assert.deepEqual(decide(wait(3), [run(1, 1), ...guests], 4).stop, [3, 2]);
    assert.deepEqual(decide(wait(2), [run(1, 1), ...guests], 4).stop, [3]);
  });

  it('reserves slots that are being freed for the waiting job', () => {
    const decision = decide(wait(4, 1), [run(2, 2, { guest: true, stopping: true })], 4);
    assert.deepEqual(decision, { start: [], stop: [], settled: false, left: 0 });
  });

  it('skips jobs that are larger than this cluster', () => {
    assert.deepEqual(decide(wait(8, 1), [], 4).start, [{ id: 101, guest: false }]);
  });

  it('for random sequences of events: never overcommits, never idles, starts every job in the end', () => {
    const random = seededRandom(7);
    for (let course = 0; course < 200; course++) {
      const total = random.between(1, 6);
      let waiting: { id: number; slots: number; work: number }[] = [];
      let running: (Running & { work: number })[] = [];
      let next = 1;
      let maxWait = 0;
      const since = new Map<number, number>();
      for (let time = 0; time < 300; time++) {
        if (time < 200 && random.chance(0.5)) {
          since.set(next, time);
          waiting.push({ id: next++, slots: random.between(1, total), work: random.between(1, 8) });
        }
        // A stopped job returns to its position in the queue.
        for (const one of running.filter(({ stopping }) => stopping))
          waiting.push({ id: one.id, slots: one.slots, work: one.work });
        running = running.filter(({ stopping }) => !stopping);
        waiting.sort((one, other) => one.id - other.id);
        const { start, stop, settled } = decide(waiting, running, total);
        for (const { id, guest } of start) {
          const job = waiting.find((one) => one.id === id)!;
          if (!guest) maxWait = Math.max(maxWait, time - since.get(id)!);
          running.push({ ...job, guest, stopping: false });
          waiting = waiting.filter((one) => one.id !== id);
        }
        for (const one of running) {
          if (stop.includes(one.id)) one.stopping = true;
          if (settled) one.guest = false;
        }
        const taken = running.reduce((sum, { slots }) => sum + slots, 0);
        assert.ok(taken <= total);
        const reserved = running.some(({ stopping }) => stopping);
        if (!reserved) assert.ok(!waiting.some(({ slots }) => slots <= total - taken), 'a slot is idle for no reason');
        for (const one of running) if (!one.stopping) one.work--;
        running = running.filter(({ work }) => work > 0);
      }
      assert.ok(maxWait < 250);
    }
  });
});
