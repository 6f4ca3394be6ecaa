// Supervises one engine process at the other end of a transport: restarts it when it exits and when it stops answering heartbeats. A crash
// fails the requests in flight and nothing else.
import type { FastifyBaseLogger } from 'fastify';
import { type Engine, EngineFailure } from './engine.ts';
import { Exchange } from './exchange.ts';
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
import type { Connection, Transport } from './transport.ts';

/** Restart backoff: the pause grows while the process keeps exiting soon after its start. A broken engine must not overload the machine. */
const firstPauseMs = 200;
const maxPauseMs = 30_000;
const stableAfterMs = 30_000;
/** Time that an engine gets to shut down before it is killed. */
const shutdownMs = 3_000;

/** Limits in heartbeats, not seconds: a suspension of the server process does not count against the engine. */
export interface Heartbeat {
  /** Milliseconds between two heartbeats. */
  every: number;
  /** Unanswered heartbeats after which the engine counts as hanging, and calls are refused until it answers. */
  silentAfter: number;
  /** Unanswered heartbeats after which it is killed and restarted. */
  lostAfter: number;
  /** The same limit during a start: imports take minutes on a slow machine. */
  startsWithin: number;
}

export const defaultHeartbeat: Heartbeat = { every: 1_000, silentAfter: 10, lostAfter: 60, startsWithin: 900 };

export class ConnectedEngine implements Engine {
  readonly #log: FastifyBaseLogger;
  readonly #heartbeat: Heartbeat;
  readonly #exchange: Exchange;
  #connection: Connection | undefined;
  #ended: Promise<void> = Promise.resolve();
  #state: string | undefined = 'being set up';
  #lost = false;
  #embedder: string | undefined;
  #gpus: number | undefined;
  #starts = 0;
  #onReady = () => {};
  #stopping = false;
  #pause = firstPauseMs;
  #timer: NodeJS.Timeout | undefined;
  /** Heartbeats since the last message of the process. */
  #beats = 0;

  /** Starts once there is a transport. Until then, and during restarts, callers get the reason why it cannot answer. */
  constructor(transport: Promise<Transport>, log: FastifyBaseLogger, heartbeat = defaultHeartbeat) {
    this.#log = log;
    this.#heartbeat = heartbeat;
    this.#exchange = new Exchange(
      (request) => this.#send(request),
      () => this.unready(),
    );
    transport.then(
      (known) => this.#start(known),
      () => {
        this.#state = 'not set up: its Python environment could not be made (the log of the server says why)';
        this.#lost = true;
      },
    );
  }

  /** Number of processes started so far that have answered. A new process has none of the models that the last one had loaded. */
  get starts(): number {
    return this.#starts;
  }

  unready(): string | undefined {
    if (!this.isSilent()) return this.#state;
    const seconds = Math.round((this.#beats * this.#heartbeat.every) / 1000);
    return `not answering (for ${seconds} s); it is started again if that goes on`;
  }

  isSilent(): boolean {
    return this.#state === undefined && this.#beats >= this.#heartbeat.silentAfter;
  }

  /** Reports the progress of installing the engine's packages. */
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

  /** Called whenever a new process has sent `hello`. */
  onReady(call: () => void): void {
    this.#onReady = call;
  }

  /** Ends the process; a new one is started. */
  restart(): void {
    this.#connection?.kill();
  }

  #start(transport: Transport): void {
    if (this.#stopping) return;
    this.#state = 'starting';
    const started = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    this.#beats = 0;
    const beating = setInterval(() => this.#beat(), this.#heartbeat.every);
    this.#connection = transport({
      heard: () => this.#receive(),
      line: (text) => this.#read(text),
      ended: (how) => {
        clearInterval(beating);
        this.#connection = undefined;
        resolve();
        this.#exchange.failAll(new EngineFailure('stopped', `The engine ended (${how}) and is being started again.`));
        if (this.#stopping) return;
        this.#state = 'starting again';
        if (performance.now() - started > stableAfterMs) this.#pause = firstPauseMs;
        this.#log.error({ how, again_in_ms: this.#pause }, 'the engine ended');
        this.#timer = setTimeout(() => this.#start(transport), this.#pause);
        this.#pause = Math.min(this.#pause * 2, maxPauseMs);
      },
    });
  }

  #receive(): void {
    if (this.isSilent()) this.#log.warn('the engine answers again');
    this.#beats = 0;
  }

  #beat(): void {
    this.#beats++;
    const { silentAfter, lostAfter, startsWithin } = this.#heartbeat;
    const about = this.#connection?.about() ?? {};
    if (this.#beats === (this.#state === undefined ? lostAfter : startsWithin)) {
      this.#log.error(about, 'the engine does not answer; killing and restarting it');
      this.#connection?.kill();
      return;
    }
    const isStarting = this.#state !== undefined;
    if (!isStarting && this.#beats === silentAfter) this.#log.warn(about, 'the engine does not answer');
    // Data written to a process that reads nothing stays in memory. A starting process reads it later, and a remote replica takes a
    // silent server for dead (engine/lorekeep/cluster/replica.py).
    if (isStarting || this.#beats <= silentAfter) this.#send({ type: 'ping', id: 'heartbeat' });
  }

  #read(line: string): void {
    let message: EngineAnswer;
    try {
      message = answerSchema.parse(JSON.parse(line));
    } catch (error) {
      this.#log.error({ err: error }, 'the engine sent an invalid message');
      return;
    }
    if (message.type === 'pong') return;
    if (message.type === 'hello') {
      if (message.protocol !== protocolVersion) {
        this.#log.error(
          `the engine speaks protocol ${message.protocol}, the server ${protocolVersion}: their versions differ`,
        );
        this.#connection?.kill();
        return;
      }
      this.#state = undefined;
      this.#starts++;
      this.#embedder = message.embedder ?? undefined;
      this.#gpus = message.gpus;
      this.#log.info({ pid: message.pid, device: message.device }, 'engine: ready');
      this.#onReady();
      return;
    }
    if (message.type === 'error' && message.id === null) {
      this.#log.error({ code: message.code }, `the engine rejected a message: ${message.message}`);
      return;
    }
    this.#exchange.receive(message);
  }

  #send(message: EngineRequest): void {
    this.#connection?.send(`${JSON.stringify(message)}\n`);
  }

  generate(request: Generation, signal?: AbortSignal): AsyncGenerator<Delta, End> {
    return this.#exchange.generate(request, signal);
  }

  async embed(request: Embedding, signal?: AbortSignal): Promise<Vectors> {
    return await this.#exchange.embed(request, signal);
  }

  async load(request: Loading, onProgress?: (progress: LoadProgress) => void): Promise<Loaded> {
    return await this.#exchange.load(request, onProgress);
  }

  async unload(model: string): Promise<void> {
    await this.#exchange.unload(model);
  }

  async status(): Promise<EngineStatus> {
    return await this.#exchange.status();
  }

  async stop(): Promise<void> {
    const starting = this.#state !== undefined;
    this.#stopping = true;
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    const connection = this.#connection;
    if (!connection) return;
    connection.close();
    // A process that is still starting reads nothing yet and has no work to lose.
    const timer = setTimeout(() => connection.kill(), starting ? 0 : shutdownMs);
    await this.#ended;
    clearTimeout(timer);
  }
}
