// The port that computes jobs: the slots, and the runs in them. Adapters: the machine's own processes (process-cluster.ts) and a Ray
// cluster (ray/ray.ts). A run shares only the job's folder with the server, for events and results (docs/reference/tuning-job.md).

export interface Capacity {
  nodes: number;
  /** Slots of each node: GPUs, or processes on a node without GPUs. */
  slots: number;
}

export interface ClusterNode {
  name: string;
  address: string | null;
  /** `unknown`: it was alive when the cluster last answered. */
  state: 'alive' | 'lost' | 'unknown';
  slots: number;
  /** Slots reserved there, with the job of their run; null for replicas of the engine (`serving`), and for work of others. */
  held: { job: string | null; slots: number; serving?: boolean }[];
}

export interface RunOrder {
  /** Name of the job, the same for every run of it. */
  name: string;
  /** Holds job.json and the facts; every node sees it. */
  folder: string;
  nodes: number;
  /** Slots of each node. */
  gpus: number;
  /** Time at which a server claimed the job from the queue: it differs for each claim. */
  claimed: number;
}

export type RunState =
  | { state: 'none' }
  | { state: 'running' }
  | {
      state: 'ended';
      /** Exit status: 0 done, 1 failed, 2 refused, others unknown; null when a signal or the loss of its node ended it. */
      status: number | null;
      /** Further details, for people. */
      reason: string | null;
      peakMemory: number | null;
    };

export interface Cluster {
  /** True if runs of other servers take slots of this same cluster. Otherwise each server has its own. */
  readonly shared: boolean;
  /** True if runs continue without the server that started them; the next server follows them. */
  readonly outlives: boolean;
  capacity(): Promise<Capacity>;
  /** Slots of `capacity` that work of others holds, which no server of ours started. */
  heldByOthers(): Promise<number>;
  /** The largest capacity that a job can request; undefined while unknown. */
  largest(): Promise<Capacity | undefined>;
  /** All nodes, alive or lost, with the holders of their slots. `running`: names of running jobs. */
  nodes(running: readonly string[]): Promise<ClusterNode[]>;
  /** Undefined when runs can be started, else the reason why not yet. */
  unready(): string | undefined;
  /** Reason why a job has to wait, apart from jobs before it, in words that follow "it". */
  waitsFor(order: Pick<RunOrder, 'nodes' | 'gpus'>): Promise<string | undefined>;
  /** True if this claim has a run, alive or ended, which needs no start. */
  follow(order: RunOrder): Promise<boolean>;
  /** Starts work in the folder. A live run of this name is taken over unchanged. */
  start(order: RunOrder): Promise<void>;
  state(name: string): Promise<RunState>;
  /** Resolves when no process of the run computes or writes. */
  stop(name: string): Promise<void>;
  /** Called at shutdown: runs that do not outlive the server are stopped. */
  close(): Promise<void>;
}
