// Replicas as runs of a cluster: a stand-in head starts real replicas (engine/lorekeep/cluster/replica.py) in front of engines that
// compute nothing.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Attempts } from '../../cluster/ray/attempts.ts';
import { checkout } from '../../config/settings.ts';
import { createLog } from '../../http/log.ts';
import { standIn } from '../../testing/ray/stand-in.ts';
import { until } from '../../testing/until.ts';
import { ConnectedEngine } from '../connected.ts';
import { last } from '../last.ts';
import type { End } from '../protocol.ts';
import { ranked } from './choose.ts';
import { onRay } from './on-ray.ts';
import { Replica } from './replica.ts';
import { ReplicatedEngine } from './replicated.ts';
import { removeStale } from './stale.ts';

const log = createLog({ log_level: 'silent', log_format: 'json' });
const engine = join(import.meta.dirname, '../../testing/stand-in-engine.ts');

describe('replicas on a Ray cluster', () => {
  let home: string;
  let ray: Awaited<ReturnType<typeof standIn>>;
  let group: ReplicatedEngine;
  const processes = new Map<string, ChildProcess>();
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
    const folder = (name: string) => join(home, name);
    // Has the package of the environment of a cluster's nodes, in the same version.
    const python = join(checkout, '.setup/tools/bin/python');
    ray = await standIn({ folder, program: ['python', '-m', 'lorekeep.cluster.ray_replica'] });
    ray.head.onSubmit = (job) => {
      const [, at = '', attempt = ''] = /ray_replica '?(.*?)'? --attempt (\d+)/.exec(job.entrypoint)!;
      const number = at.split('-').at(-1)!;
      const program = [process.execPath, '--disable-warning=ExperimentalWarning', engine, number];
      const words = ['-m', 'lorekeep.cluster.replica', at, '--attempt', attempt, '--program', ...program];
      const child = spawn(python, words, { env: { ...process.env, PYTHONPATH: join(checkout, 'engine') } });
      processes.set(`${number} ${attempt}`, child);
      job.status = 'RUNNING';
    };
    group = new ReplicatedEngine({
      ...{ range: { min: 2, max: 2 }, areElsewhere: true, log },
      start: (number) => {
        const name = `replica-0-${number}`;
        const { transport, place } = onRay({
          ...{ cluster: ray.cluster, name, folder: folder(name), options: [], ports: null },
        });
        return new Replica(number, new ConnectedEngine(Promise.resolve(transport), log), place);
      },
    });
    await untilReady();
  });
  after(async () => {
    await group.stop();
    for (const child of processes.values()) child.kill('SIGKILL');
    await ray.end();
    await rm(home, { recursive: true, maxRetries: 5 });
  });

  const untilReady = async () =>
    await until('both are ready', async () => group.states().every(({ state }) => state === 'ready'));
  const alive = () => [...processes].filter(([, child]) => child.exitCode === null && child.signalCode === null);

  async function answer(prompt: string): Promise<End> {
    return await last(group.generate({ model: 'a', prompt }));
  }

  it('are reached by their sockets, and report their nodes', async () => {
    assert.equal((await answer('')).text, String(ranked('a', group.states())[0]!.number));
    assert.deepEqual(
      group.states().map(({ node }) => node),
      ['127.0.0.1', '127.0.0.1'],
    );
    assert.equal(group.gpus(), 0);
  });

  it('are replaced by another attempt when they die, and their requests are answered by another replica', async () => {
    const first = ranked('a', group.states())[0]!.number;
    const answered = answer(`die ${join(home, 'died')}`);
    assert.equal((await answered).text, String(3 - first));
    await untilReady();
    assert.deepEqual(
      alive()
        .map(([name]) => name)
        .sort(),
      [`${first} 2`, `${3 - first} 1`].sort(),
    );
  });

  it('end with the server', async () => {
    await group.stop();
    await until('all have ended', async () => alive().length === 0);
  });

  it('are given up if their server stops while Ray accepts them', async () => {
    const name = 'replica-2-1';
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { transport } = onRay({
      ...{ name, folder: join(home, name), ports: null, options: [] },
      cluster: {
        unready: () => ray.cluster.unready(),
        state: async () => ({ state: 'running' }),
        start: async ({ claimed }) => {
          asked.resolve();
          await goOn.promise;
          await new Attempts(join(home, name)).create({ number: 1, id: 'one', nodes: 1, slots: 1, claimed });
        },
      },
    });
    const over = Promise.withResolvers<string>();
    const connection = transport({ heard: () => {}, line: () => {}, ended: over.resolve });
    await asked.promise;
    connection.kill();
    assert.equal(await over.promise, 'it was given up');
    goOn.resolve();
    const last = async () => await new Attempts(join(home, name)).last();
    await until('its attempt is closed', async () => (await last())?.closed === true);
    await rm(join(home, name), { recursive: true });
  });

  it('leave nothing behind when their server is gone', async () => {
    const folder = join(home, 'replica-1-1');
    await mkdir(join(folder, 'runs'), { recursive: true });
    await writeFile(join(folder, 'server.beat'), '3');
    const names = async () => (await readdir(home)).filter((name) => name.startsWith('replica-')).sort();
    assert.equal((await names()).length, 3);
    removeStale(home, 'replica-0', log, 10);
    await until('its folder is gone', async () => (await names()).length === 2);
  });
});
