// The machine's own processes as a cluster of one node. A run is a worker with what it starts; it ends with this server, and its job goes on
// from its last finished wave wherever it is started next.
import type { Capacity, Cluster, RunOrder, RunState } from './cluster.ts';
import { type Worker, WorkerGone } from './worker.ts';
import type { Workers } from './workers.ts';

interface Run {
  slots: number;
  worker: Worker;
  state: RunState;
}

export class ProcessCluster implements Cluster {
  readonly shared = false;
  readonly #workers: Workers;
  readonly #slots: number;
  readonly #runs = new Map<string, Run>();

  constructor(workers: Workers, slots: number) {
    this.#workers = workers;
    this.#slots = slots;
    // The job that comes next takes it; when all slots are taken, the first that is through waits for the next.
    workers.keepOne(() => this.#taken() < slots);
  }

  async capacity(): Promise<Capacity> {
    return { nodes: 1, slots: this.#slots };
  }

  unready(): string | undefined {
    return this.#workers.unready();
  }

  #taken(): number {
    const running = [...this.#runs.values()].filter(({ state }) => state.state === 'running');
    return running.reduce((sum, { slots }) => sum + slots, 0);
  }

  async start({ name, folder, nodes, gpus }: RunOrder): Promise<void> {
    if (this.#runs.get(name)?.state.state === 'running') return;
    const worker = this.#workers.take();
    const run: Run = { slots: nodes * gpus, worker, state: { state: 'running' } };
    this.#runs.set(name, run);
    void this.#work(run, folder);
    this.#workers.prepare();
  }

  async #work(run: Run, folder: string): Promise<void> {
    try {
      const said = await run.worker.order({ tune: folder });
      if (!('ended' in said)) throw new WorkerGone('it answered something else');
      run.state = { state: 'ended', status: said.ended, reason: said.reason, peakMemory: said.peak };
      if (said.ended === 0) this.#workers.giveBack(run.worker);
      else await this.#workers.end(run.worker);
    } catch (error) {
      const ending = error instanceof WorkerGone ? error.message : String(error);
      const code = /^exit code (\d+)$/.exec(ending)?.[1];
      run.state = {
        state: 'ended',
        status: code === undefined ? null : Number(code),
        reason: `its process ended (${ending})`,
        peakMemory: null,
      };
      await this.#workers.end(run.worker);
    }
    this.#workers.prepare();
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
