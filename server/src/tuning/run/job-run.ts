// One run of one job from start to end: reads its events, stops it on request, and records its outcome. Failed writes are retried; a job
// that another server owns by then is left alone.
import type { FastifyBaseLogger } from 'fastify';
import type { Cluster, RunState } from '../../cluster/cluster.ts';
import { isDiskFull } from '../../files/disk-full.ts';
import type { ModelCounts, TunedFolders } from '../../models/tuned-folders.ts';
import type { JobFolders } from '../job-folders.ts';
import type { JobStore } from '../queue/job-store.ts';
import type { Job } from '../queue/transition.ts';
import { readEvents } from './events-file.ts';

/** Interval at which running time is stored, so the most that a killed server loses. */
const countMs = 5_000;

const diskFull = 'The disk is full. Free some space and resume the job.';
const waitsForDisk = 'The disk of the server is full: the job waits. Free some space.';

/** The reason for the owner of a job why a step failed that is retried, if somebody can remove it. */
export const waitingReason = (error: unknown): string | undefined => (isDiskFull(error) ? waitsForDisk : undefined);

export type RunOutcome = 'over' | 'guest' | 'cancelled' | 'timed out' | 'gone';

interface Dependencies {
  jobStore: JobStore;
  cluster: Cluster;
  folders: JobFolders;
  models: TunedFolders;
  timeLimit: number;
  prepare(job: Job): Promise<string | undefined>;
  log: FastifyBaseLogger;
  owner: string;
  onEnd(ended: RunOutcome): void;
}

export class JobRun {
  guest: boolean;
  /** The reason why the last step failed. */
  problem: string | undefined;
  readonly slots: number;
  readonly #job: Job;
  readonly #dependencies: Dependencies;
  readonly #began = performance.now();
  #countedAt = performance.now();
  #read: number;
  /** Reason to stop, once there is one. */
  #stop: Exclude<RunOutcome, 'over'> | undefined;
  #started = false;
  #dropped = false;
  #busy: Promise<void> | undefined;

  constructor(job: Job, guest: boolean, parts: Dependencies) {
    this.#job = job;
    this.guest = guest;
    this.slots = job.slots;
    this.#dependencies = parts;
    this.#read = job.events_read;
  }

  get stopping(): boolean {
    return this.#stop !== undefined;
  }

  stop(why: Exclude<RunOutcome, 'over'>): void {
    // Cancellation takes precedence, for example over preemption.
    if (this.#stop === undefined || why === 'cancelled' || why === 'gone') this.#stop = why;
  }

  begin(): void {
    this.#work(async () => await this.#start());
  }

  tick(): void {
    this.#work(async () => await this.#step());
  }

  /** Runs one step at a time. A failure (of the database, of the disk) is retried at the next tick. */
  #work(work: () => Promise<void>): void {
    if (this.#busy || this.#dropped) return;
    this.#busy = work()
      .then(() => {
        this.problem = undefined;
      })
      .catch((error) => {
        this.problem = waitingReason(error);
        if (!this.#dropped)
          this.#dependencies.log.warn(
            { err: error, job: this.#job.id },
            'the state of a run could not be updated; retrying',
          );
      })
      .finally(() => {
        this.#busy = undefined;
      });
  }

  async #start(): Promise<void> {
    const { jobStore, cluster, folders, models, prepare, owner } = this.#dependencies;
    const { id, name, gpus, nodes } = this.#job;
    if (this.#job.sweep === null ? await models.isModel(name) : await folders.sweepResult(name)) {
      // The model was finished; only its record was missing.
      this.#started = true;
      return await this.#complete(null);
    }
    const order = { name, folder: folders.job(name), nodes, gpus, claimed: this.#job.started_at ?? 0 };
    // The folder of a run that is still alive must not be prepared again.
    if (await cluster.follow(order)) {
      this.#started = true;
      return;
    }
    let problem: string | undefined;
    try {
      // A folder that was fetched anew has no events yet.
      if (await folders.bring(name)) this.#read = 0;
      problem = await prepare(this.#job);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      problem = diskFull;
    }
    if (problem !== undefined) {
      await jobStore.fail(owner, id, problem, this.#ran());
      return await this.#over();
    }
    if (this.#stop === undefined && !this.#dropped) await cluster.start(order);
    this.#started = true;
  }

  async #step(): Promise<void> {
    const { cluster, timeLimit } = this.#dependencies;
    if (this.#stop === undefined && performance.now() - this.#began > timeLimit * 1000) this.stop('timed out');
    if (this.#stop !== undefined) return await this.#halt(this.#stop);
    if (!this.#started) return await this.#start();
    const state = await cluster.state(this.#job.name);
    await this.#tail();
    if (state.state === 'running') return await this.#count();
    await this.#ended(state);
  }

  async #tail(): Promise<void> {
    const { jobStore, folders, owner } = this.#dependencies;
    const found = await readEvents(folders.job(this.#job.name), this.#read);
    if (found.end === this.#read) return;
    if (await jobStore.advance(owner, this.#job.id, found, this.#ran())) this.#read = found.end;
    this.#countedAt = performance.now();
  }

  async #count(): Promise<void> {
    if (performance.now() - this.#countedAt < countMs) return;
    await this.#dependencies.jobStore.count(this.#dependencies.owner, this.#job.id, this.#ran());
    this.#countedAt = performance.now();
  }

  async #ended(state: RunState): Promise<void> {
    const { jobStore, owner } = this.#dependencies;
    const { id } = this.#job;
    if (state.state === 'ended' && state.status === 0) return await this.#complete(state.peakMemory);
    // Its processes were stopped here, which is no failure of the job.
    if (this.#dropped) return;
    const reason = (state.state === 'ended' ? state.reason : null) ?? 'its worker is gone';
    const status = state.state === 'ended' ? state.status : null;
    if (status === 1 || status === 2) await jobStore.fail(owner, id, reason, this.#ran());
    else await jobStore.stumble(owner, id, reason, status === null, this.#ran());
    await this.#over();
  }

  async #complete(peak: number | null): Promise<void> {
    const { jobStore, folders, models, owner } = this.#dependencies;
    const { id, name, sweep } = this.#job;
    if (sweep !== null) return await this.#completeSweep(peak);
    let model: ModelCounts | undefined;
    try {
      model = await models.adopt(folders.modelOf(name), name);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await jobStore.fail(owner, id, diskFull, this.#ran());
      return await this.#over();
    }
    if (!model) await jobStore.stumble(owner, id, 'its worker ended without a model', false, this.#ran());
    else if (await jobStore.complete(owner, id, model, this.#ran(), peak)) await this.#tidy();
    await this.#over();
  }

  async #completeSweep(peak: number | null): Promise<void> {
    const { jobStore, folders, owner } = this.#dependencies;
    const { id, name } = this.#job;
    const result = await folders.sweepResult(name);
    if (!result) await jobStore.stumble(owner, id, 'its worker ended without a result', false, this.#ran());
    else if (await jobStore.completeSweep(owner, id, result, this.#ran(), peak)) await this.#tidy();
    await this.#over();
  }

  /** Stops the processes of a finished run and releases the job, whose lease is held until then. */
  async #over(): Promise<void> {
    const { cluster, jobStore, owner } = this.#dependencies;
    await cluster.stop(this.#job.name);
    await jobStore.release(owner, this.#job.id, this.#ran());
    this.#end('over');
  }

  async #tidy(): Promise<void> {
    const { folders, log } = this.#dependencies;
    const { id, name } = this.#job;
    await folders
      .tidy(name)
      .catch((error) => log.warn({ err: error, job: id }, 'the files of a finished job could not be cleaned up'));
  }

  async #halt(why: Exclude<RunOutcome, 'over'>): Promise<void> {
    const { jobStore, cluster, folders, owner, timeLimit } = this.#dependencies;
    const { id, name } = this.#job;
    // Another server owns the job now and follows the run.
    if (why === 'gone' && cluster.outlives && (await jobStore.exists(id))) return this.#end(why);
    await cluster.stop(name);
    // Waves finished until now are recorded too, if the job is still running in the table.
    await this.#tail().catch(() => {});
    const ran = this.#ran();
    if (why === 'guest')
      await jobStore.requeue(owner, id, 'an earlier job needs its slots; it goes on when there are others', ran);
    if (why === 'timed out') await jobStore.timeOut(owner, id, timeLimit, ran);
    if (why === 'gone') {
      if (!(await jobStore.exists(id))) await folders.remove(name);
    }
    // Also reached if the job was cancelled during the steps above: no process of the run is left.
    await jobStore.release(owner, id, ran);
    this.#end(why);
  }

  /** Total running time of all runs of the job. */
  #ran(): number {
    return this.#job.ran + Math.round(performance.now() - this.#began);
  }

  #end(ended: RunOutcome): void {
    this.#dropped = true;
    this.#dependencies.onEnd(ended);
  }

  /** Drops the run without a result, since another server owns the job now. On a cluster that outlives its servers the processes go on. */
  async drop(): Promise<void> {
    const { cluster } = this.#dependencies;
    this.#dropped = true;
    if (cluster.outlives) return;
    const end = async () => await cluster.stop(this.#job.name).catch(() => {});
    // Not after the step in flight, which may wait for the database; but it may be starting the processes.
    await end();
    await this.#busy;
    await end();
  }

  /** The same as `drop` while this server still owns the job: the running time is stored as well. */
  async leave(): Promise<void> {
    await this.drop();
    const { jobStore, owner, log } = this.#dependencies;
    const { id } = this.#job;
    await jobStore
      .count(owner, id, this.#ran())
      .catch((error) => log.warn({ err: error, job: id }, 'the last slot time of a run could not be recorded'));
  }

  /** Waits for the step in flight, since a stopped server must not write. */
  async settled(): Promise<void> {
    await this.#busy;
  }
}
