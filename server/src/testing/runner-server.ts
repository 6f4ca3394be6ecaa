// A server of one runner: its store and heartbeat, an account, and a model client whose calls end as the test says.
import { Heartbeat } from '../leases/heartbeat.ts';
import type { Store } from '../store/database.ts';
import { openStore } from '../store/open.ts';
import type { TestDatabase } from './databases.ts';
import { accountRecord } from './records.ts';
import { ScriptedClient } from './scripted-client.ts';

export interface RunnerServer {
  store: Store;
  heartbeat: Heartbeat;
  caller: { account: number; key: number };
  scripted: ScriptedClient;
  /** As after a lost heartbeat: this server has another name, and what it worked on is free. */
  loseLeases(): Promise<void>;
  end(): Promise<void>;
}

export async function runnerServer(database: TestDatabase): Promise<RunnerServer> {
  const store = await openStore(database.url);
  const heartbeat = new Heartbeat(store);
  const beat = async () => await heartbeat.beat({ nodes: 1, slots: 1 });
  await beat();
  return {
    ...{ store, heartbeat, scripted: new ScriptedClient() },
    caller: await accountRecord(store, 'someone'),
    loseLeases: async () => {
      await store.db.deleteFrom('servers').execute();
      heartbeat.forget();
      await beat();
    },
    end: async () => {
      await store.close();
      await database.drop();
    },
  };
}
