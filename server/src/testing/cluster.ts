// A server's part in the queue on a cluster whose runs do what a test says: for moments that no real worker can be brought to.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Capacity, Cluster, RunOrder, RunState } from '../cluster/cluster.ts';
import { createLog } from '../http/log.ts';
import { Presence } from '../servers/presence.ts';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import { Foreman } from '../tuning/foreman.ts';
import { JobFolders } from '../tuning/job-folders.ts';
import { Ledger } from '../tuning/ledger.ts';
import { JobRequests } from '../tuning/requests.ts';
import { newJob } from './records.ts';

/** What a run does, and how it ends; `undefined`: it runs until it is stopped. */
export type Script = (order: RunOrder, start: number) => Promise<RunState | undefined>;

class ScriptedCluster implements Cluster {
  readonly shared = false;
  readonly #script: Script;
  readonly #runs = new Map<string, RunState>();
  starts = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  async capacity(): Promise<Capacity> {
    return { nodes: 1, slots: 1 };
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

export interface TestForeman {
  store: Store;
  presence: Presence;
  foreman: Foreman;
  ledger: Ledger;
  requests: JobRequests;
  folders: JobFolders;
  cluster: ScriptedCluster;
  /** A job of an account of its own, with its folder. */
  job(name: string): Promise<{ id: number; account: number }>;
  end(): Promise<void>;
}

export async function testForeman(url: string, script: Script, timeLimit = 3600): Promise<TestForeman> {
  const store = await openStore(url);
  const home = await mkdtemp(join(tmpdir(), 'lorekeep-test-'));
  const presence = new Presence(store);
  const [ledger, requests] = [new Ledger(store), new JobRequests(store)];
  const folders = new JobFolders(home, presence.name);
  const cluster = new ScriptedCluster(script);
  const log = createLog({ log_level: 'silent', log_format: 'json' });
  const foreman = new Foreman({ ledger, presence, cluster, folders, timeLimit, prepare: async () => undefined, log });
  await foreman.start();
  return {
    ...{ store, presence, foreman, ledger, requests, folders, cluster },
    job: async (name) => {
      const { id: account } = await store.db
        .insertInto('accounts')
        .values({ name, role: 'member', limits: '{}', created_at: 1, disabled_at: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      const { id: keyId } = await store.db
        .insertInto('keys')
        .values({ account_id: account, name, hash: name, hint: name, prefix: name, scopes: '[]', created_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      await folders.create(name);
      const id = await requests.create(newJob({ name, accountId: account, keyId }));
      foreman.poke();
      return { id, account };
    },
    end: async () => {
      await foreman.stop();
      await store.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
