// Display of a running job on a terminal.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TuningJob } from '@lorekeep/client';
import { picture } from './follow-job.ts';

const point = (step: number, loss: number | null) => ({ step, loss, learning_rate: 1e-3, epoch: step / 4 });

const job = (...losses: (number | null)[]) =>
  ({
    status: 'TRAINING MODEL',
    queue_position: null,
    warnings: [] as string[],
    finished_at: null,
    progress: { facts_total: 4, facts_done: 1, experts_total: 4, experts_done: 1, eta_seconds: 3 },
    history: JSON.stringify(losses.map((loss, at) => point(at, loss))),
  }) as TuningJob;

describe('the display of a job', () => {
  it('omits waves without a known loss from the curve', () => {
    assert.ok(picture(job(2, null, 1), 60).includes('loss 2.00, 1.00'));
    assert.equal(picture(job(null), 60).length, 2);
  });

  it('has the newest warning while the job is not over', () => {
    const warned = { ...job(null), warnings: ['a fact is long', 'the disk is full'] };
    assert.deepEqual(picture(warned, 60).slice(2), ['the disk is full']);
    assert.equal(picture({ ...warned, finished_at: '2026-01-01' }, 60).length, 2);
  });

  it('counts the facts of a model that moves', () => {
    const own = job(null);
    const moving = { ...own, progress: { ...own.progress, move: { facts_taken_over: 3, facts_taught_again: 1 } } };
    assert.ok(picture(moving, 60).includes('3 facts taken over, 1 taught again'));
  });
});
