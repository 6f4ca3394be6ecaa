// Runs that outlive their server: the next server adopts each, each ends once, and one that was cancelled while no server followed it is
// stopped.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Attempts } from '../../cluster/ray/attempts.ts';
import type { RayCluster } from '../../cluster/ray/ray.ts';
import { ScriptedCluster, schedulerOn, type TestScheduler } from '../../testing/cluster.ts';
import { onDatabase, type TestDatabase } from '../../testing/databases.ts';
import { standIn } from '../../testing/ray/stand-in.ts';
import { jobRecord } from '../../testing/records.ts';
import { until } from '../../testing/until.ts';
import type { Job } from '../queue/transition.ts';

onDatabase('a run that outlives its server', 'PostgreSQL', (make) => {
  let database: TestDatabase;
  let home: string;
  let ray: Awaited<ReturnType<typeof standIn>>;
  let server: TestScheduler<RayCluster>;
  beforeEach(async () => {
    database = await make();
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    ray = await standIn({ folder: (name) => join(home, 'jobs', name), sizeMs: 100 });
    server = await another();
  });
  afterEach(async () => {
    await server.end();
    await ray.end();
    await rm(home, { recursive: true, force: true });
    await database.drop();
  });

  const another = async () => await schedulerOn(database.url, home, ray.make());
  const jobOf = async (id: number): Promise<Job> =>
    await server.store.db.selectFrom('tuning_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const jobWhen = async (id: number, holds: (job: Job) => boolean) => {
    await until('the job is what was waited for', async () => holds(await jobOf(id)));
    return await jobOf(id);
  };
  const tell = async (folder: string, event: object) =>
    await appendFile(join(folder, 'events.ndjson'), `${JSON.stringify(event)}\n`);
  const finish = async () => {
    const driver = ray.drivers.all.at(-1)!;
    await mkdir(join(driver.folder, 'model'), { recursive: true });
    await writeFile(
      join(driver.folder, 'model', 'memory.json'),
      JSON.stringify({ counts: { facts: 1, recalled: 1, experts: 1 } }),
    );
    driver.end(0);
  };
  const eventsOf = async (id: number) =>
    (
      await server.store.db.selectFrom('tuning_events').selectAll().where('job_id', '=', id).orderBy('id').execute()
    ).map(({ status, reason }) => (reason ? `${status}: ${reason}` : status));
  const restart = async () => {
    await server.end();
    server = await another();
  };

  it('continues while servers come and go, and ends once', async () => {
    const { id } = await server.job('one');
    await until('it runs', async () => ray.drivers.all.length === 1);
    const [driver] = ray.drivers.all;
    await tell(driver!.folder, { type: 'state', state: 'TRAINING MODEL' });
    await tell(driver!.folder, { type: 'note', message: 'A worker was lost.' });
    await jobWhen(id, ({ status }) => status === 'TRAINING MODEL');
    const first = server.heartbeat.name;
    await restart();
    const { status } = await jobWhen(id, ({ owner }) => owner !== null && owner !== first);
    assert.equal(status, 'TRAINING MODEL');
    assert.equal(driver!.living, true);
    await restart();
    await finish();
    await jobWhen(id, ({ status, owner }) => status === 'COMPLETED' && owner === null);
    assert.equal(ray.head.submissions().length, 1);
    assert.deepEqual(await eventsOf(id), [
      'CREATED',
      'LOADING DATA',
      'TRAINING MODEL',
      'TRAINING MODEL: A worker was lost.',
      'EVALUATING MODEL',
      'SAVING MODEL',
      'COMPLETED',
    ]);
  });

  it('is left running by a stopping server after the step in flight', async () => {
    await server.job('one');
    await until('it runs', async () => ray.drivers.all.length === 1);
    let [asked, answered] = [false, false];
    server.cluster.state = async () => {
      asked = true;
      await sleep(100);
      answered = true;
      return { state: 'running' };
    };
    await until('it is looked at', async () => asked);
    await server.scheduler.stop();
    assert.equal(answered, true);
  });

  it('does not delay a stopping server, and keeps its owner until its last process has exited', async () => {
    const { id, account } = await server.job('one');
    await until('it runs', async () => ray.drivers.all.length === 1);
    let beats = 0;
    const beat = join(home, 'jobs', 'one', 'runs', '000001.worker.beat');
    const moving = setInterval(() => writeFileSync(beat, String(++beats)), 20);
    await server.jobCommands.cancel(account, id);
    await until('its attempt is closed', async () => !ray.drivers.all[0]!.living);
    await server.scheduler.stop();
    clearInterval(moving);
    assert.notEqual((await jobOf(id)).owner, null);
  });

  it('is submitted once with the stored id if its server died between storing the id and submitting', async () => {
    const { account } = await server.job('other');
    await until('it runs', async () => ray.drivers.all.length === 1);
    await server.folders.create('half');
    const dead = { owner: 'gone.1.0123456789ab', started_at: 7 };
    const attempt = { number: 1, id: 'lk-half-1', nodes: 1, slots: 1, claimed: 7 };
    await new Attempts(join(home, 'jobs', 'half')).create(attempt);
    const id = await jobRecord(server.store, account, { name: 'half', status: 'LOADING DATA', ...dead });
    await until('it runs as well', async () => ray.drivers.all.length === 2);
    await finish();
    await jobWhen(id, ({ status }) => status === 'COMPLETED');
    assert.deepEqual([...ray.head.jobs.keys()], ['lk-other-1', 'lk-half-1']);
  });

  it('is stopped by the next server if it was cancelled while no server followed it', async () => {
    const { id, account } = await server.job('one');
    await until('it runs', async () => ray.drivers.all.length === 1);
    await server.scheduler.stop();
    await server.jobCommands.cancel(account, id);
    assert.equal(ray.drivers.all[0]!.living, true);
    const { store } = server;
    server = await another();
    await jobWhen(id, ({ status, owner }) => status === 'CANCELLED' && owner === null);
    assert.equal(ray.drivers.all[0]!.living, false);
    await store.close();
  });

  it('returns to the queue if the next server has no cluster', async () => {
    const { id } = await server.job('one');
    await until('it runs', async () => ray.drivers.all.length === 1);
    await server.end();
    const local = await schedulerOn(database.url, home, new ScriptedCluster(async () => undefined));
    try {
      await until('it runs here', async () => local.cluster.starts === 1);
      const events = await local.store.db.selectFrom('tuning_events').selectAll().where('job_id', '=', id).execute();
      assert.ok(events.some(({ reason }) => reason === 'its cluster is not in use any more; it goes on here'));
      await new Attempts(join(home, 'jobs', 'one')).closeLast();
      await until('its driver ends', async () => !ray.drivers.all[0]!.living);
    } finally {
      await local.end();
      server = await another();
    }
  });

  it('waits and gives the reason if the cluster does not answer', async () => {
    ray.head.mood = 'broken';
    await restart();
    const { id } = await server.job('one');
    await jobWhen(id, ({ status }) => status === 'QUEUED');
    assert.match((await eventsOf(id)).at(-1)!, /^QUEUED: waits for the cluster: Ray at .* answered 500: RuntimeError/);
    assert.equal(ray.head.submissions().length, 0);
    ray.head.mood = 'ok';
    await until('it runs', async () => ray.drivers.all.length === 1);
  });

  it('begins when work of others gives back the slots, and reports that it waits for them', async () => {
    ray.head.others = [{}, { GPU: 2 }, { GPU: 2 }];
    await server.end();
    const cluster = ray.make();
    await until('the slots are held', async () => (await cluster.heldByOthers()) === 4);
    server = await schedulerOn(database.url, home, cluster);
    const { id } = await server.job('waits');
    await until('it says why it waits', async () =>
      (await eventsOf(id)).includes("QUEUED: waits for a slot; work of others holds 4 of the cluster's 4"),
    );
    assert.equal(ray.head.submissions().length, 0);
    ray.head.others = [];
    await jobWhen(id, ({ status }) => status === 'LOADING DATA');
    // A run is stored as started before it is submitted.
    await until('it is submitted', async () => ray.head.submissions().length === 1);
  });
});
