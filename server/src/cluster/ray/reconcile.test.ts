// The table of docs/decisions/0018-ray-cluster.md, row by row.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leaseMs } from './attempts.ts';
import { type Folder, firstBeatMs, pendingMs, type RayWord, reconcile } from './reconcile.ts';

const ended = { state: 'ended', status: 0, reason: null, peakMemory: 1 } as const;
const open = (still?: number): Folder => ({ attempt: 'open', ended: undefined, still });
const word = (status: RayWord['status'], since = 0, more: Partial<RayWord> = {}): RayWord => ({
  status,
  since,
  ...more,
});
const over = ['SUCCEEDED', 'FAILED', 'STOPPED'] as const;

function endOf(folder: Folder, ray: RayWord) {
  const step = reconcile(folder, ray);
  assert.equal(step.step, 'end');
  return step as Extract<typeof step, { step: 'end' }>;
}

describe('a run on the cluster', () => {
  it('has the end that its folder records, regardless of Ray', () => {
    for (const ray of [word('FAILED'), word('RUNNING'), word('unknown')])
      assert.deepEqual(endOf({ ...open(0), ended }, ray), { step: 'end', ended, close: false, stop: false });
  });

  it('does not exist before an attempt and after its close', () => {
    for (const attempt of ['none', 'closed'] as const)
      for (const how of [undefined, ended])
        assert.deepEqual(reconcile({ attempt, ended: how, still: undefined }, word('RUNNING')), { step: 'none' });
  });

  it('runs while its heartbeat moves, even if Ray reports FAILED or does not know it, and Ray is not asked', () => {
    for (const ray of [undefined, word('FAILED', 1e9), word('unknown', 1e9)])
      assert.deepEqual(reconcile(open(0), ray), { step: 'wait' });
    assert.deepEqual(reconcile(open(leaseMs - 1), undefined), { step: 'ask' });
    for (const status of [...over, 'unknown', 'RUNNING'] as const)
      assert.deepEqual(reconcile(open(leaseMs - 1), word(status, 1e9)), { step: 'wait' });
  });

  it('waits indefinitely if its heartbeat stands still and Ray is unreachable', () => {
    assert.deepEqual(reconcile(open(1e9), undefined), { step: 'ask' });
    assert.deepEqual(reconcile(open(), undefined), { step: 'ask' });
  });

  it('counts as killed if its heartbeat stands still for a lease, and is stopped if Ray still has it', () => {
    for (const status of [...over, 'unknown', 'RUNNING', 'PENDING'] as const) {
      const { ended, close, stop } = endOf(open(leaseMs), word(status));
      assert.deepEqual([ended.status, close, stop], [null, true, status === 'RUNNING' || status === 'PENDING']);
    }
  });

  it('is submitted, again with the same id, until Ray knows it', () => {
    assert.deepEqual(reconcile(open(), word('unknown', 1e9)), { step: 'submit' });
  });

  it('is given up after a timeout if Ray does not start it, or it never writes', () => {
    for (const [status, limit] of [
      ['PENDING', pendingMs],
      ['RUNNING', firstBeatMs],
    ] as const) {
      assert.deepEqual(reconcile(open(), word(status, limit - 1)), { step: 'wait' });
      const { ended, close, stop } = endOf(open(), word(status, limit));
      assert.deepEqual([ended.status, close, stop], [null, true, true]);
    }
  });

  it('that ended before it began counts as ended after a lease, with the output of its program', () => {
    const failed = (since: number, exitCode?: number) =>
      word('FAILED', since, {
        message: '\u001b[31mpython: not\nfound\u001b[0m',
        ...(exitCode !== undefined && { exitCode }),
      });
    assert.deepEqual(reconcile(open(), failed(leaseMs - 1, 127)), { step: 'wait' });
    const { ended } = endOf(open(), failed(leaseMs, 127));
    assert.deepEqual(
      [ended.status, ended.reason],
      [70, 'its driver ended before it began (Ray says FAILED: python: not found)'],
    );
    // A killed or terminated driver is not at fault.
    for (const code of [undefined, -9, 75, 143]) assert.equal(endOf(open(), failed(leaseMs, code)).ended.status, null);
  });
});
