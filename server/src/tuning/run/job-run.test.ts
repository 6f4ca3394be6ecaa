// Runs with rare outcomes that no real worker produces on demand, on a fake cluster.
import assert from 'node:assert/strict';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JobStatus, Refusal } from '@lorekeep/contract';
import { type Script, type TestScheduler, testScheduler } from '../../testing/cluster.ts';
import { onEveryDatabase, type TestDatabase } from '../../testing/databases.ts';
import { jobRecord, newJob } from '../../testing/records.ts';
import { steadyClock } from '../../testing/steady-clock.ts';
import { until } from '../../testing/until.ts';
import type { Job } from '../queue/transition.ts';

const ended = (status: number | null, reason = 'its process ended') =>
  ({ state: 'ended', status, reason, peakMemory: null }) as const;

onEveryDatabase('a run', (make) => {
  let database: TestDatabase;
  let server: TestScheduler | undefined;
  beforeEach(async () => {
    database = await make();
  });
  afterEach(async () => {
    mock.restoreAll();
    await server?.end();
    server = undefined;
    await database.drop();
  });

  const start = async (script: Script, timeLimit?: number) => {
    server = await testScheduler(database.url, script, timeLimit);
    return server;
  };

  async function jobWhen(id: number, holds: (job: Job) => boolean): Promise<Job> {
    const { store } = server!;
    for (let attempt = 0; ; attempt++) {
      const job = await store.db.selectFrom('tuning_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      if (holds(job)) return job;
      assert.ok(attempt < 1200, `the job did not come to be what was waited for: ${JSON.stringify(job)}`);
      await sleep(50);
    }
  }
  const jobAt = async (id: number, ...wished: JobStatus[]) =>
    await jobWhen(id, ({ status }) => wished.includes(status));

  /** Writes events of finished waves as the engine does. */
  async function tell(folder: string, ...steps: number[]): Promise<void> {
    const progress = { facts_total: 9, facts_done: 1, experts_total: 9, experts_done: 1, experts_reused: 0 };
    const lines = steps.map((step) =>
      JSON.stringify({ type: 'progress', ...progress, eta_seconds: null, history: { step, loss: 1 } }),
    );
    await appendFile(join(folder, 'events.ndjson'), `${lines.join('\n')}\n`);
  }

  it('fails after the second crash in a row without progress', async () => {
    const { job, cluster } = await start(async ({ folder }) => {
      await tell(folder, 1);
      return ended(70);
    });
    const { id } = await job('again');
    const { error } = await jobAt(id, 'FAILED');
    assert.match(error!, /ended repeatedly without a report/);
    // The first report of the wave counted as progress.
    assert.equal(cluster.starts, 2);
  });

  it('continues after any number of kills as long as each run finishes a wave', async () => {
    const { job, cluster } = await start(async ({ folder }, count) => {
      await tell(folder, ...Array.from({ length: count }, (_, step) => step + 1));
      if (count < 12) return ended(null);
      await modelOf(folder);
      return ended(0);
    });
    const { id } = await job('far');
    await jobAt(id, 'COMPLETED');
    assert.equal(cluster.starts, 12);
  });

  async function modelOf(folder: string): Promise<void> {
    await mkdir(join(folder, 'model'), { recursive: true });
    const counts = { facts: 1, recalled: 1, experts: 1 };
    await writeFile(join(folder, 'model', 'memory.json'), JSON.stringify({ counts }));
  }

  it('releases its slots and can be resumed when it is cancelled at its end', async () => {
    const { job, jobCommands, models, jobStore, heartbeat, scheduler } = await start(async ({ folder }) => {
      await modelOf(folder);
      return ended(0);
    });
    const keep = models.adopt.bind(models);
    let cancelled: Promise<void> | undefined;
    // The model is in place, and its record is not written yet.
    models.adopt = async (folder, name) => {
      const counts = await keep(folder, name);
      cancelled ??= jobCommands.cancel(created.account, created.id);
      await cancelled;
      return counts;
    };
    const created = await job('both');
    const stopped = await jobWhen(created.id, ({ status, owner }) => status === 'CANCELLED' && owner === null);
    assert.equal(stopped.model_name, null);
    assert.deepEqual(await jobStore.owned(heartbeat.name), []);
    await jobCommands.resume(created.account, created.id, null, '');
    scheduler.wake();
    assert.equal((await jobAt(created.id, 'COMPLETED')).model_name, 'both');
  });

  it('does not take the alias from a newer job that ended before it', async () => {
    const { job, jobCommands, scheduler, store, folders } = await start(async ({ name, folder }) => {
      if (name === 'long') return undefined;
      await modelOf(folder);
      return ended(0);
    });
    const { id: long, account } = await job('long');
    await jobAt(long, 'LOADING DATA');
    const { id: keyId } = await store.db.selectFrom('keys').select('id').executeTakeFirstOrThrow();
    const named = async (name: string, priority: number) => {
      await folders.create(name);
      return await jobCommands.create(newJob({ name, accountId: account, keyId, custom_model_name: 'bot', priority }));
    };
    const modelsOf = async (alias: string) =>
      (await store.db.selectFrom('model_aliases').selectAll().where('alias', '=', alias).execute()).map(
        ({ model_name }) => model_name,
      );
    const first = await named('first', 2);
    const older = await named('older', 0);
    const newer = await named('newer', 1);
    await jobCommands.cancel(account, long);
    scheduler.wake();
    const ends = [];
    for (const id of [first, newer, older]) ends.push((await jobAt(id, 'COMPLETED')).finished_at!);
    assert.deepEqual(ends, [...ends].sort(), 'the newer one was to end first');
    assert.deepEqual(await modelsOf('bot'), ['newer']);
  });

  it('cannot be resumed while it trains, and is not disturbed by the attempt', async () => {
    const { job, jobCommands } = await start(async ({ folder }) => {
      const state = JSON.stringify({ type: 'state', state: 'TRAINING MODEL' });
      await appendFile(join(folder, 'events.ndjson'), `${state}\n`);
      return undefined;
    });
    const { id, account } = await job('busy');
    const before = await jobAt(id, 'TRAINING MODEL');
    await assert.rejects(jobCommands.resume(account, id, null, ''), (error) => {
      assert.ok(error instanceof Refusal);
      assert.deepEqual([error.status, error.code], [400, 'job_not_resumable']);
      assert.match(error.message, new RegExp(`The job ${id} is TRAINING MODEL\\.`));
      return true;
    });
    const { status, owner, resume_count } = await jobAt(id, 'TRAINING MODEL');
    assert.deepEqual([status, owner, resume_count], [before.status, before.owner, 0]);
  });

  it('releases its slots when it is cancelled while its worker fails or dies silently', async () => {
    const endings = { failed: 1, lost: null };
    const { job, jobCommands, jobStore } = await start(async ({ name }) =>
      ended(endings[name as keyof typeof endings]),
    );
    let created: { id: number; account: number };
    for (const [name, way] of [
      ['failed', 'fail'],
      ['lost', 'stumble'],
    ] as const) {
      const write = jobStore[way].bind(jobStore) as (...args: unknown[]) => Promise<boolean>;
      jobStore[way] = async (...args: unknown[]) => {
        await jobCommands.cancel(created.account, created.id);
        return await write(...args);
      };
      created = await job(name);
      await jobWhen(created.id, ({ status, owner }) => status === 'CANCELLED' && owner === null);
    }
  });

  /** Sets the wall clock forward or back. */
  function setClock(milliseconds: number): void {
    const real = Date.now;
    mock.method(Date, 'now', () => real() + milliseconds);
  }

  /** The monotonic clock, with heartbeats while it advances: a server without them stops its runs. */
  function beatingClock(): (milliseconds: number) => Promise<void> {
    const pass = steadyClock();
    const { store, heartbeat } = server!;
    const own = store.db.selectFrom('servers').select('beat').where('name', '=', heartbeat.name);
    const beat = async () => (await own.executeTakeFirstOrThrow()).beat;
    return async (milliseconds) => {
      for (let left = milliseconds; left > 0; left -= 3_500) {
        const before = await beat();
        pass(Math.min(left, 3_500));
        await until('a heartbeat is written', async () => (await beat()) > before);
      }
    };
  }

  const reasonsOf = async (id: number) =>
    (
      await server!.store.db.selectFrom('tuning_events').selectAll().where('job_id', '=', id).orderBy('id').execute()
    ).map(({ status, reason }) => `${status}: ${reason}`);

  it('is timed by the monotonic clock although the wall clock is set forward and back by a day', async () => {
    const { job, heartbeat, scheduler } = await start(async () => undefined, 20);
    const { id } = await job('long');
    await jobAt(id, 'LOADING DATA');
    const { name } = heartbeat;
    const pass = beatingClock();
    for (const day of [86_400_000, -2 * 86_400_000]) {
      setClock(day);
      const { ran } = await jobAt(id, 'LOADING DATA');
      // The running time is written every five seconds, so the run has been polled by then.
      await pass(6_000);
      scheduler.wake();
      const later = await jobWhen(id, (one) => one.ran > ran + 5_000);
      assert.deepEqual([later.status, later.resume_count, later.owner], ['LOADING DATA', 0, name]);
      assert.ok(later.ran < 20_000);
    }
    await pass(9_000);
    await jobWhen(id, ({ resume_count }) => resume_count === 1);
    const reasons = await reasonsOf(id);
    assert.ok(reasons.includes('TIMED OUT: it ran for 20 seconds, which is the limit'), reasons.join('\n'));
  });

  it('is taken over from a server on another machine once its heartbeat stops, and not before', async () => {
    const { job, store, heartbeat, folders } = await start(async ({ folder }) => {
      await modelOf(folder);
      return ended(0);
    });
    const { account } = await job('first');
    const elsewhere = { name: 'elsewhere.1.0123456789ab', beat: 5, nodes: 1, slots: 1, started_at: 1 };
    await store.db.insertInto('servers').values(elsewhere).execute();
    const run = { name: 'second', owner: elsewhere.name, started_at: 1 };
    await folders.create('second');
    const id = await jobRecord(store, account, { status: 'TRAINING MODEL', ...run });
    const pass = beatingClock();
    const gone = async () => (await heartbeat.deadServers()).map(({ name }) => name);
    assert.deepEqual(await gone(), []);
    await pass(14_000);
    assert.deepEqual(await gone(), []);
    await store.db.updateTable('servers').set({ beat: 6 }).where('name', '=', elsewhere.name).execute();
    assert.deepEqual(await gone(), []);
    await pass(14_000);
    assert.deepEqual(await gone(), []);
    assert.equal((await jobAt(id, 'TRAINING MODEL')).owner, elsewhere.name);
    await pass(2_500);
    await jobAt(id, 'COMPLETED');
    const reasons = await reasonsOf(id);
    assert.equal(reasons[0], 'QUEUED: its server is gone; it goes on from its last finished wave');
    const left = await store.db.selectFrom('servers').select('name').execute();
    assert.deepEqual(
      left.map(({ name }) => name),
      [heartbeat.name],
    );
  });
});
