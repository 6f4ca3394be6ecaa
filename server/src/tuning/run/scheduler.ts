// Scheduler of one server. Each tick of its loop writes the heartbeat, takes over jobs of dead servers, follows its own runs, and starts
// waiting jobs. Its only state besides the tables is the list of its runs. A fence with a timer of its own stops the runs when no heartbeat
// could be written for too long, since a tick may wait for the database.
import type { FastifyBaseLogger } from 'fastify';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Heartbeat } from '../../leases/heartbeat.ts';
import type { TunedFolders } from '../../models/tuned-folders.ts';
import type { JobFolders } from '../job-folders.ts';
import type { Decision, Running } from '../queue/decide.ts';
import type { JobStore } from '../queue/job-store.ts';
import { isRunning } from '../queue/states.ts';
import type { Job } from '../queue/transition.ts';
import { JobRun, type RunOutcome, waitingReason } from './job-run.ts';

const tickMs = 250;
/** Interval of the checks for dead servers. */
const deadServersMs = 1_000;
const claimMs = 1_000;
/** Placeholder id in `Running` for work on a shared cluster that is not a job. */
const foreignWorkId = -1;

interface Dependencies {
  jobStore: JobStore;
  heartbeat: Heartbeat;
  cluster: Cluster;
  folders: JobFolders;
  models: TunedFolders;
  /** Longest uninterrupted run, in seconds. */
  timeLimit: number;
  /** Writes the files that the engine needs to begin. Returns the reason if the job cannot run. */
  prepare(job: Job): Promise<string | undefined>;
  /** Called when a run has ended in any way. */
  onEnd?: () => void;
  log: FastifyBaseLogger;
}

export class Scheduler {
  readonly #dependencies: Dependencies;
  /** Runs of this server in the order of start. */
  readonly #runs = new Map<number, JobRun>();
  #timers: NodeJS.Timeout[] = [];
  #busy: Promise<void> | undefined;
  #tickPending = false;
  /** The reason why the last tick failed. */
  #problem: string | undefined;
  #stopped = false;
  #deadServersCheckedAt = Number.NEGATIVE_INFINITY;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #changed = true;

  constructor(parts: Dependencies) {
    this.#dependencies = parts;
  }

  async start(): Promise<void> {
    const { heartbeat, cluster, jobStore } = this.#dependencies;
    await heartbeat.beat(await cluster.capacity());
    if (!cluster.outlives) await jobStore.disown('its cluster is not in use any more; it goes on here');
    this.#timers = [() => this.tick(), () => this.#fence()].map((task) => setInterval(task, tickMs).unref());
    this.tick();
  }

  /** Ticks at once and reads the queue, since something has changed. */
  wake(): void {
    this.#changed = true;
    this.tick();
  }

  tick(): void {
    if (this.#stopped) return;
    if (this.#busy) {
      this.#tickPending = true;
      return;
    }
    this.#busy = this.#runOnce()
      .then(() => {
        this.#problem = undefined;
      })
      .catch((error) => {
        this.#problem = waitingReason(error);
        this.#logError(error);
      })
      .finally(() => {
        this.#busy = undefined;
        const tickPending = this.#tickPending;
        this.#tickPending = false;
        if (tickPending) setImmediate(() => this.tick());
      });
  }

  async #runOnce(): Promise<void> {
    const { heartbeat, cluster } = this.#dependencies;
    if ((await heartbeat.beat(await cluster.capacity())) === 'lost')
      return this.#dropRuns('other servers consider this one dead');
    await this.#takeOver();
    await this.#follow();
    await this.#claim();
  }

  #fence(): void {
    if (this.#dependencies.heartbeat.isSilent() && this.#runs.size > 0)
      this.#dropRuns('the database cannot be reached');
  }

  /** Stops all workers of this machine, since another server may own their jobs by now. */
  #dropRuns(why: string): void {
    const { heartbeat, log } = this.#dependencies;
    if (this.#runs.size > 0) log.error(`stopping the workers of ${this.#runs.size} jobs: ${why}`);
    heartbeat.forget();
    // A run takes its slots until its processes have ended.
    for (const [id, run] of this.#runs) void run.drop().then(() => this.#remove(id, run));
  }

  #remove(id: number, run: JobRun): void {
    if (this.#runs.get(id) === run) this.#runs.delete(id);
  }

  async #takeOver(): Promise<void> {
    const { heartbeat, jobStore, cluster, log } = this.#dependencies;
    const keeps = cluster.outlives;
    if (performance.now() - this.#deadServersCheckedAt < deadServersMs) return;
    this.#deadServersCheckedAt = performance.now();
    for (const { name, beat } of await heartbeat.deadServers()) {
      this.#changed = true;
      const jobs = await jobStore.takeOver(
        name,
        beat,
        'its server is gone; it goes on from its last finished wave',
        keeps,
      );
      log.info({ server: name, jobs }, 'requeued the jobs of a dead server');
    }
    if (!keeps) return;
    const { name } = heartbeat;
    // Cancelled jobs are adopted as well, since no server has stopped their runs.
    const adopted = await jobStore.adopt(name);
    if (this.#isStill(name)) for (const job of adopted) this.#begin(job, false);
  }

  /** Whether this server still owns what it claimed under a name: the answer may arrive after others have taken it over. */
  #isStill(name: string): boolean {
    const { heartbeat } = this.#dependencies;
    if (heartbeat.isSilent()) this.#dropRuns('the database answers too late');
    return heartbeat.name === name;
  }

  /** Compares the runs with the table and stops those whose job was cancelled or deleted. */
  async #follow(): Promise<void> {
    const { jobStore, heartbeat } = this.#dependencies;
    if (this.#runs.size === 0) return;
    const owned = new Map((await jobStore.owned(heartbeat.name)).map((job) => [job.id, job]));
    for (const [id, run] of this.#runs) {
      const job = owned.get(id);
      if (!job) run.stop('gone');
      else if (!isRunning(job.status)) run.stop('cancelled');
      run.tick();
    }
  }

  async #claim(): Promise<void> {
    const { jobStore, heartbeat, cluster } = this.#dependencies;
    // The queue is read after a change and at intervals, since other servers do not announce the end of their runs.
    if (!this.#changed && performance.now() - this.#claimedAt < claimMs) return;
    if (!(await jobStore.hasWaiting())) return this.#endGuests();
    this.#changed = false;
    this.#claimedAt = performance.now();
    const { nodes, slots } = await cluster.capacity();
    const ready = cluster.unready() === undefined;
    const held = await cluster.heldByOthers();
    const { name } = heartbeat;
    const { started, decision } = await jobStore.claim(
      name,
      nodes * slots,
      (job) => ready && job.nodes <= nodes && job.gpus <= slots && !this.#runs.has(job.id),
      (taken) => this.#running(taken, held),
      { shared: cluster.shared, waitsFor: (job) => cluster.waitsFor(job) },
    );
    if (!this.#isStill(name)) return;
    const guests = new Set(decision.start.filter(({ guest }) => guest).map(({ id }) => id));
    for (const job of started) this.#begin(job, guests.has(job.id));
    this.#apply(decision);
  }

  #apply({ stop, settled }: Decision): void {
    for (const id of stop) this.#runs.get(id)?.stop('guest');
    if (settled) this.#endGuests();
  }

  /** Makes guests ordinary jobs, since no job waits for their slots. */
  #endGuests(): void {
    for (const run of this.#runs.values()) run.guest = false;
  }

  /** Everything that takes slots: own runs including those being stopped, and on a shared cluster the runs of other servers and work that
   * is not ours. */
  #running(taken: Job[], heldByOthers: number): Running[] {
    const own = [...this.#runs].map(([id, { slots, guest, stopping }]) => ({ id, slots, guest, stopping }));
    const others = taken.filter(({ id }) => !this.#runs.has(id));
    const foreign = heldByOthers > 0 ? [{ id: foreignWorkId, slots: heldByOthers }] : [];
    return [...own, ...[...others, ...foreign].map(({ id, slots }) => ({ id, slots, guest: false, stopping: false }))];
  }

  #begin(job: Job, guest: boolean): void {
    const { jobStore, heartbeat, cluster, folders, models, timeLimit, prepare, onEnd, log } = this.#dependencies;
    const run = new JobRun(job, guest, {
      jobStore,
      cluster,
      folders,
      models,
      timeLimit,
      prepare,
      log,
      owner: heartbeat.name,
      onEnd: (ended: RunOutcome) => {
        this.#remove(job.id, run);
        log.info({ job: job.id, ended }, 'a run ended');
        this.wake();
        onEnd?.();
      },
    });
    this.#runs.set(job.id, run);
    log.info({ job: job.id, guest }, 'run started');
    run.begin();
  }

  /** The reason why nothing happens to a job, if it cannot be stored with the job. */
  problemOf(job: number): string | undefined {
    return this.#problem ?? this.#runs.get(job)?.problem;
  }

  #logError(error: unknown): void {
    this.#dependencies.log.warn({ err: error }, 'scheduler tick failed; retrying');
  }

  /** Graceful shutdown: stops or leaves all runs and releases their jobs. Another server, or this one after its restart, resumes them. */
  async stop(): Promise<void> {
    const { heartbeat, jobStore, cluster } = this.#dependencies;
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped = true;
    await this.#busy;
    const runs = [...this.#runs.values()];
    await Promise.all(runs.map((run) => run.leave()));
    await cluster.close();
    await Promise.all(runs.map((run) => run.settled()));
    await jobStore
      .leave(heartbeat.name, 'its server stops; it goes on from its last finished wave', cluster.outlives)
      .catch((error) => this.#logError(error));
    heartbeat.forget();
  }
}
