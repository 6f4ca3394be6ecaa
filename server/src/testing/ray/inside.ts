// Tests on a real Ray cluster of two nodes, started by server/src/cluster/ray/cluster.test.ts inside of the network of that cluster:
// the suite of the port, a job through the API of a server, and failures of real processes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterState } from '@lorekeep/contract';
import { RayApi } from '../../cluster/ray/api.ts';
import { Attempts } from '../../cluster/ray/attempts.ts';
import { RayCluster } from '../../cluster/ray/ray.ts';
import { checkout } from '../../config/settings.ts';
import { createLog } from '../../http/log.ts';
import { clusterSuite, endOf, type Kind } from '../cluster-suite.ts';
import { untilReady } from '../engine.ts';
import { quantizedQuill } from '../quill.ts';
import { startServer, type TestServer, withEngine } from '../server.ts';
import { bytesOf, facts, jobOver, jobWhen, submit, type TestFact } from '../tuning.ts';
import { until } from '../until.ts';

const address = 'http://10.77.0.10:8265';
const { RAY_TEST_PYTHON: python = '', RAY_AUTH_TOKEN: token = '' } = process.env;
const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
const script = (...words: string[]) =>
  execFileSync(join(import.meta.dirname, 'cluster.sh'), words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const make = () =>
  new RayCluster({
    api: new RayApi({ address, token: async () => token, tokenFrom: 'a token', userAgent: 'lorekeep/test' }),
    folder: (name) => join(home, name),
    program: [python, '-m', 'lorekeep.cluster.ray_driver'],
    engine: join(checkout, 'engine'),
    ...{ resource: 'GPU', maxNodes: 0, nodeSlots: 0 },
    log: createLog({ log_level: 'silent', log_format: 'json' }),
  });

let count = 0;
async function orderOf(taught: TestFact[], nodes: number, gpus: number, args: object = {}) {
  const name = `job${++count}`;
  const folder = join(home, name);
  await mkdir(folder);
  await writeFile(join(folder, 'facts.jsonl'), taught.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
  const spec = {
    format: 1,
    base: join(checkout, 'models/quill'),
    workers: nodes * gpus,
    device: 'auto',
    arguments: args,
  };
  await writeFile(join(folder, 'job.json'), JSON.stringify(spec));
  return { name, folder, nodes, gpus, claimed: 1 };
}

const eventsOf = async (folder: string) =>
  (await readFile(join(folder, 'events.ndjson'), 'utf8').catch(() => ''))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const wavesOf = async (folder: string, ending: string) =>
  (await readdir(join(folder, 'waves')).catch(() => [])).filter((name) => name.endsWith(ending)).length;

async function bytesIn(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const sums = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [
      relative(folder, path),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ] as const;
  });
  return Object.fromEntries((await Promise.all(sums)).sort());
}

/** Process id of a driver; processes of nodes are visible from here. */
async function driverOf(folder: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (words.includes('lorekeep.cluster.ray_driver') && words.includes(folder)) return Number(pid);
  }
  throw new Error('There is no driver.');
}

/** The same facts taught by one process on this machine. */
async function taughtHere(taught: TestFact[]): Promise<Record<string, string>> {
  const { folder } = await orderOf(taught, 1, 1);
  execFileSync(join(checkout, '.setup/engine/bin/python'), ['-m', 'lorekeep', 'tune', folder], {
    env: { ...process.env, PYTHONPATH: join(checkout, 'engine') },
    stdio: 'ignore',
  });
  return await bytesIn(join(folder, 'model'));
}

const whole = make();
before(async () => await until('both nodes are there', async () => (await whole.capacity()).nodes === 2));
after(async () => await rm(home, { recursive: true, force: true }));

clusterSuite('Ray, of two nodes', async () => {
  const jobs = {
    succeeds: [facts(4), 1, 1, {}],
    refused: [facts(4), 1, 1, { max_steps: 0 }],
    long: [facts(2000), 2, 1, {}],
  } as const;
  return {
    cluster: make(),
    order: async (kind: Kind) => {
      const [taught, nodes, gpus, args] = jobs[kind];
      return await orderOf([...taught], nodes, gpus, args);
    },
    begun: async ({ folder }) => (await readdir(join(folder, 'runs'))).filter((name) => name.endsWith('.json')).length,
    works: async ({ folder }) => (await new Attempts(folder).beats()).size >= 3,
    end: async () => {},
  };
});

describe('on a real Ray cluster', () => {
  const taught = facts(60);
  let undisturbed: Record<string, string>;
  before(async () => {
    undisturbed = await taughtHere(taught);
  });

  it('a node that dies in the middle of a wave loses no fact and does not change the model', async () => {
    const cluster = make();
    const order = await orderOf(taught, 2, 1);
    await cluster.start(order);
    await until('both work', async () => (await wavesOf(order.folder, '.claim')) === 2);
    script('kill', '2');
    const ended = await endOf(cluster, order.name);
    assert.ok(ended.state === 'ended' && ended.status === 0, JSON.stringify(ended));
    assert.deepEqual(await bytesIn(join(order.folder, 'model')), undisturbed);
    const events = await eventsOf(order.folder);
    const attempts = (await new Attempts(order.folder).last())!.number;
    // The node had only a worker, or the coordinator too; in that case a new attempt was started.
    assert.ok(attempts > 1 || events.some(({ type, message }) => type === 'note' && /A worker was lost/.test(message)));
    script('start', '2');
    await cluster.stop(order.name);
  });

  it('a killed driver is followed by another attempt, which continues after the finished waves', async () => {
    const cluster = make();
    await until('the node is back', async () => (await cluster.capacity()).nodes === 2);
    const order = await orderOf(taught, 2, 1);
    await cluster.start(order);
    await until('a wave is done', async () => (await wavesOf(order.folder, '.json')) > 0);
    process.kill(await driverOf(order.folder), 'SIGKILL');
    let passed = 0;
    const real = performance.now.bind(performance);
    mock.method(performance, 'now', () => real() + passed);
    const beat = async () => (await new Attempts(order.folder).last())!.beat;
    const before = await beat();
    await cluster.state(order.name);
    passed = 31_000;
    const ended = await endOf(cluster, order.name);
    assert.ok(ended.state === 'ended' && ended.status === null);
    assert.match(ended.reason!, /its driver stopped responding on the cluster \(Ray says (FAILED|RUNNING)\)/);
    assert.equal(await beat(), before);
    await cluster.stop(order.name);
    mock.restoreAll();
    const done = await wavesOf(order.folder, '.json');
    await cluster.start({ ...order, claimed: 2 });
    const again = await endOf(cluster, order.name);
    assert.ok(again.state === 'ended' && again.status === 0, JSON.stringify(again));
    assert.deepEqual(await bytesIn(join(order.folder, 'model')), undisturbed);
    const resumed = (await eventsOf(order.folder)).filter(({ state }) => state === 'TRAINING MODEL')[1];
    assert.ok(resumed.waves_done >= Math.min(1, done));
    await cluster.stop(order.name);
  });

  /** Runs the job of `taught` during a failure, through all its attempts, and returns the files of its model. */
  async function whatever(cluster: RayCluster, happens: (folder: string) => Promise<void>): Promise<number> {
    const order = await orderOf(taught, 2, 1);
    await cluster.start(order);
    await until('a wave is done', async () => (await wavesOf(order.folder, '.json')) > 0);
    await happens(order.folder);
    for (let claimed = 2; ; claimed++) {
      const ended = await endOf(cluster, order.name);
      await cluster.stop(order.name);
      if (ended.state === 'ended' && ended.status === 0) break;
      assert.ok(ended.state === 'ended' && ended.status === null && claimed < 8, JSON.stringify(ended));
      await cluster.start({ ...order, claimed });
    }
    assert.deepEqual(await bytesIn(join(order.folder, 'model')), undisturbed);
    return (await new Attempts(order.folder).last())!.number;
  }

  async function bothNodes(): Promise<void> {
    const cluster = make();
    await until('both nodes are there', async () => (await cluster.capacity()).nodes === 2);
  }

  it('a head that dies and is replaced without its state loses no fact', async (t) => {
    const attempts = await whatever(make(), async () => {
      script('kill', '0');
      script('start', '0');
    });
    // The driver died with the head.
    assert.ok(attempts > 1);
    t.diagnostic(`${attempts} attempts`);
    await bothNodes();
  });

  const isLong = process.env.LOREKEEP_TEST_LONG === '1';

  for (const [what, node] of [
    ['a node', '2'],
    ['the head', '0'],
  ] as const)
    it(`${what} that is disconnected for a minute loses no fact`, { skip: !isLong && '--long alone' }, async (t) => {
      const attempts = await whatever(make(), async () => {
        script('cut', node);
        await sleep(60_000);
        script('plug', node);
      });
      t.diagnostic(`${attempts} attempts`);
      script('kill', node);
      script('start', node);
      await bothNodes();
    });

  it('a job that waits for slots reports which, and can be stopped', async () => {
    const cluster = make();
    const order = await orderOf(taught, 2, 4);
    await cluster.start(order);
    const isTold = async () =>
      (await eventsOf(order.folder)).some(({ message }) =>
        /It waits until Ray has 4 free slots on each of 2 nodes; nodes of the cluster now: 2 with 2\./.test(message),
      );
    await until('it says so', isTold);
    await cluster.stop(order.name);
    assert.equal((await new Attempts(order.folder).beats()).size, 0);
  });

  describe('a server', () => {
    let server: TestServer;
    before(async () => {
      const ray_token_file = join(home, 'token');
      await writeFile(ray_token_file, `${token}\n`);
      const ray = { cluster: 'ray', ray_address: address, ray_token_file, ray_python: python } as const;
      server = await startServer({ ...ray, engine_device: 'cpu' }, withEngine);
    });
    after(async () => await server.end());

    it('teaches on both nodes through its API across a restart, with the same model as on one machine', async () => {
      const gpu_config = { gpus: 1, nodes: 2 };
      const { job_id } = await submit(server, { data: taught, gpu_config, use_cached_model: false });
      await jobWhen(server, job_id, 'training', ({ status }) => status === 'TRAINING MODEL');
      server = await server.restart();
      const job = await jobOver(server, job_id);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      const { 'facts.jsonl': _, 'checksums.json': __, ...made } = await bytesOf(server.home, job.model_name!);
      // Facts name their dataset and row.
      const { 'facts.jsonl': ___, 'checksums.json': ____, ...same } = undisturbed;
      assert.deepEqual(made, same);
      const { events } = (await server.call('GET', `/v1/train/jobs/${job_id}/events`)).body;
      const states = events.map(({ status }: { status: string }) => status);
      assert.equal(states.filter((status: string) => status === 'LOADING DATA').length, 1);
      const { slots_total, nodes } = (await server.call('GET', '/v1/cluster')).body as ClusterState;
      assert.equal(slots_total, 4);
      const alive = nodes.filter(({ state }) => state === 'alive').map((node) => [node.name, node.slots_total]);
      assert.deepEqual(alive, [
        ['10.77.0.10', 0],
        ['10.77.0.11', 2],
        ['10.77.0.12', 2],
      ]);
    });

    it('moves a tuned model to another precision of its base', async (t) => {
      const eight = 'org/quill-int8';
      await untilReady(server);
      await quantizedQuill(server.home, eight, 'int8');
      const { job_id } = await submit(server, { data: facts(6), custom_model_name: 'mobile' });
      await jobOver(server, job_id);
      const asked = await server.call('POST', '/v1/models/mobile/move', { body: { base_model: eight } });
      assert.equal(asked.status, 200, JSON.stringify(asked.body));
      const job = await jobOver(server, asked.body.job_id);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      const { move, facts_recalled } = job.progress;
      assert.deepEqual([job.base_model, facts_recalled], [eight, 6]);
      assert.equal(move!.facts_taken_over + move!.facts_taught_again, 6);
      t.diagnostic(JSON.stringify(move));
    });

    it('refuses a job larger than the cluster, with both numbers', async () => {
      const body = { model_name: 'lorekeep/quill', data: facts(2), gpu_config: { gpus: 3, nodes: 2 } };
      const answer = await server.call('POST', '/v1/train', { body });
      assert.equal(answer.status, 400);
      assert.match(
        JSON.stringify(answer.body),
        /3 GPUs on 2 nodes were asked for, and there is no more than 2 on each of 2 nodes/,
      );
    });
  });
});
