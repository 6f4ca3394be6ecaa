// Failures of a Ray cluster, on a stand-in for its head: nothing is submitted twice, no live run counts as lost, and every wait has
// a reason.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endOf } from '../../testing/cluster-suite.ts';
import { standIn } from '../../testing/ray/stand-in.ts';
import { until } from '../../testing/until.ts';
import type { RunOrder } from '../cluster.ts';
import { RayApi } from './api.ts';
import { Attempts, leaseMs } from './attempts.ts';
import type { RayCluster } from './ray.ts';
import { warningsOf } from './warnings.ts';

describe('a Ray cluster', () => {
  let home: string;
  let made: Awaited<ReturnType<typeof standIn>>;
  let order: RunOrder;
  let token: string | undefined;
  let passed = 0;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    await mkdir(join(home, "a job's"));
    order = { name: "a job's", folder: join(home, "a job's"), nodes: 2, gpus: 2, claimed: 1 };
    token = undefined;
    made = await standIn({ folder: (name) => join(home, name), token: async () => token });
    passed = 0;
    const real = performance.now.bind(performance);
    mock.method(performance, 'now', () => real() + passed);
  });
  afterEach(async () => {
    mock.restoreAll();
    await made.end();
    await rm(home, { recursive: true, force: true });
  });

  /** Lets time pass, with polls of the state in between. */
  async function pass(cluster: RayCluster, milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 2_500) {
      passed += Math.min(left, 2_500);
      await cluster.state(order.name);
    }
  }
  const ids = () => [...made.head.jobs.keys()];
  const files = async () => (await readdir(join(order.folder, 'runs'))).sort();

  it('gets a driver that holds no slot, with its id stored first, and arguments quoted for the shell', async () => {
    const { cluster, head } = made;
    head.onSubmit = (job) => void made.drivers.begin({ ...job, entrypoint: job.entrypoint.replaceAll(`'\\''`, "'") });
    await cluster.start(order);
    const [job] = [...head.jobs.values()];
    assert.equal(job!.submission_id, "lk-a job's-1");
    assert.equal(
      job!.entrypoint,
      `cd /engine && exec python -m lorekeep.cluster.ray_driver '${order.folder.replace("'", `'\\''`)}' --attempt 1 --nodes 2 --slots 2 --resource GPU`,
    );
    const { id, nodes, slots, claimed, number, closed } = (await new Attempts(order.folder).last())!;
    assert.deepEqual([id, nodes, slots, claimed, number, closed], ["lk-a job's-1", 2, 2, 1, 1, false]);
  });

  for (const [what, mood] of [
    ['no answer came, though it arrived', 'deaf'],
    ['the head was silent', 'silent'],
    ['the head was broken', 'broken'],
  ] as const)
    it(`gets a submission again, with the same id, if ${what}`, async () => {
      const { cluster, head, drivers } = made;
      order = { ...order, name: 'job', folder: join(home, 'job') };
      await mkdir(order.folder);
      head.mood = mood;
      await cluster.start(order);
      head.mood = 'ok';
      passed += 2_500;
      await until('a driver lives', async () => {
        await cluster.state(order.name);
        passed += 600;
        return drivers.living(order.folder) === 1;
      });
      assert.deepEqual([ids(), drivers.all.length], [['lk-job-1'], 1]);
    });

  it('that answers a second submission of an id with 500 has the run once', async () => {
    const { head } = made;
    const api = new RayApi({ address: made.address, token: async () => undefined, tokenFrom: '', userAgent: 'a' });
    const submission = {
      entrypoint: `exec python -m lorekeep.cluster.ray_driver ${order.folder} --attempt 1`,
      entrypoint_num_cpus: 0,
    };
    head.onSubmit = () => {};
    for (let count = 0; count < 3; count++) await api.submit({ ...submission, submission_id: 'lk-1', metadata: {} });
    assert.deepEqual([ids(), head.submissions().length], [['lk-1'], 3]);
    await assert.rejects(api.delete('lk-1'), /answered 500: RuntimeError: Attempted to delete job 'lk-1'/);
  });

  describe('with a run', () => {
    beforeEach(async () => {
      order = { ...order, name: 'job', folder: join(home, 'job') };
      await mkdir(order.folder);
      await made.cluster.start(order);
    });

    it('that lives is not lost by a false FAILED, a head that forgot it, or one that is unreachable', async () => {
      const { cluster, head, drivers } = made;
      Object.assign(head.jobs.get('lk-job-1')!, { status: 'FAILED', message: 'JOB_SUPERVISOR_ACTOR_DIED' });
      await pass(cluster, 5_000);
      head.jobs.clear();
      await sleep(50);
      await pass(cluster, 5_000);
      head.mood = 'silent';
      for (let count = 0; count < 20; count++) {
        await sleep(25);
        await pass(cluster, 5_000);
      }
      assert.deepEqual(await cluster.state('job'), { state: 'running' });
      assert.equal(drivers.all.length, 1);
      drivers.all[0]!.end(0);
      assert.equal((await endOf(cluster, 'job')).state, 'ended');
    });

    for (const [what, change] of [
      ['Ray says FAILED', () => {}],
      ['a new head knows nothing', () => made.head.jobs.clear()],
    ] as const)
      it(`that is killed is lost after a lease if ${what}, and its successor is another attempt`, async () => {
        const { cluster, drivers } = made;
        drivers.all[0]!.kill();
        change();
        await pass(cluster, 1);
        await pass(cluster, leaseMs - 5_000);
        assert.deepEqual(await cluster.state('job'), { state: 'running' });
        await pass(cluster, 6_000);
        const ended = await endOf(cluster, 'job');
        assert.ok(ended.state === 'ended' && ended.status === null);
        assert.match(ended.reason!, /stopped responding/);
        await cluster.stop('job');
        await cluster.start({ ...order, claimed: 2 });
        assert.equal(drivers.all.at(-1)!.attempt, 2);
        assert.equal(drivers.living(order.folder), 1);
      });

    it('that is killed counts as running while its head is unreachable', async () => {
      const { cluster, head, drivers } = made;
      drivers.all[0]!.kill();
      await head.down(true);
      await pass(cluster, 600_000);
      assert.deepEqual(await cluster.state('job'), { state: 'running' });
      cluster.unready();
      await until('the reason is known', async () =>
        /^Ray at http:.* cannot be reached \(ECONNREFUSED\)$/.test(cluster.unready() ?? ''),
      );
      await head.listen();
      await pass(cluster, leaseMs + 5_000);
      assert.equal((await endOf(cluster, 'job')).state, 'ended');
    });

    it('that is stopped while its head is unreachable ends by its folder', async () => {
      const { cluster, head, drivers } = made;
      head.mood = 'silent';
      await cluster.stop('job');
      assert.equal(drivers.living(order.folder), 0);
      assert.deepEqual(await files(), ['000001.closed', '000001.json']);
    });

    it('that was cut off writes nothing when it comes back after its successor', async () => {
      const { cluster, drivers } = made;
      const [first] = drivers.all;
      first!.kill();
      await new Attempts(order.folder).close(1);
      await cluster.start({ ...order, claimed: 2 });
      // The submission of the first attempt arrives again, late.
      const late = drivers.begin({ ...made.head.jobs.get('lk-job-1')!, submission_id: 'late' });
      assert.equal(late.living, false);
      assert.equal(drivers.living(order.folder), 1);
      assert.deepEqual(await cluster.state('job'), { state: 'running' });
    });

    it('is followed by another server without any state in memory', async () => {
      const { make, drivers, head } = made;
      const other = make();
      assert.equal(await other.follow(order), true);
      await other.start(order);
      assert.deepEqual(await other.state('job'), { state: 'running' });
      drivers.all[0]!.end(1, 'the base is gone');
      passed += 1_000;
      const third = make();
      const ended = await third.state('job');
      assert.deepEqual(ended, { state: 'ended', status: 1, reason: 'the base is gone', peakMemory: 1000 });
      // The end of an earlier claim does not end a later one.
      assert.deepEqual([await third.follow(order), await third.follow({ ...order, claimed: 2 })], [true, false]);
      assert.equal(head.submissions().length, 1);
    });
  });

  it('that never starts a driver is told to stop after a timeout, and the run ends as killed', async () => {
    const { cluster, head } = made;
    order = { ...order, name: 'job', folder: join(home, 'job') };
    await mkdir(order.folder);
    head.onSubmit = () => {};
    await cluster.start(order);
    await pass(cluster, 290_000);
    assert.deepEqual(await cluster.state('job'), { state: 'running' });
    await pass(cluster, 15_000);
    const ended = await endOf(cluster, 'job');
    assert.ok(ended.state === 'ended' && ended.status === null);
    assert.match(ended.reason!, /did not start its driver within 300 seconds/);
    assert.ok(head.calls.includes('POST /api/jobs/lk-job-1/stop'));
  });

  it('reports what is wrong with the token, and uses a rotated one', async () => {
    const { cluster, head } = made;
    const said = async () => {
      const before = head.calls.length;
      passed += 6_000;
      await until('it was asked', async () => {
        cluster.unready();
        return head.calls.length > before;
      });
      await sleep(50);
      return cluster.unready();
    };
    head.token = 'right';
    assert.match((await said())!, /asks for a token \(401\)/);
    token = 'wrong';
    assert.match((await said())!, /refuses the token of FILE \(403\)/);
    assert.match((await cluster.waitsFor(order))!, /^waits for the cluster: Ray at .* refuses the token of FILE/);
    token = 'right';
    assert.equal(await said(), undefined);
    head.token = 'rotated';
    assert.match((await said())!, /403/);
    token = 'rotated';
    assert.equal(await said(), undefined);
  });

  it('refuses nothing before its first answer, and remembers its largest size', async () => {
    const { cluster, head } = made;
    head.nodes = [];
    assert.equal(await cluster.largest(), undefined);
    head.nodes = [{ GPU: 2 }, { GPU: 2 }];
    passed += 6_000;
    await until('it has a size', async () => (await cluster.capacity()).nodes === 2);
    head.nodes = [{ GPU: 2 }];
    passed += 6_000;
    await until('it is smaller', async () => (await cluster.capacity()).nodes === 1);
    assert.deepEqual(await cluster.largest(), { nodes: 2, slots: 2 });
    assert.equal(await cluster.waitsFor(order), 'waits until the cluster has 2 nodes with 2 slots; it has 1 with 2');
    assert.equal(await cluster.waitsFor({ nodes: 1, gpus: 2 }), undefined);
  });

  it('leaves slots to the work of others, and still accepts jobs that fit the whole', async () => {
    const { cluster, head } = made;
    const settle = async (held: number) => {
      await until(`${held} slots are held`, async () => {
        passed += 6_000;
        return (await cluster.heldByOthers()) === held;
      });
    };
    head.others = [{}, { GPU: 1 }];
    await settle(1);
    assert.deepEqual([await cluster.capacity(), await cluster.largest()], Array(2).fill({ nodes: 2, slots: 2 }));
    assert.equal(await cluster.waitsFor(order), "waits for 4 slots; work of others holds 1 of the cluster's 4");
    assert.equal(await cluster.waitsFor({ nodes: 1, gpus: 2 }), undefined);
    // Own runs do not count, whether the report lists them or not.
    order = { ...order, name: 'job', folder: join(home, 'job') };
    await mkdir(order.folder);
    await cluster.start(order);
    passed += 6_000;
    await settle(1);
    head.hidesUsage = true;
    await settle(0);
  });

  it('deletes its own entries a day after their end, and no others', async () => {
    const { cluster, head } = made;
    const { submission_id: own } = await (async () => {
      order = { ...order, name: 'job', folder: join(home, 'job') };
      await mkdir(order.folder);
      await cluster.start(order);
      return head.jobs.get('lk-job-1')!;
    })();
    const mine = head.jobs.get(own)!;
    const day = 86_400_000;
    head.jobs.set('old', { ...mine, submission_id: 'old', status: 'FAILED', end_time: Date.now() - day - 60_000 });
    head.jobs.set('new', { ...mine, submission_id: 'new', status: 'FAILED', end_time: Date.now() - day + 60_000 });
    const others = { ...mine, submission_id: 'theirs', status: 'FAILED' as const, metadata: {}, end_time: 1 };
    head.jobs.set('theirs', others);
    passed += 3_700_000;
    await until('the old one is deleted', async () => {
      await cluster.capacity();
      return !head.jobs.has('old');
    });
    assert.deepEqual(ids(), [own, 'new', 'theirs']);
  });

  it('causes warnings if it is old, or open to a network', async () => {
    const { head } = made;
    const of = async (address: string) => {
      return await warningsOf(new RayApi({ address, token: async () => head.token, tokenFrom: '', userAgent: 'a' }));
    };
    assert.deepEqual(await of(made.address), []);
    head.version = '2.53.1';
    assert.match((await of(made.address)).join(), /^Ray 2\.53\.1 has known vulnerabilities/);
    head.version = '2.54.0';
    assert.deepEqual(await of(made.address), []);
    // Another name of this machine that is not its loopback address.
    const open = made.address.replace('127.0.0.1', '0.0.0.0');
    assert.match((await of(open)).join(), /asks for no token/);
    head.token = 'secret';
    assert.deepEqual(await of(open), []);
  });
});
