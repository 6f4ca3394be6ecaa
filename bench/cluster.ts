// ./lorekeep bench cluster --nodes 100: the load of a server by runs on a Ray cluster of so many nodes, one run each. The nodes are
// simulated: a stand-in head and drivers in a process of their own that keep to the protocol (heartbeats every 2 s, events); the
// server's queue, database and polls are the real ones. `--seconds 30` is the measured window. `--real` measures two real
// nodes instead, namespaces of this machine (./lorekeep test --ray sets Ray up; it takes Linux and root): a job of one fact here and
// on Ray, and `--facts 600` on 1, 2 and 4 slots (`--facts 0`: not). `--cores 0.7` limits each node to that share of a core, like a
// machine of its own: without a limit, two nodes share two cores with Ray's head and the server, and one node has them alone.
import { fork, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { RayApi } from '../server/src/cluster/ray/api.ts';
import { Attempts } from '../server/src/cluster/ray/attempts.ts';
import { RayCluster } from '../server/src/cluster/ray/ray.ts';
import { createLog } from '../server/src/http/log.ts';
import type { Store } from '../server/src/store/database.ts';
import { schedulerOn } from '../server/src/testing/cluster.ts';
import { clusterScript, namespaceEnvironment, whyNoNamespaces } from '../server/src/testing/ray/namespaces.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
    facts: { type: 'string', default: '600' },
    real: { type: 'boolean', default: false },
    cores: { type: 'string', default: '' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const row = (what: string, value: string) => say(`${what.padEnd(58)} ${value.padStart(14)}`);

if (values.real) await measureReal();
else await simulate(Number(values.nodes), Number(values.seconds));

interface Looks {
  looks: number;
  ms: number;
}

/** Counts the polls of job folders, and sums their time from call to answer. */
function countLooks(): Looks {
  const counted = { looks: 0, ms: 0 };
  const last = Attempts.prototype.last;
  Attempts.prototype.last = async function (this: Attempts) {
    const begun = performance.now();
    const found = await last.call(this);
    counted.looks++;
    counted.ms += performance.now() - begun;
    return found;
  };
  return counted;
}

async function simulate(nodes: number, seconds: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
  const cluster = fork(join(import.meta.dirname, 'cluster/nodes.ts'), [String(nodes)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const asked = async (what: string): Promise<Told> => {
    const answer = new Promise<Told>((resolve) => cluster.once('message', (told) => resolve(told as Told)));
    cluster.send(what);
    return await answer;
  };
  try {
    const { address } = await asked('address');
    const ray = new RayCluster({
      api: new RayApi({ address, token: async () => undefined, tokenFrom: '', userAgent: 'lorekeep/bench' }),
      folder: (name) => join(home, 'jobs', name),
      program: ['python', '-m', 'lorekeep.cluster.ray_driver'],
      engine: '/engine',
      ...{ resource: 'GPU', maxNodes: 0, nodeSlots: 0 },
      log: createLog({ log_level: 'silent', log_format: 'json' }),
    });
    const server = await schedulerOn(`sqlite:${join(home, 'lorekeep.db')}`, home, ray);
    const counted = countLooks();
    for (let count = 0; count < nodes; count++) await server.job(`job${count}`);
    let told = await asked('figures');
    while (told.living < nodes) {
      await sleep(100);
      told = await asked('figures');
    }
    row('nodes, and runs', String(nodes));
    row('from the first submission to the last', `${(told.submittedIn / 1000).toFixed(1)} s`);
    row('submissions a second', (told.submissions / (told.submittedIn / 1000)).toFixed(1));
    await measureWindow(server.store, asked, counted, nodes, seconds);
    const ended = performance.now();
    await asked('end');
    const open = async () =>
      await server.store.db.selectFrom('tuning_jobs').select('id').where('status', '!=', 'COMPLETED').execute();
    while ((await open()).length > 0) await sleep(100);
    row('from the end of all runs to all jobs COMPLETED', `${((performance.now() - ended) / 1000).toFixed(1)} s`);
    row('submissions of all', String((await asked('figures')).submissions));
    await server.end();
  } finally {
    const gone = new Promise((resolve) => cluster.once('exit', resolve));
    cluster.kill();
    await gone;
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Prints the load of a window in which all runs are alive. */
async function measureWindow(
  store: Store,
  asked: (what: string) => Promise<Told>,
  counted: Looks,
  nodes: number,
  seconds: number,
): Promise<void> {
  const eventsOf = async () =>
    Number(
      (await store.db
        .selectFrom('tuning_events')
        .select((eb) => eb.fn.countAll().as('n'))
        .executeTakeFirst())!.n,
    );
  await sleep(3_000);
  const before = { ...(await asked('figures')), ...counted, events: await eventsOf(), cpu: process.cpuUsage() };
  const begun = performance.now();
  await sleep(seconds * 1000);
  const after = { ...(await asked('figures')), ...counted, events: await eventsOf() };
  const cpu = process.cpuUsage(before.cpu);
  const window = (performance.now() - begun) / 1000;
  const rate = (of: 'looks' | 'calls' | 'events' | 'beats') => (after[of] - before[of]) / window;
  row('looks a second (reconcile)', rate('looks').toFixed(1));
  row(
    'one look, from call to answer, among all',
    `${((after.ms - before.ms) / (after.looks - before.looks)).toFixed(2)} ms`,
  );
  row('CPU of the server, of one core', `${(((cpu.user + cpu.system) / 1e6 / window) * 100).toFixed(1)} %`);
  row('CPU of the server for one run', `${((cpu.user + cpu.system) / 1e3 / window / nodes).toFixed(2)} ms/s`);
  row('heartbeat files read a second', rate('looks').toFixed(1));
  row('heartbeat files written a second, by all nodes', rate('beats').toFixed(1));
  row('events written to the database a second', rate('events').toFixed(1));
  row('calls to the head a second', rate('calls').toFixed(2));
}

interface Told {
  address: string;
  living: number;
  submissions: number;
  submittedIn: number;
  calls: number;
  beats: number;
}

async function measureReal(): Promise<void> {
  const why = whyNoNamespaces();
  if (why) {
    say(`This cannot be measured: ${why}.`);
    process.exitCode = 1;
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-ray-'));
  // Nodes have the same niceness as the processes that they are compared with.
  const environment = { ...namespaceEnvironment(folder), RAY_TEST_NICE: '0', RAY_TEST_CORES: values.cores };
  const script = (...words: string[]) => spawnSync(clusterScript, words, { env: environment, stdio: 'inherit' }).status;
  try {
    if (script('up', '3') !== 0) throw new Error('The cluster did not start.');
    say(`cores of this machine: ${availableParallelism()}${values.cores && `, of each node: ${values.cores}`}`);
    const measure = join(import.meta.dirname, 'cluster/real.ts');
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', measure, values.facts];
    process.exitCode = script('in', ...node) ?? 1;
  } finally {
    script('down');
    await rm(folder, { recursive: true, force: true });
  }
}
