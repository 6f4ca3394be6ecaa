// The suite of the port on both adapters: processes of this machine, and a stand-in for Ray's head whose drivers are in this process.
import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createLog } from '../http/log.ts';
import { type ClusterUnderTest, clusterSuite, type Kind } from '../testing/cluster-suite.ts';
import { standIn } from '../testing/ray/stand-in.ts';
import { ProcessCluster } from './process-cluster.ts';
import { Workers } from './workers.ts';

async function folders() {
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  let count = 0;
  return {
    home,
    order: async (kind: Kind) => {
      const name = `${kind}-${++count}`;
      await mkdir(join(home, name));
      await writeFile(join(home, name, 'job.json'), kind);
      return { name, folder: join(home, name), nodes: 1, gpus: 1, claimed: 1 };
    },
  };
}

const ended = {
  succeeds: { ended: 0, reason: null, peak: 1000 },
  refused: { ended: 2, reason: 'max_steps is wrong', peak: 1000 },
};

/** The protocol of the engine's own worker in six lines of shell. */
const worker = `#!/bin/sh
while read -r line; do case "$line" in
  *succeeds-*) echo '${JSON.stringify(ended.succeeds)}';;
  *refused-*) echo '${JSON.stringify(ended.refused)}';;
  *long-*) folder=$(echo "$line" | cut -d'"' -f4); echo $$ >> "$folder/begun"; while :; do sleep 0.05; done;;
esac; done
`;

clusterSuite('processes of this machine', async (): Promise<ClusterUnderTest> => {
  const { home, order } = await folders();
  await writeFile(join(home, 'python'), worker, { mode: 0o755 });
  const log = createLog({ log_level: 'silent', log_format: 'json' });
  const workers = new Workers(Promise.resolve(join(home, 'python')), log);
  await Promise.resolve();
  const pids = async ({ folder }: { folder: string }) =>
    (await readFile(join(folder, 'begun'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
  return {
    cluster: new ProcessCluster(workers, 2, () => 0),
    order,
    begun: async (run) => (await pids(run)).length,
    works: async (run) => (await pids(run)).some(lives),
    end: async () => {
      await workers.close();
      await rm(home, { recursive: true, force: true });
    },
  };
});

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

clusterSuite('Ray, of a stand-in head', async (): Promise<ClusterUnderTest> => {
  const { home, order } = await folders();
  const { cluster, head, drivers, end } = await standIn({ folder: (name) => join(home, name) });
  head.onSubmit = (job) => {
    const driver = drivers.begin(job);
    const kind = basename(driver.folder).split('-')[0] as Kind;
    if (kind !== 'long') void driver.end(ended[kind].ended, ended[kind].reason);
    // A driver works from its first line on: the count must not lag behind `drivers.living`.
    else appendFileSync(join(driver.folder, 'begun'), '.');
  };
  return {
    cluster,
    order,
    begun: async ({ folder }) => (await readFile(join(folder, 'begun'), 'utf8').catch(() => '')).length,
    works: async ({ folder }) => drivers.living(folder) > 0,
    end: async () => {
      await end();
      await rm(home, { recursive: true, force: true });
    },
  };
});
