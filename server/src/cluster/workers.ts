// Pool of the workers of this machine. On request, one more than is needed is kept waiting, since a new one imports for seconds. The last
// one that worked is taken first, since it has read base and embedding model already.
import type { FastifyBaseLogger } from 'fastify';
import { Worker } from './worker.ts';

/** Delay after the start of a server, which may be stopped again soon and should answer first. */
const preloadDelayMs = 20_000;
/** Time for which several returned workers are kept for further orders; after it, one is left waiting. */
const surplusMs = 10_000;
/** Number of orders after which a worker is replaced, to release its memory. */
const maxOrders = 50;

export class Workers {
  readonly #log: FastifyBaseLogger;
  readonly #all = new Set<Worker>();
  readonly #orders = new Map<Worker, number>();
  #waiting: Worker[] = [];
  #python: string | undefined;
  #problem: string | undefined = 'its Python environment is being set up';
  #keepOne: () => readonly string[] | undefined = () => undefined;
  #preload: NodeJS.Timeout | undefined;
  #surplus: NodeJS.Timeout | undefined;
  readonly #surplusMs: number;
  #closed = false;

  constructor(python: Promise<string>, log: FastifyBaseLogger, surplus: number = surplusMs) {
    this.#log = log;
    this.#surplusMs = surplus;
    python.then(
      (program) => {
        this.#python = program;
        this.#problem = undefined;
        this.prepareLater();
      },
      () => {
        this.#problem = 'its Python environment could not be made (the log of the server says why)';
      },
    );
  }

  /** Undefined when there can be workers, else the reason why not. */
  unready(): string | undefined {
    return this.#closed ? 'it is stopped' : this.#problem;
  }

  /** `next` returns the GPUs of one more waiting worker; undefined if none should wait. */
  keepOne(next: () => readonly string[] | undefined): void {
    this.#keepOne = next;
  }

  /** A worker restricted to these GPUs; an empty list means CPU. */
  take(gpus?: readonly string[]): Worker {
    if (this.unready() !== undefined) throw new Error(`There can be no worker: ${this.unready()}.`);
    this.#waiting = this.#waiting.filter((worker) => worker.isAlive);
    const waiting = this.#waiting.shift();
    const fits = waiting && (gpus === undefined || waiting.gpus === gpus.join());
    // A worker that does not fit may hold memory of a GPU that belongs to another run now.
    if (waiting && !fits) void this.end(waiting);
    const worker = fits ? waiting : this.#make(gpus ?? []);
    this.#orders.set(worker, (this.#orders.get(worker) ?? 0) + 1);
    return worker;
  }

  /** Called after a successful order; any other worker is ended instead. */
  release(worker: Worker): void {
    const tired = (this.#orders.get(worker) ?? 0) >= maxOrders;
    // A worker that has computed on a GPU holds memory of it, which may belong to another run by now.
    const isWished = worker.gpus === (this.#keepOne()?.join() ?? '');
    const others = this.#waiting.filter(({ isAlive }) => isAlive);
    const isDouble = worker.gpus !== '' && others.some(({ gpus }) => gpus === worker.gpus);
    if (!worker.isAlive || tired || this.#closed || !isWished || isDouble) return void this.end(worker);
    const stay = worker.gpus === '' ? others.filter(({ gpus }) => gpus === '') : [];
    for (const other of others) if (!stay.includes(other)) void this.end(other);
    this.#waiting = [worker, ...stay];
    clearTimeout(this.#surplus);
    this.#surplus = setTimeout(() => this.#endSurplus(), this.#surplusMs).unref();
  }

  #endSurplus(): void {
    this.#waiting = this.#waiting.filter(({ isAlive }) => isAlive);
    for (const worker of this.#waiting.splice(1)) void this.end(worker);
  }

  async end(worker: Worker): Promise<void> {
    await worker.end();
    this.#all.delete(worker);
    this.#orders.delete(worker);
  }

  /** Prepares a worker after a delay: a short order gives its worker back before another one has imported. */
  prepareLater(): void {
    clearTimeout(this.#preload);
    this.#preload = setTimeout(() => this.prepare(), preloadDelayMs).unref();
  }

  /** Starts a waiting worker if one is wanted and none waits. */
  prepare(): void {
    this.#waiting = this.#waiting.filter((worker) => worker.isAlive);
    const next = this.#keepOne();
    if (this.unready() === undefined && this.#waiting.length === 0 && next) this.#waiting.push(this.#make(next));
  }

  #make(gpus: readonly string[]): Worker {
    const worker = new Worker(this.#python!, (line) => this.#log.debug(`worker: ${line}`), { gpus: gpus.join() });
    this.#all.add(worker);
    return worker;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#preload);
    clearTimeout(this.#surplus);
    await Promise.all([...this.#all].map((worker) => this.end(worker)));
  }
}
