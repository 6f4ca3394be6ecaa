// Cost estimates learned from finished jobs: figures whose line is known before.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Insertable } from 'kysely';
import { Accounts } from '../../accounts/accounts.ts';
import { defaultLimits } from '../../accounts/limits.ts';
import { FolderBlobs } from '../../blobs/folder.ts';
import { loadConfig } from '../../config/load.ts';
import { openStore } from '../../store/open.ts';
import type { TuningJobRow } from '../../store/schema.ts';
import { onEveryDatabase } from '../../testing/databases.ts';
import { jobRecord } from '../../testing/records.ts';
import { type Experience, experienceOf, learned, slowness } from './estimate.ts';

/** A job that trained so many experts, of which it took some over, in so many seconds. */
const ran = (experts: number, seconds: number, { reused = 0, slots = 1, peak = null as number | null } = {}) => ({
  ran: seconds * 1000,
  progress: JSON.stringify({ experts_total: experts, experts_reused: reused }),
  slots,
  peak_memory: peak,
});

function assertLearned(rows: ReturnType<typeof ran>[], expected: Partial<Experience>): void {
  const figures = Object.entries(learned(rows)).map(([name, value]) => [name, value && Number(value.toFixed(6))]);
  const found = Object.fromEntries(figures);
  assert.deepEqual(found, { ...found, ...expected });
}

describe('the cost of jobs', () => {
  it('is a guess before there are any', () => {
    const { jobs, fixed, perExpert, peakMemory } = learned([]);
    assert.ok(jobs === 0 && fixed > 0 && perExpert > 0 && peakMemory === null);
  });

  it('is guessed higher on a machine that is busy, until finished jobs show it', () => {
    assert.equal(slowness({ jobs: 0 }, 0.5, 4), 1);
    assert.equal(slowness({ jobs: 0 }, 15, 2), 8);
    assert.equal(slowness({ jobs: 1 }, 15, 2), 1);
  });

  it('is the line through them for jobs of several sizes', () => {
    assertLearned([ran(10, 3), ran(110, 13)], { jobs: 2, fixed: 2, perExpert: 0.1 });
    assertLearned([ran(10, 3), ran(60, 9), ran(60, 7), ran(110, 13)], { jobs: 4, fixed: 2, perExpert: 0.1 });
  });

  it('counts what each slot trained, and nothing of what was taken over', () => {
    assertLearned([ran(20, 3, { slots: 2 }), ran(110, 13)], { fixed: 2, perExpert: 0.1 });
    assertLearned([ran(1000, 3, { reused: 990 }), ran(110, 13)], { fixed: 2, perExpert: 0.1 });
  });

  it('is that of this size for jobs of one size: the share of an expert is a guess, and never more than all', () => {
    const { fixed, perExpert } = learned([ran(50, 8), ran(50, 10)]);
    assert.ok(fixed > 0 && perExpert > 0);
    assert.equal((fixed + perExpert * 50).toFixed(6), '9.000000');
    assertLearned([ran(1000, 5)], { fixed: 0, perExpert: 0.005 });
  });

  it('is the fixed part for jobs that reused everything', () => {
    assertLearned([ran(50, 3, { reused: 50 }), ran(80, 5, { reused: 80 })], { jobs: 2, fixed: 4 });
    assert.ok(learned([ran(50, 3, { reused: 50 })]).perExpert > 0);
  });

  it('is never below nothing, whatever the line says', () => {
    assertLearned([ran(10, 13), ran(110, 3)], { fixed: 8, perExpert: 0 });
    // A line that would begin below nothing: all that was seen is of the experts.
    assertLearned([ran(50, 1), ran(150, 19)], { fixed: 0, perExpert: 0.1 });
  });

  it('follows most jobs, not one that took far longer', () => {
    assertLearned([ran(10, 3), ran(60, 8), ran(110, 13), ran(20, 700)], { jobs: 4, fixed: 2, perExpert: 0.1 });
  });

  it('of small jobs does not tell what a large one costs', () => {
    const small = [ran(1, 5), ran(2, 6), ran(3, 9), ran(3, 7), ran(4, 12), ran(6, 720)];
    const { fixed, perExpert } = learned(small);
    const seconds = fixed + perExpert * 60;
    assert.ok(seconds > 8 && seconds < 30, String(seconds));
  });

  it('has the most memory that one took', () => {
    assertLearned([ran(10, 3, { peak: 700 }), ran(10, 3, { peak: 900 }), ran(10, 3)], { peakMemory: 900 });
    assertLearned([ran(10, 3)], { peakMemory: null });
  });
});

onEveryDatabase('the jobs that a cost is learned from', (make) => {
  it('are the last that made a model of this base here', async () => {
    const database = await make();
    const store = await openStore(database.url);
    try {
      const { config } = loadConfig({ flags: {}, environment: {} });
      const accounts = new Accounts(store, new FolderBlobs('/nowhere'), defaultLimits(config));
      const account = await accounts.ensureOperator();
      let count = 0;
      const add = async (values: Pick<TuningJobRow, 'status'> & Partial<Insertable<TuningJobRow>>) =>
        await jobRecord(store, account, { ...ran(10, 900, { peak: 9 }), name: `job ${count++}`, ...values });
      const seen = async () => await experienceOf(store, 'lorekeep/quill');
      await add({ status: 'COMPLETED', sweep: '{}' });
      // Imported: it ran elsewhere.
      await add({ status: 'COMPLETED', ran: 0 });
      await add({ status: 'COMPLETED', base_model: 'other/base' });
      for (const status of ['FAILED', 'CANCELLED', 'TRAINING MODEL', 'QUEUED'] as const) await add({ status });
      assert.deepEqual([(await seen()).jobs, (await seen()).peakMemory], [0, null]);
      await add({ status: 'COMPLETED', ...ran(10, 3) });
      await add({ status: 'PARTIALLY COMPLETED', ...ran(110, 13, { peak: 5 }) });
      const { jobs, fixed, perExpert, peakMemory } = await seen();
      assert.deepEqual([jobs, fixed.toFixed(6), perExpert.toFixed(6), peakMemory], [2, '2.000000', '0.100000', 5]);
      for (let count = 0; count < 30; count++) await add({ status: 'COMPLETED', ...ran(10, 7) });
      const later = await seen();
      assert.deepEqual([later.jobs, (later.fixed + later.perExpert * 10).toFixed(6)], [30, '7.000000']);
    } finally {
      await store.close();
      await database.drop();
    }
  });
});
