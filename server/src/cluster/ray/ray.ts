// A Ray cluster: each run is an attempt in the job's folder and one job of Ray, whose driver asks for the slots. Runs outlive this
// server. All state is in the folder, except the times for which heartbeats have stood still.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Capacity, Cluster, ClusterNode, RunOrder, RunState } from '../cluster.ts';
import { type PlacementGroup, type RayApi, type RayNode, RayUnavailable } from './api.ts';
import { Attempts, type LastAttempt, leaseMs } from './attempts.ts';
import { aliveOf, heldByOthers, nodesOf, prefixOf, submissionId } from './nodes.ts';
import { type RayWord, reconcile } from './reconcile.ts';
import { larger, sizeOf } from './size.ts';
import { UnchangedTimes } from './unchanged-times.ts';
import { warningsOf } from './warnings.ts';

const pollMs = 500;
const askMs = 2_000;
const defaultSizeMs = 5_000;
/** Maximum wait of a starting server for the size of its cluster. */
const firstSizeMs = 3_000;
/** Processes of a closed attempt end by themselves within some seconds; then Ray stops its job. */
const stopAfterMs = 8_000;
const housekeepingMs = 3_600_000;
/** Ray brings back an entry that is deleted right after its end. */
const entryMaxAgeMs = 86_400_000;

export interface RayOptions {
  api: RayApi;
  /** The folder of a job by its name. */
  folder(name: string): string;
  /** Start of the command line of a driver: the program and its module. */
  program: readonly string[];
  /** The folder of the engine's modules, at the same path on all nodes. */
  engine: string;
  resource: string;
  /** Maximum number of nodes of an autoscaler, and slots of each if configured; else 0. */
  maxNodes: number;
  nodeSlots: number;
  /** Polling interval of the nodes and of the holders of their slots. */
  sizeMs?: number;
  log: FastifyBaseLogger;
}

interface Watch {
  lookedAt: number;
  state: RunState;
  askedAt: number;
  word: { id: string; status: RayWord['status']; since: number; message?: string; exitCode?: number } | undefined;
}

export class RayCluster implements Cluster {
  readonly shared = true;
  readonly outlives = true;
  readonly #options: RayOptions;
  /** Identifies our jobs in a cluster that others use as well. */
  readonly #home: string;
  readonly #beats = new UnchangedTimes();
  readonly #watches = new Map<string, Watch>();
  #size: Capacity | undefined;
  #nodes: RayNode[] = [];
  #groups: PlacementGroup[] = [];
  /** The last two counts of slots that others hold. */
  #foreign: [number, number] = [0, 0];
  #seenLargest: Capacity = { nodes: 0, slots: 0 };
  #problem: string | undefined = 'Ray has not answered yet';
  #sizedAt = Number.NEGATIVE_INFINITY;
  #sizing: Promise<void> | undefined;
  #keptAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: RayOptions) {
    this.#options = options;
    this.#home = createHash('sha256').update(options.folder('')).digest('hex').slice(0, 16);
  }

  async capacity(): Promise<Capacity> {
    const { maxNodes, nodeSlots } = this.#options;
    this.#refresh();
    if (!this.#size && this.#sizing) await Promise.race([this.#sizing, sleep(firstSizeMs, undefined, { ref: false })]);
    // An autoscaler adds nodes only for a run that waits on the cluster.
    const size = this.#size ?? { nodes: 0, slots: 0 };
    return maxNodes === 0 ? size : larger(size, { nodes: maxNodes, slots: nodeSlots || this.#seenLargest.slots });
  }

  async heldByOthers(): Promise<number> {
    await this.capacity();
    // Usage and groups of a node come from two calls. A run that ends between them counts as work of others once.
    return Math.min(...this.#foreign);
  }

  /** A cluster that has lost a node accepts jobs that fit its largest size. */
  async largest(): Promise<Capacity | undefined> {
    const now = await this.capacity();
    return this.#size || now.nodes > 0 ? larger(now, this.#seenLargest) : undefined;
  }

  unready(): string | undefined {
    this.#refresh();
    return this.#problem;
  }

  #refresh(): void {
    if (performance.now() - this.#sizedAt < (this.#options.sizeMs ?? defaultSizeMs)) return;
    this.#sizedAt = performance.now();
    this.#sizing ??= this.#measure().finally(() => {
      this.#sizing = undefined;
    });
  }

  async waitsFor({ nodes, gpus }: Pick<RunOrder, 'nodes' | 'gpus'>): Promise<string | undefined> {
    if (this.#problem) return `waits for the cluster: ${this.#problem}`;
    const now = await this.capacity();
    if (now.nodes >= nodes && now.slots >= gpus) {
      const [total, held] = [now.nodes * now.slots, await this.heldByOthers()];
      if (nodes * gpus <= total - held) return undefined;
      return `waits for ${nodes * gpus === 1 ? 'a slot' : `${nodes * gpus} slots`}; work of others holds ${held} of the cluster's ${total}`;
    }
    return `waits until the cluster has ${nodes === 1 ? 'a node' : `${nodes} nodes`} with ${gpus} slots; it has ${now.nodes} with ${now.slots}`;
  }

  async nodes(running: readonly string[]): Promise<ClusterNode[]> {
    await this.capacity();
    const nodes = nodesOf(this.#nodes, this.#groups, this.#options.resource, running, Date.now());
    return this.#problem ? nodes.map((node) => ({ ...node, state: 'unknown', held: [] })) : nodes;
  }

  async #measure(): Promise<void> {
    try {
      const { api, resource } = this.#options;
      const [nodes, groups, usage] = await Promise.all([api.nodes(), api.placementGroups(), api.usage()]);
      // A head that has just started knows no node, not even itself.
      const alive = aliveOf(nodes, groups, resource);
      if (alive.length === 0) return;
      this.#nodes = nodes;
      this.#groups = groups;
      this.#foreign = [this.#foreign[1], heldByOthers(nodes, groups, usage, resource, await this.#ownPrefixes())];
      this.#size = sizeOf(alive, resource);
      this.#seenLargest = larger(this.#seenLargest, this.#size);
      if (this.#problem) {
        this.#options.log.info({ ...this.#size }, 'connected to the cluster');
        await this.#warn();
      }
      this.#problem = undefined;
      await this.#housekeep();
    } catch (error) {
      const { message } = error as Error;
      if (this.#problem !== message) this.#options.log.warn({ err: error }, `jobs wait for the cluster: ${message}`);
      this.#problem = message;
    }
  }

  /** Prefixes of the placement groups of this home's jobs, regardless of the server that started them. */
  async #ownPrefixes(): Promise<string[]> {
    return (await readdir(this.#options.folder('')).catch(() => [])).map(prefixOf);
  }

  async #warn(): Promise<void> {
    for (const warning of await warningsOf(this.#options.api)) this.#options.log.warn(warning);
  }

  /** Deletes Ray's entries of our runs a day after their end. */
  async #housekeep(): Promise<void> {
    if (performance.now() - this.#keptAt < housekeepingMs) return;
    this.#keptAt = performance.now();
    for (const { submission_id: id, end_time, metadata } of await this.#options.api.jobs())
      if (id && metadata?.lorekeep === this.#home && end_time && end_time < Date.now() - entryMaxAgeMs)
        await this.#options.api.delete(id);
  }

  async follow(order: RunOrder): Promise<boolean> {
    return isOf(order, await this.#attempts(order.name).last());
  }

  async start(order: RunOrder): Promise<void> {
    const { name, nodes, gpus: slots, claimed } = order;
    const attempts = this.#attempts(name);
    const last = await attempts.last();
    if (isOf(order, last)) return;
    // Of several concurrent starts, one creates the next attempt.
    const number = (last?.number ?? 0) + 1;
    await attempts.create({ number, id: submissionId(name, number), nodes, slots, claimed });
    this.#watches.delete(name);
    await this.state(name);
  }

  async state(name: string): Promise<RunState> {
    let watch = this.#watches.get(name);
    const now = performance.now();
    // An end is final until the run is stopped or started again.
    if (watch && (watch.state.state === 'ended' || now - watch.lookedAt < pollMs)) return watch.state;
    watch ??= { lookedAt: now, state: { state: 'none' }, askedAt: Number.NEGATIVE_INFINITY, word: undefined };
    this.#watches.set(name, watch);
    watch.state = await this.#advance(name, watch);
    watch.lookedAt = performance.now();
    return watch.state;
  }

  /** Advances the run by one step. */
  async #advance(name: string, watch: Watch): Promise<RunState> {
    const attempts = this.#attempts(name);
    const last = await attempts.last();
    const folder = {
      attempt: last === undefined ? 'none' : last.closed ? 'closed' : 'open',
      ended: last?.ended,
      still: last?.beat === undefined ? undefined : this.#beats.of(`${name} ${last.beatFile}`, last.beat),
    } as const;
    let step = reconcile(folder, undefined);
    if (last && step.step === 'ask') {
      const word = await this.#ask(last.id, watch);
      if (word) step = reconcile(folder, word);
    }
    if (!last || step.step === 'none') return { state: 'none' };
    if (step.step === 'submit') await this.#try(() => this.#submit(name, last));
    if (step.step !== 'end') return { state: 'running' };
    if (step.close) await attempts.close(last.number);
    if (step.stop) await this.#try(() => this.#options.api.stop(last.id));
    return step.ended;
  }

  /** Ray's status of a job, with its age. Undefined if Ray was asked just now, or is unreachable. */
  async #ask(id: string, watch: Watch): Promise<RayWord | undefined> {
    if (performance.now() - watch.askedAt < askMs) return undefined;
    watch.askedAt = performance.now();
    return await this.#try(async () => {
      const job = await this.#options.api.job(id);
      const status = job?.status ?? 'unknown';
      if (watch.word?.id !== id || watch.word.status !== status) watch.word = { id, status, since: performance.now() };
      const { since } = watch.word;
      return {
        status,
        since: performance.now() - since,
        message: job?.message ?? undefined,
        exitCode: job?.driver_exit_code ?? undefined,
      };
    });
  }

  async #submit(name: string, { id, number, nodes, slots }: LastAttempt): Promise<void> {
    const { program, engine, resource, folder, log } = this.#options;
    const words = [
      ...program,
      folder(name),
      '--attempt',
      number,
      '--nodes',
      nodes,
      '--slots',
      slots,
      '--resource',
      resource,
    ];
    await this.#options.api.submit({
      submission_id: id,
      // Ray lets the processes of a run find modules in the folder where its driver was started. A runtime environment would do that, too,
      // but start a fresh process in place of each idle one of a node.
      entrypoint: `cd ${shellQuoted(engine)} && exec ${words.map(shellQuoted).join(' ')}`,
      // The driver computes nothing, and Ray could not stop one that waits for resources.
      entrypoint_num_cpus: 0,
      metadata: { lorekeep: this.#home },
    });
    log.info({ id, nodes, slots }, 'submitted a run to Ray');
  }

  /** Undefined if Ray is unreachable: nothing is known then, and nothing decided. */
  async #try<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RayUnavailable)) throw error;
      this.#options.log.debug(error.message);
      return undefined;
    }
  }

  async stop(name: string): Promise<void> {
    const attempts = this.#attempts(name);
    const last = await attempts.last();
    this.#watches.delete(name);
    if (!last) return;
    if (!last.closed) await attempts.close(last.number);
    const begun = performance.now();
    let isTold = last.ended !== undefined;
    for (;;) {
      const moving = await this.#countLive(name, attempts);
      // A run that has not begun has no heartbeat, and ends when it sees that its attempt is closed. It is still in Ray's list.
      if (!isTold && (moving === 0 || performance.now() - begun > stopAfterMs)) {
        isTold = true;
        await this.#try(() => this.#options.api.stop(last.id));
      }
      if (moving === 0) return;
      if (this.#closed) throw new Error(`the processes of ${name} still end`);
      await sleep(pollMs);
    }
  }

  /** The number of processes of any attempt that may still write. */
  async #countLive(name: string, attempts: Attempts): Promise<number> {
    let moving = 0;
    for (const [file, beat] of await attempts.beats())
      if (this.#beats.of(`${name} ${file}`, beat) < leaseMs) moving++;
      else await attempts.forget(file);
    return moving;
  }

  #attempts(name: string): Attempts {
    return new Attempts(this.#options.folder(name));
  }

  /** Runs continue; their ends are not awaited any more. */
  async close(): Promise<void> {
    this.#closed = true;
  }
}

/** The end of a run that was claimed before belongs to that claim. */
const isOf = ({ claimed }: RunOrder, last: LastAttempt | undefined) =>
  last !== undefined && !last.closed && (!last.ended || last.claimed === claimed);

/** Quotes a word of a command line for the shell. */
const shellQuoted = (word: string | number) =>
  /^[\w./=-]+$/.test(String(word)) ? String(word) : `'${String(word).replaceAll("'", `'\\''`)}'`;
