// The part of ./lorekeep bench cluster --real that runs where the server would be, in the network of two real nodes with two slots each:
// a job of one fact on this machine's processes and on Ray, and many facts on 1, 2 and 4 slots.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../server/src/cluster/cluster.ts';
import { ProcessCluster } from '../../server/src/cluster/process-cluster.ts';
import { RayApi } from '../../server/src/cluster/ray/api.ts';
import { RayCluster } from '../../server/src/cluster/ray/ray.ts';
import { Workers } from '../../server/src/cluster/workers.ts';
import { checkout } from '../../server/src/config/settings.ts';
import { createLog } from '../../server/src/http/log.ts';
import { rayAddress } from '../../server/src/testing/ray/namespaces.ts';
import { facts } from '../../server/src/testing/tuning.ts';

const { RAY_TEST_PYTHON: python = '', RAY_AUTH_TOKEN: token = '' } = process.env;
const many = Number(process.argv[2]);
const say = (what: string, value: string) => process.stdout.write(`${what.padEnd(58)} ${value.padStart(14)}\n`);
const home = await mkdtemp(join(tmpdir(), 'lorekeep-bench-'));
const log = createLog({ log_level: 'silent', log_format: 'json' });
const engine = Promise.resolve(join(checkout, '.setup/engine/bin/python'));
const ray = new RayCluster({
  api: new RayApi({ address: rayAddress, token: async () => token, tokenFrom: 'a token', userAgent: 'lorekeep/bench' }),
  folder: (name) => join(home, name),
  program: [python, '-m', 'lorekeep.cluster.ray_driver'],
  engine: join(checkout, 'engine'),
  ...{ resource: 'GPU', maxNodes: 0, nodeSlots: 0, log },
});
let jobs = 0;

/** Seconds until a run reached each stage, as its folder shows. */
interface Times {
  driver?: number;
  worker?: number;
  facts?: number;
  training?: number;
  measuring?: number;
  model?: number;
  end: number;
}

async function seen(folder: string): Promise<(keyof Times)[]> {
  const events = await readFile(join(folder, 'events.ndjson'), 'utf8').catch(() => '');
  const has = {
    driver: existsSync(join(folder, 'runs/000001.driver.beat')),
    worker: existsSync(join(folder, 'runs/000001.worker-1.log')),
    facts: events.includes('"LOADING DATA"'),
    training: events.includes('"TRAINING MODEL"'),
    measuring: events.includes('"EVALUATING MODEL"'),
    model: existsSync(join(folder, 'model')),
  };
  return (Object.keys(has) as (keyof typeof has)[]).filter((part) => has[part]);
}

async function timed(cluster: Cluster, count: number, nodes: number, gpus: number): Promise<Times> {
  const name = `job${process.pid}-${++jobs}`;
  const folder = join(home, name);
  await mkdir(folder);
  const lines = facts(count).map((fact) => `${JSON.stringify(fact)}\n`);
  await writeFile(join(folder, 'facts.jsonl'), lines.join(''));
  const base = join(checkout, 'models/quill');
  const spec = { format: 1, base, workers: nodes * gpus, device: 'auto', arguments: {} };
  await writeFile(join(folder, 'job.json'), JSON.stringify(spec));
  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 1000;
  const times: Times = { end: 0 };
  await cluster.start({ name, folder, nodes, gpus, claimed: 1 });
  for (;;) {
    for (const part of await seen(folder)) times[part] ??= passed();
    const state = await cluster.state(name);
    if (state.state === 'ended') {
      if (state.status !== 0) throw new Error(`A job of ${count} facts ended: ${JSON.stringify(state)}`);
      break;
    }
    await sleep(50);
  }
  times.end = passed();
  await cluster.stop(name);
  return times;
}

/** One run in a new process, and one in a waiting worker. */
async function here(): Promise<{ cold: Times; warm: Times }> {
  const workers = new Workers(engine, log);
  try {
    const local = new ProcessCluster(workers, 1, () => 0);
    return { cold: await timed(local, 1, 1, 1), warm: await timed(local, 1, 1, 1) };
  } finally {
    await workers.close();
  }
}

const median = (all: Times[]) => all.sort((one, other) => one.end - other.end)[Math.floor(all.length / 2)]!;

function sayTimes(what: string, times: Times): void {
  say(what, `${times.end.toFixed(1)} s`);
  const parts = { driver: 'its driver lives', worker: 'its worker lives', facts: 'it reads the facts' };
  for (const [part, words] of Object.entries({
    ...parts,
    training: 'it trains',
    measuring: 'it measures',
    model: 'the model is written',
  })) {
    const time = times[part as keyof Times];
    if (time !== undefined) say(`  ${words} after`, `${time.toFixed(1)} s`);
  }
}

async function measureOneFact(): Promise<void> {
  // Runs alternate, so that other load affects both alike. The first of each reads files from the disk.
  const local: Awaited<ReturnType<typeof here>>[] = [];
  const onRay: Times[] = [];
  for (let turn = 0; turn < 3; turn++) {
    local.push(await here());
    onRay.push(await timed(ray, 1, 1, 1));
  }
  const cold = median(local.map((one) => one.cold));
  const far = median(onRay);
  sayTimes('a job of one fact here, in a new process, median of 3', cold);
  sayTimes('a job of one fact here, in a worker that waits', median(local.map((one) => one.warm)));
  sayTimes('a job of one fact on Ray, median of 3', far);
  say('overhead of Ray over a new process', `${(far.end - cold.end).toFixed(1)} s`);
}

try {
  while ((await ray.capacity()).nodes < 2) await sleep(1_000);
  await measureOneFact();
  let alone = 0;
  for (const [nodes, gpus] of [
    [1, 1],
    [2, 1],
    [2, 2],
  ] as const) {
    if (many === 0) break;
    const times = await timed(ray, many, nodes, gpus);
    const took = times.end;
    alone ||= took;
    const slots = `${nodes * gpus} ${nodes * gpus === 1 ? 'slot' : 'slots'} on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
    sayTimes(`${many} facts on ${slots}`, times);
    if (nodes > 1) say(`  times as fast as one slot`, (alone / took).toFixed(2));
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
