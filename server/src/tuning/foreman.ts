// The loop of one server: says that it lives, takes over from those that do not, decides who starts, and follows the runs that are its own. All
// that it knows beyond the tables is which runs it has.
import type { FastifyBaseLogger } from 'fastify';
import type { Cluster } from '../cluster/cluster.ts';
import type { Presence } from '../servers/presence.ts';
import type { JobFolders } from './job-folders.ts';
import type { Job, Ledger } from './ledger.ts';
import type { Decision, Running } from './queue.ts';
import { isRunning } from './states.ts';
import { type Ended, Supervision } from './supervision.ts';

const lookEvery = 250;
/** Others are looked at less often. */
const othersEvery = 1_000;
const claimEvery = 1_000;

interface Parts {
  ledger: Ledger;
  presence: Presence;
  cluster: Cluster;
  folders: JobFolders;
  /** Of running at a stretch, in seconds. */
  timeLimit: number;
  /** Writes what the engine needs to begin; a sentence where that cannot be. */
  prepare(job: Job): Promise<string | undefined>;
  log: FastifyBaseLogger;
}

export class Foreman {
  readonly #parts: Parts;
  /** In the order of their start. */
  readonly #runs = new Map<number, Supervision>();
  #timer: NodeJS.Timeout | undefined;
  #busy: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #othersAt = Number.NEGATIVE_INFINITY;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #changed = true;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { presence, cluster } = this.#parts;
    await presence.beat(await cluster.capacity());
    this.#timer = setInterval(() => this.look(), lookEvery).unref();
    this.look();
  }

  /** There is something new. */
  poke(): void {
    this.#changed = true;
    this.look();
  }

  look(): void {
    if (this.#stopped) return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = this.#round()
      .catch((error) => this.#trouble(error))
      .finally(() => {
        this.#busy = undefined;
        const again = this.#again;
        this.#again = false;
        if (again) setImmediate(() => this.look());
      });
  }

  async #round(): Promise<void> {
    const { presence, cluster } = this.#parts;
    try {
      if ((await presence.beat(await cluster.capacity())) === 'lost') return await this.#lost('it was taken for dead');
    } catch (error) {
      if (presence.isSilent() && this.#runs.size > 0) await this.#lost('the database cannot be reached');
      throw error;
    }
    await this.#takeOver();
    await this.#follow();
    await this.#claim();
  }

  /** Another server may have what this one had: its workers must not go on. */
  async #lost(why: string): Promise<void> {
    const { presence, log } = this.#parts;
    if (this.#runs.size > 0) log.error(`the workers of ${this.#runs.size} jobs are stopped: ${why}`);
    presence.forget();
    await Promise.all([...this.#runs.values()].map((run) => run.drop()));
    this.#runs.clear();
  }

  async #takeOver(): Promise<void> {
    const { presence, ledger, log } = this.#parts;
    if (performance.now() - this.#othersAt < othersEvery) return;
    this.#othersAt = performance.now();
    for (const { name, beat } of await presence.gone()) {
      this.#changed = true;
      const jobs = await ledger.takeOver(name, beat, 'its server is gone; it goes on from its last finished wave');
      log.info({ server: name, jobs }, 'a server is gone');
    }
  }

  /** Held against the table: what was cancelled or deleted there is stopped here. */
  async #follow(): Promise<void> {
    const { ledger, presence } = this.#parts;
    if (this.#runs.size === 0) return;
    const owned = new Map((await ledger.owned(presence.name)).map((job) => [job.id, job]));
    for (const [id, run] of this.#runs) {
      const job = owned.get(id);
      if (!job) run.stop('gone');
      else if (!isRunning(job.status)) run.stop('cancelled');
      run.look(job);
    }
  }

  async #claim(): Promise<void> {
    const { ledger, presence, cluster } = this.#parts;
    // The queue is read when there is news, and now and then: other servers' ends are not heard of.
    if (!this.#changed && performance.now() - this.#claimedAt < claimEvery) return;
    if (!(await ledger.hasWaiting())) return this.#settle();
    this.#changed = false;
    this.#claimedAt = performance.now();
    const { nodes, slots } = await cluster.capacity();
    const ready = cluster.unready() === undefined;
    const { started, decision } = await ledger.claim(
      presence.name,
      nodes * slots,
      (job) => ready && job.nodes <= nodes && job.gpus <= slots && !this.#runs.has(job.id),
      (taken) => this.#running(taken),
      cluster.shared,
    );
    const guests = new Set(decision.start.filter(({ guest }) => guest).map(({ id }) => id));
    for (const job of started) this.#begin(job, guests.has(job.id));
    this.#make(decision);
  }

  #make({ stop, settled }: Decision): void {
    for (const id of stop) this.#runs.get(id)?.stop('guest');
    if (settled) this.#settle();
  }

  /** Nobody waits for slots that guests have. */
  #settle(): void {
    for (const run of this.#runs.values()) run.guest = false;
  }

  /** Everything that takes slots: its own runs, also those being stopped; on a shared cluster those of others too. */
  #running(taken: Job[]): Running[] {
    const own = [...this.#runs].map(([id, { slots, guest, stopping }]) => ({ id, slots, guest, stopping }));
    const others = taken.filter(({ id }) => !this.#runs.has(id));
    return [...own, ...others.map(({ id, slots }) => ({ id, slots, guest: false, stopping: false }))];
  }

  #begin(job: Job, guest: boolean): void {
    const { ledger, presence, cluster, folders, timeLimit, prepare, log } = this.#parts;
    const run = new Supervision(job, guest, {
      ledger,
      cluster,
      folders,
      timeLimit,
      prepare,
      log,
      owner: presence.name,
      onEnd: (ended: Ended) => {
        if (this.#runs.get(job.id) === run) this.#runs.delete(job.id);
        log.info({ job: job.id, ended }, 'a run ended');
        this.poke();
      },
    });
    this.#runs.set(job.id, run);
    log.info({ job: job.id, guest }, 'a run begins');
    run.begin();
  }

  #trouble(error: unknown): void {
    this.#parts.log.warn({ err: error }, 'jobs could not be looked after; tried again soon');
  }

  /** Stops what runs and lets go of it; another server, or this one when it is back, goes on from there. */
  async stop(): Promise<void> {
    const { presence, ledger, cluster } = this.#parts;
    clearInterval(this.#timer);
    this.#stopped = true;
    await this.#busy;
    await Promise.all([...this.#runs.values()].map((run) => run.leave()));
    await cluster.close();
    await ledger
      .leave(presence.name, 'its server stops; it goes on from its last finished wave')
      .catch((error) => this.#trouble(error));
    presence.forget();
  }
}
