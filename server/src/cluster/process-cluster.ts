// The machine's own processes as a cluster of one node. A run is a worker with its child processes. It ends with this server, and its job
// resumes from its last finished wave at its next start.
import { availableParallelism, hostname } from 'node:os';
import type { Capacity, Cluster, ClusterNode, RunOrder, RunState } from './cluster.ts';
import { Gpus, gpuNames } from './gpus.ts';
import { type Worker, WorkerGone } from './worker.ts';
import type { Workers } from './workers.ts';

/**
 * Exit codes of a worker that was told to end or lost contact with its server. They count as killed, not as a fault of
 * the worker.
 */
const terminationCodes = ['143', '75'];

interface Run {
  slots: number;
  gpus: readonly string[];
  worker: Worker;
  state: RunState;
}

/** Default number of slots without GPUs. */
const defaultSlots = Math.max(1, Math.floor(availableParallelism() / 2));

export class ProcessCluster implements Cluster {
  readonly shared = false;
  readonly outlives = false;
  readonly #workers: Workers;
  readonly #slots: number | 'auto';
  readonly #seen: () => number | undefined;
  readonly #onEnd: () => void;
  #gpus: Gpus | undefined;
  readonly #runs = new Map<string, Run>();

  /** `seen` returns the number of GPUs once it is known; `onEnd` is called at the end of every run. */
  constructor(workers: Workers, slots: number | 'auto', seen: () => number | undefined, onEnd = () => {}) {
    this.#workers = workers;
    this.#onEnd = onEnd;
    this.#slots = slots;
    this.#seen = seen;
    // The next job takes the prepared worker. When all slots are taken, the first worker that is free waits for the next job.
    workers.keepOne(() => (this.#taken() < this.#total() ? (this.#given()?.next(1) ?? []) : undefined));
  }

  #total(): number {
    if (this.#slots !== 'auto') return this.#slots;
    const gpus = this.#seen();
    // Until the GPUs are known, one slot is counted: a job that needs more might never find them.
    return gpus === undefined ? 1 : gpus || defaultSlots;
  }

  /** Undefined until the number of GPUs is known. */
  #given(): Gpus | undefined {
    const count = this.#seen();
    if (count !== undefined) this.#gpus ??= new Gpus(gpuNames(count, process.env.CUDA_VISIBLE_DEVICES));
    return this.#gpus;
  }

  async capacity(): Promise<Capacity> {
    return { nodes: 1, slots: this.#total() };
  }

  async heldByOthers(): Promise<number> {
    return 0;
  }

  async largest(): Promise<Capacity> {
    return await this.capacity();
  }

  async nodes(): Promise<ClusterNode[]> {
    const runs = [...this.#runs].filter(([name]) => this.#isRunning(name));
    const held = runs.map(([job, { slots }]) => ({ job, slots }));
    return [{ name: hostname(), address: null, state: 'alive', slots: this.#total(), held }];
  }

  async waitsFor(): Promise<undefined> {
    return undefined;
  }

  async follow({ name }: RunOrder): Promise<boolean> {
    return this.#isRunning(name);
  }

  #isRunning(name: string): boolean {
    return this.#runs.get(name)?.state.state === 'running';
  }

  unready(): string | undefined {
    const unknown = this.#seen() === undefined ? 'it has not reported its device yet' : undefined;
    return this.#workers.unready() ?? unknown;
  }

  #taken(): number {
    const running = [...this.#runs.values()].filter(({ state }) => state.state === 'running');
    return running.reduce((sum, { slots }) => sum + slots, 0);
  }

  async start({ name, folder, nodes, gpus }: RunOrder): Promise<void> {
    if (this.#isRunning(name)) return;
    const given = this.#given()?.take(nodes * gpus) ?? [];
    const worker = this.#workers.take(given);
    const run: Run = { slots: nodes * gpus, gpus: given, worker, state: { state: 'running' } };
    this.#runs.set(name, run);
    void this.#work(run, folder);
    this.#workers.prepareLater();
  }

  async #work(run: Run, folder: string): Promise<void> {
    const ended = await outcomeOf(run.worker, folder);
    run.state = ended;
    this.#given()?.release(run.gpus);
    if (ended.status === 0) this.#workers.release(run.worker);
    else await this.#workers.end(run.worker);
    this.#workers.prepare();
    this.#onEnd();
  }

  async state(name: string): Promise<RunState> {
    return this.#runs.get(name)?.state ?? { state: 'none' };
  }

  async stop(name: string): Promise<void> {
    const run = this.#runs.get(name);
    if (run?.state.state === 'running') await this.#workers.end(run.worker);
    this.#runs.delete(name);
  }

  async close(): Promise<void> {
    await this.#workers.close();
  }
}

async function outcomeOf(worker: Worker, folder: string): Promise<Extract<RunState, { state: 'ended' }>> {
  try {
    const reply = await worker.order({ tune: folder });
    if (!('ended' in reply)) throw new WorkerGone('it answered something else');
    return { state: 'ended', status: reply.ended, reason: reply.reason, peakMemory: reply.peak };
  } catch (error) {
    const ending = error instanceof WorkerGone ? error.message : String(error);
    const code = /^exit code (\d+)$/.exec(ending)?.[1];
    const status = code === undefined || terminationCodes.includes(code) ? null : Number(code);
    return { state: 'ended', status, reason: `its process ended (${ending})`, peakMemory: null };
  }
}
