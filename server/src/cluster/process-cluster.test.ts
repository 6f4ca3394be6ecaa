// Runs as processes of this machine: the reported end of a run, and its GPUs.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../http/log.ts';
import { ProcessCluster } from './process-cluster.ts';
import { Workers } from './workers.ts';

describe('a run of this machine', () => {
  let home: string;
  let workers: Workers | undefined;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  });
  afterEach(async () => {
    await workers?.close();
    await rm(home, { recursive: true, force: true });
  });

  /** A cluster whose workers run this script at their first order. */
  async function clusterOf(script: string, slots: number | 'auto', gpus: number | undefined) {
    const python = join(home, 'python');
    await writeFile(python, `#!/bin/sh\nwhile read -r line; do case "$line" in *tune*) ${script};; esac; done\n`, {
      mode: 0o755,
    });
    workers = new Workers(Promise.resolve(python), createLog({ log_level: 'silent', log_format: 'json' }));
    await Promise.resolve();
    return new ProcessCluster(workers, slots, () => gpus);
  }

  async function endOf(cluster: ProcessCluster, name: string) {
    for (;;) {
      const state = await cluster.state(name);
      if (state.state !== 'running') return state;
      await sleep(20);
    }
  }

  for (const [script, status] of [
    ['kill -9 $$', null],
    // Told to end, or without a heartbeat of its server: engine/lorekeep/tune/worker_process.py.
    ['exit 143', null],
    ['exit 75', null],
    ['exit 3', 3],
  ] as const)
    it(`reports status ${status} for a worker that ends with "${script}"`, async () => {
      const cluster = await clusterOf(script, 1, 0);
      await cluster.start({ name: 'one', folder: home, nodes: 1, gpus: 1, claimed: 1 });
      const state = await endOf(cluster, 'one');
      assert.ok(state.state === 'ended');
      assert.equal(state.status, status);
      assert.match(state.reason!, /its process ended/);
    });

  it('gets the requested number of GPUs of its own, and frees them for later runs', async () => {
    const outputFile = join(home, 'gpus');
    const cluster = await clusterOf(
      `echo "$CUDA_VISIBLE_DEVICES" >> ${outputFile}; while [ ! -e ${home}/go ]; do sleep 0.05; done; exit 3`,
      'auto',
      4,
    );
    assert.deepEqual(await cluster.capacity(), { nodes: 1, slots: 4 });
    const seen = async (count: number) => {
      for (;;) {
        const lines = (await readFile(outputFile, 'utf8').catch(() => '')).split('\n').slice(0, -1);
        if (lines.length === count) return lines;
        await sleep(20);
      }
    };
    await cluster.start({ name: 'one', folder: home, nodes: 1, gpus: 1, claimed: 1 });
    await seen(1);
    await cluster.start({ name: 'two', folder: home, nodes: 1, gpus: 2, claimed: 1 });
    await seen(2);
    await cluster.start({ name: 'three', folder: home, nodes: 1, gpus: 1, claimed: 1 });
    assert.deepEqual(await seen(3), ['0', '1,2', '3']);
    await cluster.stop('two');
    await cluster.start({ name: 'four', folder: home, nodes: 1, gpus: 1, claimed: 1 });
    assert.equal((await seen(4)).at(-1), '1');
    await writeFile(join(home, 'go'), '');
    for (const name of ['one', 'three', 'four']) await endOf(cluster, name);
  });

  it('waits until the number of GPUs is known, and gets no GPU if there is none', async () => {
    const cluster = await clusterOf('exit 3', 'auto', undefined);
    assert.match(cluster.unready()!, /has not reported its device yet/);
    assert.deepEqual(await cluster.capacity(), { nodes: 1, slots: 1 });
    const outputFile = join(home, 'gpus');
    const known = await clusterOf(`echo "<$CUDA_VISIBLE_DEVICES>" > ${outputFile}; exit 3`, 2, 0);
    assert.equal(known.unready(), undefined);
    await known.start({ name: 'one', folder: home, nodes: 1, gpus: 2, claimed: 1 });
    await endOf(known, 'one');
    assert.equal(await readFile(outputFile, 'utf8'), '<>\n');
  });
});
