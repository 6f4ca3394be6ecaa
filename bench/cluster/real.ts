// The part of ./lorekeep bench cluster --real that runs where the server would be, in the network of two real nodes with two slots each:
// a job of one fact on this machine's processes and on Ray, and many facts on 1, 2 and 4 slots.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../server/src/cluster/cluster.ts';
import { ProcessCluster } from '../../server/src/cluster/processes.ts';
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
const workers = new Workers(Promise.resolve(join(checkout, '.setup/engine/bin/python')), log);
const ray = new RayCluster({
  api: new RayApi({ address: rayAddress, token: async () => token, tokenFrom: 'a token', userAgent: 'lorekeep/bench' }),
  folder: (name) => join(home, name),
  program: [python, '-m', 'lorekeep.cluster.ray_driver'],
  environment: { PYTHONPATH: join(checkout, 'engine') },
  ...{ resource: 'GPU', maxNodes: 0, nodeSlots: 0, log },
});
let jobs = 0;

/** Seconds from the start of a run to its end. */
async function seconds(cluster: Cluster, count: number, nodes: number, gpus: number): Promise<number> {
  const name = `job${++jobs}`;
  const folder = join(home, name);
  await mkdir(folder);
  const lines = facts(count).map((fact) => `${JSON.stringify(fact)}\n`);
  await writeFile(join(folder, 'facts.jsonl'), lines.join(''));
  const base = join(checkout, 'models/quill');
  const spec = { format: 1, base, workers: nodes * gpus, device: 'auto', arguments: {} };
  await writeFile(join(folder, 'job.json'), JSON.stringify(spec));
  const begun = performance.now();
  await cluster.start({ name, folder, nodes, gpus, claimed: 1 });
  for (;;) {
    const state = await cluster.state(name);
    if (state.state === 'ended') {
      if (state.status !== 0) throw new Error(`A job of ${count} facts ended: ${JSON.stringify(state)}`);
      break;
    }
    await sleep(50);
  }
  const took = (performance.now() - begun) / 1000;
  await cluster.stop(name);
  return took;
}

try {
  while ((await ray.capacity()).nodes < 2) await sleep(1_000);
  const local = new ProcessCluster(workers, 1, () => 0);
  const cold = await seconds(local, 1, 1, 1);
  const warm = await seconds(local, 1, 1, 1);
  await workers.close();
  const onRay = [await seconds(ray, 1, 1, 1), await seconds(ray, 1, 1, 1), await seconds(ray, 1, 1, 1)];
  const median = onRay.sort((one, other) => one - other)[1]!;
  say('a job of one fact here, in a new process', `${cold.toFixed(1)} s`);
  say('a job of one fact here, in a worker that waits', `${warm.toFixed(1)} s`);
  say('a job of one fact on Ray, median of 3', `${median.toFixed(1)} s`);
  say('overhead of Ray over a new process', `${(median - cold).toFixed(1)} s`);
  let alone = 0;
  for (const [nodes, gpus] of [
    [1, 1],
    [2, 1],
    [2, 2],
  ] as const) {
    const took = await seconds(ray, many, nodes, gpus);
    alone ||= took;
    const slots = `${nodes * gpus} ${nodes * gpus === 1 ? 'slot' : 'slots'} on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
    say(`${many} facts on ${slots}`, `${took.toFixed(1)} s`);
    if (nodes > 1) say(`  times as fast as one slot`, (alone / took).toFixed(2));
  }
} finally {
  await workers.close().catch(() => undefined);
  await rm(home, { recursive: true, force: true });
}
