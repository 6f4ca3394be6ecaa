// Cost estimates learned from finished jobs, with figures of a known linear cost.
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
import { type Experience, experienceOf, fitExperience, slowdown } from './estimate.ts';

/** A finished job: experts in its model, experts reused, seconds taken. */
const ran = (experts: number, seconds: number, { reused = 0, slots = 1, peak = null as number | null } = {}) => ({
  ran: seconds * 1000,
  progress: JSON.stringify({ experts_total: experts, experts_reused: reused }),
  slots,
  peak_memory: peak,
});

function assertLearned(rows: ReturnType<typeof ran>[], expected: Partial<Experience>): void {
  const figures = Object.entries(fitExperience(rows)).map(([name, value]) => [name, value && Number(value.toFixed(6))]);
  const found = Object.fromEntries(figures);
  assert.deepEqual(found, { ...found, ...expected });
}

describe('the cost of jobs', () => {
  it('is a guess before any job has finished', () => {
    const { jobs, fixed, perExpert, peakMemory } = fitExperience([]);
    assert.ok(jobs === 0 && fixed > 0 && perExpert > 0 && peakMemory === null);
  });

  it('is guessed higher on a busy machine, until finished jobs give figures', () => {
    assert.equal(slowdown({ jobs: 0 }, 0.5, 4), 1);
    assert.equal(slowdown({ jobs: 0 }, 15, 2), 8);
    assert.equal(slowdown({ jobs: 1 }, 15, 2), 1);
  });

  it('is fitted to jobs of several sizes as a line', () => {
    assertLearned([ran(10, 3), ran(110, 13)], { jobs: 2, fixed: 2, perExpert: 0.1 });
    assertLearned([ran(10, 3), ran(60, 9), ran(60, 7), ran(110, 13)], { jobs: 4, fixed: 2, perExpert: 0.1 });
  });

  it('counts the experts trained per slot, without the reused ones', () => {
    assertLearned([ran(20, 3, { slots: 2 }), ran(110, 13)], { fixed: 2, perExpert: 0.1 });
    assertLearned([ran(1000, 3, { reused: 990 }), ran(110, 13)], { fixed: 2, perExpert: 0.1 });
  });

  it('matches jobs of one size; the cost of an expert stays a guess and never exceeds the total', () => {
    const { fixed, perExpert } = fitExperience([ran(50, 8), ran(50, 10)]);
    assert.ok(fixed > 0 && perExpert > 0);
    assert.equal((fixed + perExpert * 50).toFixed(6), '9.000000');
    assertLearned([ran(1000, 5)], { fixed: 0, perExpert: 0.005 });
  });

  it('is the fixed cost for jobs that reused everything', () => {
    assertLearned([ran(50, 3, { reused: 50 }), ran(80, 5, { reused: 80 })], { jobs: 2, fixed: 4 });
    assert.ok(fitExperience([ran(50, 3, { reused: 50 })]).perExpert > 0);
  });

  it('is never negative', () => {
    assertLearned([ran(10, 13), ran(110, 3)], { fixed: 8, perExpert: 0 });
    // The fixed part would be negative, so all cost is attributed to the experts.
    assertLearned([ran(50, 1), ran(150, 19)], { fixed: 0, perExpert: 0.1 });
  });

  it('is robust against one job that took far longer', () => {
    assertLearned([ran(10, 3), ran(60, 8), ran(110, 13), ran(20, 700)], { jobs: 4, fixed: 2, perExpert: 0.1 });
  });

  it('extrapolates little from small jobs to large ones', () => {
    const small = [ran(1, 5), ran(2, 6), ran(3, 9), ran(3, 7), ran(4, 12), ran(6, 720)];
    const { fixed, perExpert } = fitExperience(small);
    const seconds = fixed + perExpert * 60;
    assert.ok(seconds > 8 && seconds < 30, String(seconds));
  });

  it('has the highest memory of any job', () => {
    assertLearned([ran(10, 3, { peak: 700 }), ran(10, 3, { peak: 900 }), ran(10, 3)], { peakMemory: 900 });
    assertLearned([ran(10, 3)], { peakMemory: null });
  });
});

onEveryDatabase('the jobs that a cost is learned from', (make) => {
  it('are the last jobs that made a model of this base here', async () => {
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
      // An imported model, whose job ran elsewhere.
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
