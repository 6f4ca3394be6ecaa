// The one port through which jobs get computed: what slots there are, and runs in them. Its adapters are the machine's own processes
// (processes.ts) and a Ray cluster (ray/ray.ts). A run and the server share nothing but the job's folder: the run writes events and results there, as docs/reference/tuning-job.md says.

export interface Capacity {
  nodes: number;
  /** Slots of each node: GPUs, or processes on a node without GPUs. */
  slots: number;
}

export interface ClusterNode {
  name: string;
  address: string | null;
  /** `unknown`: it was there when the cluster last answered. */
  state: 'alive' | 'lost' | 'unknown';
  slots: number;
  /** Slots reserved there, by the job whose run has them; null for replicas of the engine (`serving`), and for work of others. */
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
  /** Time at which a server claimed the job from the queue: another one for each time. */
  claimed: number;
}

export type RunState =
  | { state: 'none' }
  | { state: 'running' }
  | {
      state: 'ended';
      /** As of a process: 0 done, 1 failed, 2 refused, others unknown; null when a signal or the loss of its node ended it. */
      status: number | null;
      /** Further details, for people. */
      reason: string | null;
      peakMemory: number | null;
    };

export interface Cluster {
  /** True if runs of other servers take slots of this same cluster. Otherwise each server has its own. */
  readonly shared: boolean;
  /** True if runs go on without the server that started them; the next one follows them. */
  readonly outlives: boolean;
  capacity(): Promise<Capacity>;
  /** Slots of `capacity` that work of others holds, which no server of ours started. */
  heldByOthers(): Promise<number>;
  /** The most that a job can ask for; undefined while that is not known. */
  largest(): Promise<Capacity | undefined>;
  /** Every node that there is or was lost, with what holds its slots. `running` are names of jobs that run. */
  nodes(running: readonly string[]): Promise<ClusterNode[]>;
  /** Undefined when runs can be started, else why not yet. */
  unready(): string | undefined;
  /** Reason for which a job has to wait besides others before it, in words that follow "it". */
  waitsFor(order: Pick<RunOrder, 'nodes' | 'gpus'>): Promise<string | undefined>;
  /** True if a run of this claim is there, living or ended: it needs no start. */
  follow(order: RunOrder): Promise<boolean>;
  /** Starts work in the folder. A run of this name that still lives is taken over unchanged. */
  start(order: RunOrder): Promise<void>;
  state(name: string): Promise<RunState>;
  /** Resolves when no process of the run computes or writes. */
  stop(name: string): Promise<void>;
  /** The server goes: runs that do not outlive it are stopped. */
  close(): Promise<void>;
}
