// Remaining time of a running job, with estimates of known outcome.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clocked, type KeptProgress, shownProgress } from './job-progress.ts';

const experience = { jobs: 3, fixed: 10, perExpert: 2, peakMemory: null };
const progress: KeptProgress = {
  facts_total: 40,
  facts_done: 0,
  facts_recalled: null,
  experts_total: 20,
  experts_done: 0,
  experts_reused: 5,
  move: null,
  eta_seconds: null,
};
const job = (change: Partial<KeptProgress>, status: Clocked['status'] = 'TRAINING MODEL'): Clocked => ({
  status,
  started_at: 1_000_000,
  gpus: 1,
  nodes: 1,
  progress: JSON.stringify({ ...progress, ...change }),
});
const after = (seconds: number, some: Clocked) =>
  shownProgress(some, experience, 1_000_000 + seconds * 1000).eta_seconds;

describe('the remaining time of a job', () => {
  it('comes from finished jobs before the first wave, and from the engine afterwards', () => {
    assert.equal(after(0, job({})), 40);
    assert.equal(after(15, job({})), 25);
    assert.equal(after(15, job({ eta_seconds: 200, told_at: 1_015_000 })), 200);
    assert.equal(after(75, job({ eta_seconds: 200, told_at: 1_015_000 }, 'EVALUATING MODEL')), 140);
  });

  it('grows if the job takes longer than estimated, and is never 0 while the job runs', () => {
    for (const given of [
      job({}),
      job({ eta_seconds: 8, told_at: 1_000_000 }),
      job({ eta_seconds: 0, told_at: 1_000_000 }),
    ]) {
      const late = [60, 120, 240].map((seconds) => after(seconds, given)!);
      assert.deepEqual(late, [15, 30, 60]);
      for (let second = 0; second < 300; second++) assert.ok(after(second, given)! > 0);
    }
  });

  it('ignores estimates of earlier runs of the job', () => {
    assert.equal(after(0, job({ eta_seconds: 900, told_at: 500_000 })), 40);
  });

  it('is not given for waiting and finished jobs, and internal fields stay hidden', () => {
    assert.equal(after(50, job({}, 'QUEUED')), null);
    assert.equal(after(50, job({ eta_seconds: 0, told_at: 1_000_000 }, 'COMPLETED')), 0);
    assert.equal('told_at' in shownProgress(job({ eta_seconds: 5, told_at: 1_000_000 }), undefined), false);
  });
});
