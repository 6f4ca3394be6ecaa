// A server's part in the queue on a cluster whose runs are scripted by a test, for states that a real worker cannot be forced into.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Capacity, Cluster, ClusterNode, RunOrder, RunState } from '../cluster/cluster.ts';
import { createLog } from '../http/log.ts';
import { Heartbeat } from '../leases/heartbeat.ts';
import { TunedFolders } from '../models/tuned-folders.ts';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { JobCommands } from '../tuning/job-commands.ts';
import { JobFolders } from '../tuning/job-folders.ts';
import { JobStore } from '../tuning/queue/job-store.ts';
import { Scheduler } from '../tuning/run/scheduler.ts';
import { accountRecord, newJob } from './records.ts';

/** The script of a run and its end. `undefined`: it runs until it is stopped. */
export type Script = (order: RunOrder, start: number) => Promise<RunState | undefined>;

export class ScriptedCluster implements Cluster {
  readonly shared = false;
  readonly outlives = false;
  readonly #script: Script;
  readonly #runs = new Map<string, RunState>();
  starts = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  async capacity(): Promise<Capacity> {
    return { nodes: 1, slots: 1 };
  }

  async heldByOthers(): Promise<number> {
    return 0;
  }

  async largest(): Promise<Capacity> {
    return await this.capacity();
  }

  async nodes(): Promise<ClusterNode[]> {
    return [{ name: 'here', address: null, state: 'alive', slots: 1, held: [] }];
  }

  async waitsFor(): Promise<undefined> {
    return undefined;
  }

  async follow(): Promise<boolean> {
    return false;
  }

  unready(): undefined {
    return undefined;
  }

  async start(order: RunOrder): Promise<void> {
    this.#runs.set(order.name, { state: 'running' });
    const ended = await this.#script(order, ++this.starts);
    if (ended) this.#runs.set(order.name, ended);
  }

  async state(name: string): Promise<RunState> {
    return this.#runs.get(name) ?? { state: 'none' };
  }

  async stop(name: string): Promise<void> {
    this.#runs.delete(name);
  }

  async close(): Promise<void> {
    this.#runs.clear();
  }
}

export interface TestScheduler<Kind extends Cluster = ScriptedCluster> {
  store: Store;
  heartbeat: Heartbeat;
  scheduler: Scheduler;
  jobStore: JobStore;
  jobCommands: JobCommands;
  folders: JobFolders;
  models: TunedFolders;
  cluster: Kind;
  /** A job of an account of its own, with its folder. */
  job(name: string): Promise<{ id: number; account: number }>;
  end(): Promise<void>;
}

export async function testScheduler(url: string, script: Script, timeLimit = 3600): Promise<TestScheduler> {
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  const server = await schedulerOn(url, home, new ScriptedCluster(script), timeLimit);
  const end = async () => {
    await server.end();
    await rm(home, { recursive: true, force: true });
  };
  return { ...server, end };
}

export async function schedulerOn<Kind extends Cluster>(
  url: string,
  home: string,
  cluster: Kind,
  timeLimit = 3600,
): Promise<TestScheduler<Kind>> {
  const store = await openStore(url);
  const heartbeat = new Heartbeat(store);
  const [jobStore, jobCommands] = [new JobStore(store), new JobCommands(store)];
  const folders = new JobFolders(home, heartbeat.name);
  const models = new TunedFolders(home, heartbeat.name);
  const log = createLog({ log_level: 'silent', log_format: 'json' });
  const scheduler = new Scheduler({
    ...{ jobStore, heartbeat, cluster, folders, models, timeLimit, log },
    prepare: async () => undefined,
  });
  await scheduler.start();
  return {
    ...{ store, heartbeat, scheduler, jobStore, jobCommands, folders, models, cluster },
    job: async (name) => {
      const { account, key: keyId } = await accountRecord(store, name);
      await folders.create(name);
      const id = await jobCommands.create(newJob({ name, accountId: account, keyId }));
      scheduler.wake();
      return { id, account };
    },
    end: async () => {
      await scheduler.stop();
      await store.close();
    },
  };
}
