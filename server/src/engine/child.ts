// The engine as a child process that speaks JSON lines over its pipes; started again when it ends, and when it does not answer heartbeats any
// more. A crash fails the requests in flight and nothing else. When this process goes, however it goes, the engine's input closes and it ends
// by itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { FastifyBaseLogger } from 'fastify';
import { checkout } from '../config/settings.ts';
import { pythonEnvironment } from './child-environment.ts';
import { type Engine, EngineFailure } from './engine.ts';
import {
  answerSchema,
  type Delta,
  type Embedding,
  type End,
  type EngineAnswer,
  type EngineRequest,
  type EngineStatus,
  type Generation,
  type Loaded,
  type Loading,
  type LoadProgress,
  protocolVersion,
  type Vectors,
} from './protocol.ts';

/** Pauses before another start, growing while it keeps ending soon after: an engine that cannot run must not eat the machine. */
const firstPause = 200;
const maxPauseMs = 30_000;
const longEnough = 30_000;

/** Counted in heartbeats, not by the clock: while this process is stopped itself, nothing is held against the engine. */
export interface Heartbeat {
  /** Milliseconds between two. */
  every: number;
  /** Without a word for so many the engine is said not to answer, and calls are refused until it does. */
  silentAfter: number;
  /** Without a word for so many it is killed and started again. */
  lostAfter: number;
  /** The same while it starts: importing takes minutes on a slow machine. */
  startsWithin: number;
}

const defaultHeartbeat: Heartbeat = { every: 1_000, silentAfter: 10, lostAfter: 60, startsWithin: 900 };

/** The waiter for the answers to one request. */
interface Waiter {
  answer(message: EngineAnswer): void;
  fail(failure: EngineFailure): void;
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

export class ChildEngine implements Engine {
  readonly #log: FastifyBaseLogger;
  readonly #options: string[];
  readonly #waiters = new Map<string, Waiter>();
  #child: ChildProcess | undefined;
  #state: string | undefined = 'being set up';
  #lost = false;
  #embedder: string | undefined;
  #gpus: number | undefined;
  #count = 0;
  #stopping = false;
  #pause = firstPause;
  #timer: NodeJS.Timeout | undefined;
  readonly #heartbeat: Heartbeat;
  /** Since anything was heard of the process. */
  #beats = 0;

  /** Starts once the Python environment is there; until then, and while it starts again, callers are told so. */
  constructor(python: Promise<string>, log: FastifyBaseLogger, options: string[] = [], heartbeat = defaultHeartbeat) {
    this.#log = log;
    this.#heartbeat = heartbeat;
    this.#options = options;
    python.then(
      (program) => this.#start(program),
      () => {
        this.#state = 'not set up: its Python environment could not be made (the log of the server says why)';
        this.#lost = true;
      },
    );
  }

  unready(): string | undefined {
    if (!this.isSilent()) return this.#state;
    const seconds = Math.round((this.#beats * this.#heartbeat.every) / 1000);
    return `not answering (for ${seconds} s); it is started again if that goes on`;
  }

  isSilent(): boolean {
    return this.#state === undefined && this.#beats >= this.#heartbeat.silentAfter;
  }

  /** Shows the progress of the installation of its packages. */
  reportSetUp(progress: string): void {
    if (this.#state?.startsWith('being set up')) this.#state = progress;
  }

  isLost(): boolean {
    return this.#lost;
  }

  embedder(): string | undefined {
    return this.#embedder;
  }

  gpus(): number | undefined {
    return this.#gpus;
  }

  #start(program: string): void {
    if (this.#stopping) return;
    this.#state = 'starting';
    const started = performance.now();
    const child = spawn(program, ['-m', 'lorekeep', 'serve', ...this.#options], {
      cwd: checkout,
      env: pythonEnvironment('compute'),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdin.on('error', () => {});
    child.on('error', (error) => this.#log.error({ err: error }, 'the engine could not be started'));
    // Heard before it is read: the first word of an engine that was long in starting ends no silence.
    child.stdout.on('data', () => this.#receive());
    createInterface({ input: child.stdout }).on('line', (line) => this.#read(line));
    createInterface({ input: child.stderr }).on('line', (line) =>
      // Errors concern the operator: a damaged model, a fault of the engine.
      this.#log[line.startsWith('ERROR ') ? 'error' : 'debug'](`engine: ${line}`),
    );
    this.#beats = 0;
    const beating = setInterval(() => this.#beat(child), this.#heartbeat.every);
    child.once('close', (code, signal) => {
      clearInterval(beating);
      this.#child = undefined;
      this.#failAll(
        new EngineFailure('stopped', `The engine ended (${signal ?? `exit code ${code}`}) and is being started again.`),
      );
      if (this.#stopping) return;
      this.#state = 'starting again';
      if (performance.now() - started > longEnough) this.#pause = firstPause;
      this.#log.error({ code, signal, again_in_ms: this.#pause }, 'the engine ended');
      this.#timer = setTimeout(() => this.#start(program), this.#pause);
      this.#pause = Math.min(this.#pause * 2, maxPauseMs);
    });
  }

  #receive(): void {
    if (this.isSilent()) this.#log.warn('the engine answers again');
    this.#beats = 0;
  }

  #beat(child: ChildProcess): void {
    this.#beats++;
    const { silentAfter, lostAfter, startsWithin } = this.#heartbeat;
    if (this.#beats === (this.#state === undefined ? lostAfter : startsWithin)) {
      this.#log.error({ pid: child.pid }, 'the engine does not answer: it is killed and started again');
      child.kill('SIGKILL');
      return;
    }
    if (this.#state !== undefined) return;
    if (this.#beats === silentAfter) this.#log.warn({ pid: child.pid }, 'the engine does not answer');
    // Data written to a process that reads nothing stays in memory.
    if (this.#beats <= silentAfter) this.#send({ type: 'ping', id: 'heartbeat' });
  }

  #read(line: string): void {
    let message: EngineAnswer;
    try {
      message = answerSchema.parse(JSON.parse(line));
    } catch (error) {
      this.#log.error({ err: error }, 'the engine said what is no message');
      return;
    }
    if (message.type === 'pong') return;
    if (message.type === 'hello') {
      if (message.protocol !== protocolVersion) {
        this.#log.error(
          `the engine speaks protocol ${message.protocol}, the server ${protocolVersion}: they are of different versions`,
        );
        this.#child?.kill('SIGKILL');
        return;
      }
      this.#state = undefined;
      this.#embedder = message.embedder ?? undefined;
      this.#gpus = message.gpus;
      this.#log.info({ pid: message.pid, device: message.device }, 'engine: ready');
      return;
    }
    if (message.type === 'error' && message.id === null) {
      this.#log.error({ code: message.code }, `the engine could not read a message: ${message.message}`);
      return;
    }
    this.#waiters.get(message.id ?? '')?.answer(message);
  }

  #failAll(failure: EngineFailure): void {
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.fail(failure);
  }

  #send(message: EngineRequest): void {
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a request and yields its messages up to the last one. */
  #ask(request: Unnumbered<EngineRequest>, waiter: Waiter): string {
    const id = String(++this.#count);
    const unready = this.unready();
    if (unready !== undefined) {
      waiter.fail(new EngineFailure('stopped', `The engine is ${unready}.`));
      return id;
    }
    this.#waiters.set(id, {
      answer: (message) => {
        if (message.type !== 'delta' && message.type !== 'progress') this.#waiters.delete(id);
        if (message.type === 'error') waiter.fail(new EngineFailure(message.code, message.message, message.facts));
        else waiter.answer(message);
      },
      fail: waiter.fail,
    });
    this.#send({ ...request, id } as EngineRequest);
    return id;
  }

  /** For requests with one answer. */
  async #askOnce<Answer extends EngineAnswer>(
    request: Unnumbered<EngineRequest>,
    onProgress?: (message: LoadProgress) => void,
    signal?: AbortSignal,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const id = this.#ask(request, {
      answer: (message) => (message.type === 'progress' ? onProgress?.(message) : resolve(message as Answer)),
      fail: reject,
    });
    const cancel = () => this.#send({ type: 'cancel', id });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async *generate(request: Generation, signal?: AbortSignal): AsyncGenerator<Delta, End> {
    signal?.throwIfAborted();
    const pieces: Delta[] = [];
    let outcome: End | EngineFailure | undefined;
    let wake = () => {};
    const id = this.#ask(
      { ...request, type: 'generate' },
      {
        answer: (message) => {
          if (message.type === 'delta') pieces.push(message);
          if (message.type === 'end') outcome = message;
          wake();
        },
        fail: (failure) => {
          outcome = failure;
          wake();
        },
      },
    );
    const cancel = () => this.#send({ type: 'cancel', id });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        while (pieces.length > 0) yield pieces.shift()!;
        if (outcome instanceof EngineFailure) throw outcome;
        if (outcome) return outcome;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (!outcome) cancel();
    }
  }

  async embed(request: Embedding, signal?: AbortSignal): Promise<Vectors> {
    return await this.#askOnce<Vectors>({ ...request, type: 'embed' }, undefined, signal);
  }

  async load(request: Loading, onProgress?: (progress: LoadProgress) => void): Promise<Loaded> {
    return await this.#askOnce<Loaded>({ type: 'load', ...request }, onProgress);
  }

  async unload(model: string): Promise<void> {
    await this.#askOnce<EngineStatus>({ type: 'unload', model });
  }

  async status(): Promise<EngineStatus> {
    return await this.#askOnce<EngineStatus>({ type: 'status' });
  }

  async stop(): Promise<void> {
    const starting = this.#state !== undefined;
    this.#stopping = true;
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((done) => child.once('close', done));
    child.stdin?.end();
    // One that is still starting reads nothing yet, and has nothing to lose.
    const timer = setTimeout(() => child.kill('SIGKILL'), starting ? 0 : 3000);
    await ended;
    clearTimeout(timer);
  }
}
