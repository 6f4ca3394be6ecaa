// Two servers over one PostgreSQL, one home and one Ray cluster: one queue, never more runs than slots, and each job ends once, also
// where the server that follows it is killed with -9. The head and the drivers are stand-ins in this process.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, it } from 'node:test';
import type { ClusterState, JobEvent, TuningJob } from '@lorekeep/contract';
import { openStore } from '../../store/open.ts';
import { onPostgres, type TestDatabase } from '../../testing/databases.ts';
import { callerOf, endProcesses, type ServerProcess, startProcess } from '../../testing/process.ts';
import { type StandInDriver, standIn } from '../../testing/ray/stand-in.ts';
import { facts, submit } from '../../testing/tuning.ts';
import { until } from '../../testing/until.ts';

const slots = 4;

/** Ends a run with a finished model. */
async function finish(driver: StandInDriver): Promise<void> {
  await mkdir(join(driver.folder, 'model'), { recursive: true });
  const counts = { facts: 1, recalled: 1, experts: 1 };
  await writeFile(join(driver.folder, 'model', 'memory.json'), JSON.stringify({ counts }));
  driver.end(0);
}

async function ownersIn(url: string): Promise<string[]> {
  const store = await openStore(url);
  try {
    const jobs = await store.db.selectFrom('tuning_jobs').select('owner').where('owner', 'is not', null).execute();
    return jobs.map(({ owner }) => owner!);
  } finally {
    await store.close();
  }
}

/** A job was started once and completed once. */
async function assertOnce({ call }: ReturnType<typeof callerOf>, id: number): Promise<void> {
  const { events } = (await call('GET', `/v1/train/jobs/${id}/events`)).body as { events: JobEvent[] };
  const states = events.map(({ status }) => status);
  for (const once of ['LOADING DATA', 'COMPLETED'])
    assert.equal(states.filter((status) => status === once).length, 1, `${id}: ${states.join()}`);
}

/** The server that owns the run of a job, by the process in its name. */
const placeOf = (owner: string, servers: ServerProcess[]) =>
  servers.findIndex(({ pid }) => owner.split('.')[1] === String(pid));

onPostgres('two servers over one Ray cluster', (make) => {
  let database: TestDatabase;
  let home: string;
  let ray: Awaited<ReturnType<typeof standIn>>;
  let servers: ServerProcess[];
  /** The most slots that drivers held at once. */
  let most = 0;
  before(async () => {
    database = await make();
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    ray = await standIn({ folder: (name) => join(home, 'jobs', name) });
    ray.head.onSubmit = (job) => {
      ray.drivers.begin(job);
      const held = living().reduce((sum, driver) => sum + driver.slots, 0);
      most = Math.max(most, held);
    };
    const flags = { home, database_url: database.url, cluster: 'ray', ray_address: ray.address };
    servers = [await startProcess(flags), await startProcess(flags)];
  });
  afterEach(endProcesses);
  after(async () => {
    await ray.end();
    await rm(home, { recursive: true, force: true });
    await database.drop();
  });

  const living = () => ray.drivers.all.filter((driver) => driver.living);

  it('have one queue, follow the runs of a server that was killed, and end each job once', async () => {
    const callers = servers.map(callerOf);
    const jobs: number[] = [];
    for (let count = 0; count < 9; count++) {
      // Jobs of one slot fill no slots as guests, so none of them is started twice.
      jobs.push((await submit(callers[count % 2]!, { data: facts(1, `Two${count}`) })).job_id);
    }
    await until('all slots are taken', async () => living().length === slots);
    const seen = await Promise.all(callers.map(async ({ call }) => (await call('GET', '/v1/cluster')).body));
    for (const { slots_free, waiting, held } of seen as ClusterState[])
      assert.deepEqual([slots_free, waiting, held.length], [0, jobs.length - slots, slots]);
    // The server that owns a run dies; some of its runs end while nobody follows them.
    const [owner] = await ownersIn(database.url);
    const at = placeOf(owner!, servers);
    await servers[at]!.stop('SIGKILL');
    for (const driver of living().slice(0, 2)) await finish(driver);
    const left = callers[1 - at]!;
    await until('every run has been followed to its end', async () => {
      for (const driver of living().slice(0, 1)) await finish(driver);
      const { body } = await left.call('GET', '/v1/train/jobs');
      return (body as TuningJob[]).every(({ status }) => status === 'COMPLETED');
    });
    for (const id of jobs) await assertOnce(left, id);
    assert.equal(ray.head.submissions().length, jobs.length);
    assert.deepEqual([ray.drivers.all.length, ray.head.jobs.size], [jobs.length, jobs.length]);
    assert.equal(most, slots);
    assert.deepEqual(await ownersIn(database.url), []);
  });
});
